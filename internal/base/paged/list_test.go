// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func all[T any](l *List[T]) (items []T) {
	for i := range l.Len() {
		items = append(items, l.At(i))
	}
	return items
}

// TestPropertyList: a list and its clones, and clones of those, are what slices would be.
func TestPropertyList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 255, 256, 257, 600}).Draw(t, "n")
		lists, want := []*List[int]{{}}, [][]int{make([]int, n)}
		*lists[0] = Make[int](n)
		for range 60 {
			k := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
			l := lists[k]
			switch v := rapid.IntRange(0, 1000).Draw(t, "v"); rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				l.Append(v)
				want[k] = append(want[k], v)
			case 1, 2:
				if len(want[k]) > 0 {
					i := v % len(want[k])
					if v%2 == 0 {
						l.Set(i, v)
					} else {
						*l.Ref(i) = v
					}
					want[k][i] = v
				}
			case 3:
				for range min(len(want[k]), v%300) {
					l.Drop()
					want[k] = want[k][:len(want[k])-1]
				}
			case 4:
				c := l.Clone()
				lists, want = append(lists, &c), append(want, slices.Clone(want[k]))
			}
		}
		for k, l := range lists {
			if got := all(l); !slices.Equal(got, want[k]) {
				t.Fatalf("list %d of %d:\n%v\nwant\n%v", k, len(lists), got, want[k])
			}
		}
	})
}

// TestShrinks: what a list of which most has gone takes is about what is left.
func TestShrinks(t *testing.T) {
	l := Make[int](100_000)
	before := l.Clone()
	for l.Len() > 1_000 {
		l.Drop()
	}
	require.LessOrEqual(t, cap(l.pages), 4*len(l.pages))
	for l.Len() > 10 {
		l.Drop()
	}
	require.LessOrEqual(t, cap(l.pages[0].items), 40)
	require.Equal(t, make([]int, 100_000), all(&before))
}

// TestClone: a clone costs the same whatever is in it, and the first write to it a page and
// the list of pages.
func TestClone(t *testing.T) {
	l := Make[int](1_000_000)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = l.Clone() }), 3.0)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		c := l.Clone()
		for i := range size {
			c.Set(i, 1)
		}
	}), 5.0)
}
