// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pagesAreLarge: a list that has shrunk takes about what is left: its pages do not become small,
// but the last one, which has perhaps just begun, and have not much room.
func pagesAreLarge(t require.TestingT, s *Sorted) {
	pages := s.list.pages
	for k := range pages {
		if k < len(pages)-1 {
			require.GreaterOrEqual(t, len(pages[k].items), size/4)
		}
		require.LessOrEqual(t, cap(pages[k].items), 2*size)
	}
	require.LessOrEqual(t, cap(pages), max(16, 4*len(pages)))
}

// TestSortedShrinks: numbers leave from all pages, from the first ones and from the last ones.
func TestSortedShrinks(t *testing.T) {
	const n, left = 100_000, 1_000
	for _, number := range []func(int) int{
		func(i int) int { return i * 7919 % n }, func(i int) int { return i }, func(i int) int { return n - 1 - i },
	} {
		var s Sorted
		for i := range n {
			s.Add(int32(i), cmp.Compare[int32])
		}
		full := len(s.list.pages)
		require.LessOrEqual(t, full, n/size+1, "numbers in order fill their pages")
		before := s.Clone()
		var want []int32
		for i := range n {
			if v := int32(number(i)); i < n-left {
				s.Remove(v, cmp.Compare[int32])
			} else {
				want = append(want, v)
			}
		}
		pagesAreLarge(t, &s)
		require.Len(t, before.list.pages, full)
		require.Equal(t, n, len(slices.Collect(before.All)))
		slices.Sort(want)
		require.Equal(t, want, slices.Collect(s.All))
		for _, v := range want[1:] {
			s.Remove(v, cmp.Compare[int32])
		}
		require.LessOrEqual(t, cap(s.list.pages[0].items), 16)
	}
}

// TestPropertySorted: a sorted list, a bag and clones of them hold what sets would.
func TestPropertySorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type lists struct {
			sorted Sorted
			bag    Bag
			places map[int]int32
			want   []int32
		}
		all, most := []*lists{{places: map[int]int32{}}}, rapid.SampledFrom([]int32{10, 3000}).Draw(t, "most")
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			l := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			put := func(item int, place int32) { l.places[item] = place }
			from, n := rapid.Int32Range(0, most).Draw(t, "from"), rapid.Int32Range(1, most).Draw(t, "n")
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 5:
				places := map[int]int32{}
				for k, v := range l.places {
					places[k] = v
				}
				all = append(all, &lists{l.sorted.Clone(), l.bag.Clone(), places, slices.Clone(l.want)})
			default:
				for v := from; v < from+n; v++ {
					if at, there := slices.BinarySearch(l.want, v); !there && what < 3 {
						l.want = slices.Insert(l.want, at, v)
						l.sorted.Add(v, cmp.Compare[int32])
						l.bag.Add(int(v), put)
					} else if there && what >= 3 {
						l.want = slices.Delete(l.want, at, at+1)
						l.sorted.Remove(v, cmp.Compare[int32])
						l.bag.Cut(l.places[int(v)], put)
					}
				}
			}
		}
		for _, l := range all {
			pagesAreLarge(t, &l.sorted)
			var got, bag []int32
			for v := range l.sorted.All {
				got = append(got, v)
			}
			first := rapid.IntRange(-1, len(l.want)+1).Draw(t, "first")
			if list := l.sorted.AppendFirst([]int32{-1}, first); !slices.Equal(list[1:], l.want[:min(max(first, 0), len(l.want))]) {
				t.Fatalf("the first %d are %v, want those of %v", first, list, l.want)
			}
			bag = l.bag.AppendTo(nil)
			for k := range l.bag.Len() {
				if l.places[l.bag.At(k)] != int32(k+1) {
					t.Fatalf("%d is not at %d", l.bag.At(k), l.places[l.bag.At(k)])
				}
			}
			from, _ := slices.BinarySearch(l.want, most/2)
			if behind := slices.Collect(l.sorted.From(func(v int32) bool { return v < most/2 })); !slices.Equal(behind, slices.Clone(l.want[from:])) {
				t.Fatalf("from %d: %v, want %v", most/2, behind, l.want[from:])
			}
			if slices.Sort(bag); !slices.Equal(got, l.want) || !slices.Equal(bag, l.want) || l.sorted.Len() != len(l.want) {
				t.Fatalf("%v and %v, want %v", got, bag, l.want)
			}
		}
	})
}
