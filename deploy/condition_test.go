// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A message about a name escapes what is not plain text, and takes the trouble for such
// names alone.
func TestQuoting(t *testing.T) {
	for _, c := range []struct {
		name, want string
		plain      bool
	}{
		{"web", `new "web".`, true},
		{"a long name with a blank and a tilde: ~", `new "a long name with a blank and a tilde: ~".`, true},
		{"a-long-name-with-a-tilde-and-no-blank~", `new "a-long-name-with-a-tilde-and-no-blank~".`, true},
		{"a long name with blanks and no tilde at all", `new "a long name with blanks and no tilde at all".`, true},
		{"", `new "".`, true},
		{"a\"b", `new "a\"b".`, false},
		{`a\b`, `new "a\\b".`, false},
		{"a\x1f", `new "a\x1f".`, false},
		{"a\x7f", `new "a\x7f".`, false},
		{"ä", `new "ä".`, false},
	} {
		require.Equal(t, c.want, quoting("new", c.name, "."))
		allocations := testing.AllocsPerRun(10, func() { quoting("new", c.name, ".") })
		require.Equal(t, c.plain, allocations == 1, "%q: %v allocations", c.name, allocations)
	}
}

func TestGetCondition(t *testing.T) {
	first, second := Condition{Type: "A", Reason: "first"}, Condition{Type: "A", Reason: "second"}
	got, ok := GetCondition([]Condition{{Type: "B"}, first, second}, "A")
	require.True(t, ok)
	require.Equal(t, first, got)
	got, ok = GetCondition([]Condition{first}, "C")
	require.False(t, ok)
	require.Zero(t, got)
}
