// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// An IntOrString is read as Kubernetes reads it: text is a percentage, or an error.
func TestFromIntOrString(t *testing.T) {
	for _, c := range []struct {
		why      string
		isString bool
		number   int32
		text     string
		want     rollout.IntOrPercent
		ok       bool
	}{
		{"a number", false, 5, "", rollout.Int(5), true},
		{"zero is not unset", false, 0, "", rollout.Int(0), true},
		{"below zero, which others refuse", false, -3, "", rollout.Int(-3), true},
		{"the text of a number is not read", false, 5, "25%", rollout.Int(5), true},
		{"a share", true, 0, "25%", rollout.Percent(25), true},
		{"the number of a text is not read", true, 7, "25%", rollout.Percent(25), true},
		{"a sign", true, 0, "+5%", rollout.Percent(5), true},
		{"the text 5 is not the number 5", true, 0, "5", unset, false},
		{"nor is it with its number", true, 5, "5", unset, false},
		{"no text is not unset", true, 0, "", unset, false},
		{"a sign alone", true, 0, "%", unset, false},
		{"a fraction", true, 0, "2.5%", unset, false},
		{"beyond 32 bits", true, 0, "2147483648%", unset, false},
	} {
		got, err := rollout.FromIntOrString(c.isString, c.number, c.text)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.ok, err == nil, c.why)
		if err != nil {
			requireFieldError(t, err, c.text)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // JSON is read the same way
		text := rapid.StringMatching(`[+-]?[0-9]{0,11}%?`).Draw(t, "text")
		got, err := rollout.FromIntOrString(true, 0, text)
		var decoded rollout.IntOrPercent
		require.Equal(t, err, decoded.UnmarshalJSON([]byte(`"`+text+`"`)))
		require.Equal(t, got, decoded)
	})
}
