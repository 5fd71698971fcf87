// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Property: where digests differ, they order keys as compareBase does, and where these keys
// differ by no more bits than fit, digests differ.
func TestPropertyDigests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small, most := rapid.Bool().Draw(t, "small"), rapid.SampledFrom([]int64{0, 1, 5}).Draw(t, "most")
		number := func(name string, extremes ...int64) int64 {
			if !small && rapid.IntRange(0, 3).Draw(t, "extreme") == 0 {
				return rapid.SampledFrom(extremes).Draw(t, name)
			}
			return rapid.Int64Range(0, most).Draw(t, name)
		}
		r := ranking{order: &Order{}, exact: rapid.Bool().Draw(t, "exact"), pods: make([]Pod, 20)}
		keys, list := make([]key, len(r.pods)), make([]*key, len(r.pods))
		for i := range keys {
			uid := rapid.SampledFrom([]string{"", "a", "aaaaaaaaa", "aaaaaaaab", "b"}).Draw(t, "UID")
			r.pods[i] = Pod{UID: uid, Name: string(rune('a' + i))}
			keys[i] = key{
				place:      place{health: uint64(number("health", 0, math.MinInt64)), later: uint64(number("later", 1<<40)), index: int32(i)},
				readySince: number("ready", math.MinInt64, math.MinInt64+1, math.MaxInt64), created: rapid.SampledFrom([]int64{0, 1, 2, 3, math.MaxInt64, math.MinInt64}[:4+rapid.IntRange(0, 2).Draw(t, "times")]).Draw(t, "created"),
				restarts: int32(number("restarts", math.MinInt32, math.MaxInt32)), sidecars: int32(number("sidecars", math.MaxInt32)),
				prefix: uidPrefix(uid),
			}
			// As an order makes them: the age is that of the time, later ones first.
			if keys[i].createdAge = noAge; keys[i].created != math.MinInt64 {
				keys[i].createdAge = int8(-min(keys[i].created, 5) / 2)
			}
			list[i] = &keys[i]
		}
		digests := r.digests(list)
		for i := range digests {
			for j := range digests {
				a, b := &digests[i], &digests[j]
				if c := r.compareBase(a.key, b.key); a.number < b.number && c >= 0 || a.number > b.number && c <= 0 {
					t.Fatalf("%+v %x and %+v %x compare as %d", *a.key, a.number, *b.key, b.number, c)
				}
				if small && r.compareGroup(&a.key.place, &b.key.place) != 0 && a.number == b.number {
					t.Fatalf("%+v and %+v have one digest", *a.key, *b.key)
				}
			}
		}
	})
}
