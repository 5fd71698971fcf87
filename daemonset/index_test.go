// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A name keeps the number that it was filed under first, which may be 0.
func TestNameIndex(t *testing.T) {
	names := []string{"a", "b", "a", "b"}
	nameOf := func(i int32) string { return names[i] }
	x := newNameIndex(len(names), 1)
	for i, repeated := range []bool{false, false, true, true} {
		x.add(names[i], int32(i), nameOf)
		require.Equal(t, repeated, x.repeated, i)
	}
	for want, name := range names[:2] {
		got, _ := x.find(name, nameOf)
		require.Equal(t, int32(want), got)
	}
	got, _ := x.find("c", nameOf)
	require.Equal(t, int32(-1), got)
}
