// SPDX-License-Identifier: Apache-2.0

package field_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/field"
)

func TestDuplicate(t *testing.T) {
	for _, c := range []struct {
		name, why string
		texts     []string
		want      string // the repeated text
		found     bool
	}{
		{"none", "no elements", nil, "", false},
		{"one", "one element has no partner", []string{"a"}, "", false},
		{"different", "no pair", []string{"a", "b", "c"}, "", false},
		{"pair", "the smallest case", []string{"a", "a"}, "a", true},
		{"apart", "the two are not neighbours", []string{"b", "a", "c", "b"}, "b", true},
		{"triple", "three are a pair as well", []string{"a", "a", "a"}, "a", true},
		{"smallest", "of two pairs the smaller text is reported", []string{"z", "b", "z", "b"}, "b", true},
		{"smallest first", "whichever is seen first", []string{"b", "b", "z", "z"}, "b", true},
		{"empty", "empty texts are not compared", []string{"", "", ""}, "", false},
		{"empty and pair", "but do not hide others", []string{"", "x", "", "x"}, "x", true},
		{"two orders", "those that ascend by name are followed by one that only is longer", []string{"a", "aa", "ab", "b", "aa"}, "aa", true},
		{"same slot", "all of these hash to one slot of the table", collisions(6), "", false},
		{"same slot, pair", "and a pair is found among them", append(collisions(6), collisions(4)[3]), collisions(4)[3], true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			i, j, found := field.Duplicate(len(c.texts), func(i int) string { return c.texts[i] })
			require.Equal(t, c.found, found)
			if !found {
				require.Zero(t, i)
				require.Zero(t, j)
				return
			}
			require.NotEqual(t, i, j)
			require.Equal(t, c.want, c.texts[i])
			require.Equal(t, c.want, c.texts[j])
		})
	}
}

// collisions returns n different texts with equal last 5 bits of their hash, the
// slot in a table for 8 to 15 elements and less.
func collisions(n int) []string {
	var texts []string
	for i := 0; len(texts) < n; i++ {
		if text := strconv.Itoa(i); field.Hash(text)&31 == 7 {
			texts = append([]string{text}, texts...) // descending, or the table is not needed
		}
	}
	return texts
}

// Different texts with the same hash are no pair, and hide none.
func TestDuplicateEqualHash(t *testing.T) {
	texts, pairs := map[uint32]string{}, 0
	for i := 0; pairs < 3; i++ {
		b := strconv.Itoa(i)
		a, ok := texts[field.Hash(b)]
		texts[field.Hash(b)] = b
		if !ok {
			continue
		}
		pairs++
		for want, list := range map[string][]string{
			"": {"z", "y", b, "x", a, "w"},
			a:  {"z", "y", b, "x", a, "w", a},
			b:  {"z", "y", b, "x", a, "w", b},
		} {
			i, j, found := field.Duplicate(len(list), func(i int) string { return list[i] })
			require.Equal(t, want != "", found, "%q of %q", want, list)
			if found {
				require.NotEqual(t, i, j)
				require.Equal(t, []string{want, want}, []string{list[i], list[j]})
			}
		}
	}
}

// Property: the reported text is the smallest that occurs twice, found the slow
// way, for every order of the elements.
func TestDuplicateOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		texts := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 40), func(i int) string {
			if i == 0 {
				return ""
			}
			return fmt.Sprintf("web-%d", i)
		}), n, n).Draw(t, "texts")
		want, wantFound := "", false
		for i, a := range texts {
			for _, b := range texts[:i] {
				if a == b && a != "" && (!wantFound || a < want) {
					want, wantFound = a, true
				}
			}
		}
		counted := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
		for _, order := range [][]string{
			texts, rapid.Permutation(texts).Draw(t, "order"), slices.Sorted(slices.Values(texts)),
			slices.SortedFunc(slices.Values(texts), counted), slices.Compact(slices.Sorted(slices.Values(texts))),
		} {
			wantFound := wantFound && len(order) == len(texts) // of the compact one all differ
			i, j, found := field.Duplicate(len(order), func(i int) string { return order[i] })
			if found != wantFound {
				t.Fatalf("found is %v, want %v", found, wantFound)
			}
			if found && (i == j || order[i] != want || order[j] != want) {
				t.Fatalf("got %d %q and %d %q, want %q", i, order[i], j, order[j], want)
			}
		}
	})
}

func TestDuplicateAllocations(t *testing.T) {
	names := makeNames(10_000)
	slices.Reverse(names)
	allocs := testing.AllocsPerRun(10, func() {
		field.Duplicate(len(names), func(i int) string { return names[i] })
	})
	require.LessOrEqual(t, allocs, 4.0, "marks, bits, and what has the same bit")
}

func BenchmarkDuplicate(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			names := makeNames(n)
			shuffled := makeNames(n)
			rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for order, names := range map[string][]string{"ascending": names, "shuffled": shuffled} {
				b.Run(order, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, _, found := field.Duplicate(n, func(i int) string { return names[i] }); found {
							b.Fatal("the names are unique")
						}
					}
				})
			}
		})
	}
}

func makeNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("web-7d4c665cf7-%05d", i)
	}
	return names
}
