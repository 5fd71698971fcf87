// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestErrorOfLongValue: an error quotes a value with at most 200 characters, whatever its type,
// and its path and its detail, which may have names of others in them, with not many more.
func TestErrorOfLongValue(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, tt := range map[string]struct {
		err  FieldError
		want string
	}{
		"as long as may be": {FieldError{Path: "spec.a", Value: x(200), Detail: "must be b"}, `spec.a: "` + x(200) + `": must be b`},
		"longer":            {FieldError{Path: "spec.a", Value: "<" + x(1_000_000) + ">", Detail: "must be b"}, `spec.a: "<` + x(149) + "…" + x(48) + `>": must be b`},
		"letters of 3 bytes": {
			FieldError{Value: strings.Repeat("漢", 200), Detail: "must be b"}, `"` + strings.Repeat("漢", 200) + `": must be b`,
		},
		"more of them": {
			FieldError{Value: strings.Repeat("漢", 201), Detail: "must be b"}, `"` + strings.Repeat("漢", 150) + "…" + strings.Repeat("漢", 49) + `": must be b`,
		},
		"no UTF-8": {FieldError{Value: strings.Repeat("\xff", 1000), Detail: "d"}, `"` + strings.Repeat(`\xff`, 150) + "…" + strings.Repeat(`\xff`, 49) + `": d`},
		"a map":    {FieldError{Path: "p", Value: map[string]string{"a": x(1000)}, Detail: "d"}, "p: map[a:" + x(144) + "…" + x(48) + "]: d"},
		"a path":   {FieldError{Path: `Pods["` + x(1000) + `"].Name`, Value: 1, Detail: "d"}, `Pods["` + x(219) + "…" + x(67) + `"].Name: 1: d`},
		"a detail": {FieldError{Path: "p", Value: 1, Detail: "must be one of " + x(1000) + ", y"}, "p: 1: must be one of " + x(360) + "…" + x(121) + ", y"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, tt.err.Error())
			require.LessOrEqual(t, utf8.RuneCountInString(short(tt.err.Path, mostPath)), mostPath)
		})
	}
}
