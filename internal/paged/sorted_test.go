// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
