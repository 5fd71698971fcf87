// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/replicaset/expect"
)

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
		ok   bool
	}{
		{"1", "2", -1, true}, {"10", "9", 1, true}, {"7", "7", 0, true}, {"99999999999999999999999", "1", 1, true},
		{"", "1", 0, false}, {"1", "", 0, false}, {"01", "1", 0, false}, {"0", "1", 0, false}, {"1a", "1", 0, false}, {"-1", "1", 0, false},
	} {
		got, ok := expect.CompareVersions(c.a, c.b)
		require.Equal(t, []any{c.want, c.ok}, []any{got, ok}, "%q %q", c.a, c.b)
	}
}

func TestVersions(t *testing.T) {
	v := expect.Versions{}.WroteChild("u", "12").WroteChild("u", "7").WroteOwner("u", "20").WroteOwner("u", "19")
	require.Equal(t, expect.Versions{OwnerUID: "u", Children: "12", Owner: "20"}, v, "a lower version does not lower the record")
	require.Equal(t, "x", v.WroteChild("u", "x").Children, "one that does not compare replaces it")
	require.Equal(t, expect.Versions{OwnerUID: "other", Children: "3"}, v.WroteChild("other", "3"), "another owner starts with none")
	require.Equal(t, expect.Versions{OwnerUID: "other", Owner: "3"}, v.WroteOwner("other", "3"), "another owner starts with none")
	for _, c := range []struct {
		why  string
		read expect.Versions
		want string // the error, "" if nothing is unseen
	}{
		{"the children are older", expect.Versions{Children: "11", Owner: "21"}, "read version: 11 is not as new as written version: 12 for group resource pods"},
		{"the owner is older", expect.Versions{Children: "12", Owner: "3"}, "read version: 3 is not as new as written version: 20 for group resource pools.example.com"},
		{"both are older", expect.Versions{Children: "3", Owner: "3"}, "read version: 3 is not as new as written version: 12 for group resource pods"},
		{"as new and newer", expect.Versions{Children: "12", Owner: "21"}, ""},
		{"a cache that cannot tell", expect.Versions{}, ""},
		{"not comparable", expect.Versions{Children: "x", Owner: "01"}, ""},
	} {
		u, stale := v.Unseen(c.read)
		require.Equal(t, c.want != "", stale, c.why)
		if stale {
			require.EqualError(t, u.Err("pools.example.com", "pods"), c.want, c.why)
		}
	}
	_, stale := expect.Versions{}.Unseen(expect.Versions{Children: "1", Owner: "1"})
	require.False(t, stale, "nothing was written")
}

func TestUnseenNumbers(t *testing.T) {
	read, written := expect.Unseen{Read: "x", Written: "99999999999999999999999"}.Numbers()
	require.Equal(t, []int64{0, 1<<63 - 1}, []int64{read, written})
}
