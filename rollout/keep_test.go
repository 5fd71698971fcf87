// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

func ExampleKeepLimit() {
	sets := []rollout.Set{{Wanted: 3}, {Wanted: 5}, {Wanted: 2}} // of 10, of which 2 may be new
	fmt.Println(rollout.KeepLimit(sets, []int32{6, 10, 4}, 2, 3))
	// Output: [6 11 3]
}

func ExampleKeepAvailable() {
	sets := []rollout.Set{{Wanted: 6, Available: 6}, {Wanted: 6}} // the new template does not start
	b := rollout.Budget{Replicas: 6, Unavailable: 1}
	fmt.Println(rollout.KeepAvailable(b, sets, []int32{3, 3}, rollout.Counting{}))
	// Output: [5 1]
}

func TestKeepLimit(t *testing.T) {
	sets := []rollout.Set{{Wanted: 2}, {Wanted: 2}, {}, {Wanted: 3}}
	for _, c := range []struct {
		why         string
		sizes       []int32
		newest      int
		limit       int32
		want        []int32
		onlyTheLast bool
	}{
		{"within the limit", []int32{4, 4, 0, 5}, 3, 5, []int32{4, 4, 0, 5}, false},
		{"what is too much goes to the largest", []int32{4, 5, 0, 7}, 3, 5, []int32{4, 7, 0, 5}, false},
		{"to the first of several", []int32{4, 4, 0, 7}, 3, 5, []int32{6, 4, 0, 5}, false},
		{"not to one that wants none", []int32{0, 0, 9, 7}, 3, 5, []int32{2, 0, 9, 5}, false},
		{"it keeps what it has beyond the limit", []int32{4, 4, 0, 7}, 3, 1, []int32{8, 4, 0, 3}, false},
		{"there is no new set", []int32{4, 4, 0, 7}, -1, 1, []int32{4, 4, 0, 7}, false},
		{"nor any other", []int32{7}, 0, 1, []int32{7}, true},
		{"sizes end at the range", []int32{math.MaxInt32, 0, 0, 7}, 3, 5, []int32{math.MaxInt32, 0, 0, 5}, false},
	} {
		from := sets
		if c.onlyTheLast {
			from = sets[3:]
		}
		require.Equal(t, c.want, rollout.KeepLimit(from, c.sizes, c.newest, c.limit), c.why)
	}
}

func TestKeepAvailable(t *testing.T) {
	for _, c := range []struct {
		why         string
		unavailable int32
		sets        []rollout.Set
		sizes, want []int32
	}{
		{"enough stay", 5, []rollout.Set{{Wanted: 5, Available: 5}, {Wanted: 5}}, []int32{5, 5}, []int32{5, 5}},
		{"as many as must", 6, []rollout.Set{{Wanted: 5, Available: 5}, {Wanted: 5}}, []int32{3, 3}, []int32{4, 2}},
		{"all that are, if that is less", 1, []rollout.Set{{Wanted: 5, Available: 5}, {Wanted: 5}}, []int32{3, 3}, []int32{5, 1}},
		{"the last set gives first", 0, []rollout.Set{{Wanted: 2, Available: 2}, {Wanted: 5}, {Wanted: 5}}, []int32{1, 4, 4}, []int32{2, 4, 3}},
		{"the first set keeps first", 8, []rollout.Set{{Wanted: 2, Available: 2}, {Wanted: 2, Available: 2}, {Wanted: 5}}, []int32{1, 0, 3}, []int32{2, 0, 2}},
		{"what is reported beyond what is wanted is not there", 0, []rollout.Set{{Wanted: 2, Available: 9}, {Wanted: 5}}, []int32{1, 4}, []int32{2, 3}},
	} {
		b := rollout.Budget{Replicas: 10, Unavailable: c.unavailable}
		require.Equal(t, c.want, rollout.KeepAvailable(b, c.sets, c.sizes, rollout.Counting{}), c.why)
	}
}

func sum(sizes []int32) (n int64) {
	for _, size := range sizes {
		n += int64(size)
	}
	return n
}

// What is kept is the sum, the limit and the minimum; and where nothing is to be mended,
// everything.
func TestPropertyKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "sets")
		sets, sizes := make([]rollout.Set, n), make([]int32, n)
		available := int64(0)
		for i := range sets {
			sets[i].Wanted = rapid.Int32Range(1, 9).Draw(t, "wanted")
			sets[i].Available = rapid.Int32Range(0, sets[i].Wanted).Draw(t, "available")
			sizes[i] = rapid.Int32Range(0, 12).Draw(t, "size")
			available += int64(sets[i].Available)
		}
		total, limit := sum(sizes), rapid.Int32Range(0, 9).Draw(t, "limit")
		limited := rollout.KeepLimit(sets, sizes, n-1, limit)
		if sum(limited) != total || limited[n-1] > max(limit, sets[n-1].Wanted) || limited[n-1] > sizes[n-1] {
			t.Fatalf("limit %d: %v of %v become %v", limit, sizes, sets, limited)
		}
		b := rollout.Budget{Replicas: int32(total)}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		kept, stay := rollout.KeepAvailable(b, sets, sizes, rollout.Counting{}), int64(0)
		for i, s := range sets {
			stay += int64(min(s.Available, kept[i]))
		}
		if sum(kept) != total || stay < min(int64(b.MinAvailable()), available) {
			t.Fatalf("%v: %v of %v become %v", b, sizes, sets, kept)
		}
	})
}
