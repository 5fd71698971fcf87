// SPDX-License-Identifier: Apache-2.0

package field

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
)

// Unique and Identities have the same errors, and none for elements that do not count.
func TestIdentities(t *testing.T) {
	for _, c := range []struct {
		why  string
		list [][2]string
		none string // the UID of the elements that do not count
		want string
	}{
		{"all differ", [][2]string{{"a", "1"}, {"b", "2"}}, "", ""},
		{"two of one name", [][2]string{{"b", "1"}, {"a", "2"}, {"b", "3"}}, "", `Pods["b"].Name: "b": must be unique`},
		{"two of one UID", [][2]string{{"b", "1"}, {"a", "1"}}, "", `Pods["a"].UID: "1": must be unique`},
		{"three of one UID", [][2]string{{"c", "1"}, {"b", "1"}, {"a", "1"}}, "", `Pods["a"].UID: "1": must be unique`},
		{"without a name", [][2]string{{"", "1"}, {"", "2"}}, "", `Pods[""].Name: "": must be set`},
		{"which does not count", [][2]string{{"a", "1"}, {"", "x"}, {"a", "x"}}, "x", ""},
	} {
		at := func(i int) (name, uid string, counts bool) { return c.list[i][0], c.list[i][1], c.list[i][1] != c.none }
		var unique, noted kplan.FieldErrors
		Unique(&unique, "Pods", len(c.list), at)
		var s, none Identities
		s.Begin(len(c.list))
		for i := range c.list {
			s.Add(at(i))
			none.Add(at(i))
		}
		none.Check(&noted, "Pods", len(c.list), at)
		require.Empty(t, noted, "it has not begun")
		s.Check(&noted, "Pods", len(c.list), at)
		require.Equal(t, unique, noted, c.why)
		if c.want == "" {
			require.NoError(t, unique.Join(), c.why)
			continue
		}
		require.EqualError(t, unique.Join(), c.want, c.why)
	}
}
