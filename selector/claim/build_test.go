// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"strings"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// read returns the selectors of a text, which semicolons separate, and false if there is
// a wrong one.
func read(text string) (list []selector.Selector, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		s, err := selector.Parse(part)
		if err != nil || len(list) == 6 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

func parse(t testing.TB, text string) selector.Selector {
	t.Helper()
	s, err := selector.Parse(text)
	require.NoError(t, err)
	return s
}
