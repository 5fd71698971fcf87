// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
)

// A message about a name escapes what is not plain text, and takes the trouble for such
// names alone.
func TestQuoting(t *testing.T) {
	for _, c := range []struct {
		name, want string
	}{
		{"web", `new "web".`},
		{"a long name with a blank and a tilde: ~", `new "a long name with a blank and a tilde: ~".`},
		{"a-long-name-with-a-tilde-and-no-blank~", `new "a-long-name-with-a-tilde-and-no-blank~".`},
		{"a long name with blanks and no tilde at all", `new "a long name with blanks and no tilde at all".`},
		{"", `new "".`},
		{"a\"b", `new "a\"b".`},
		{`a\b`, `new "a\\b".`},
		{"a\x1f", `new "a\x1f".`},
		{"a\x7f", `new "a\x7f".`},
		{"ä", `new "ä".`},
	} {
		require.Equal(t, c.want, quotedMessage("new", c.name, "."))
		text := ""
		require.Equal(t, 1.0, testing.AllocsPerRun(10, func() { text = quotedMessage("new", c.name, ".") }), "of %q", text)
	}
}

func TestGetCondition(t *testing.T) {
	first, second := kplan.Condition{Type: "A", Reason: "first"}, kplan.Condition{Type: "A", Reason: "second"}
	got, ok := GetCondition([]kplan.Condition{{Type: "B"}, first, second}, "A")
	require.True(t, ok)
	require.Equal(t, first, got)
	got, ok = GetCondition([]kplan.Condition{first}, "C")
	require.False(t, ok)
	require.Zero(t, got)
}
