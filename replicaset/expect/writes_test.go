// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/replicaset/expect"
)

func TestWrites(t *testing.T) {
	var w expect.Writes[string]
	require.Nil(t, w.Observed("a", "1").Forget("a").Expire(t0, 0))
	w = w.Wrote("a", "20", t0)
	require.Len(t, w.Observed("a", "9"), 1, "numbers, not texts")
	require.Nil(t, w.Observed("a", "20"))
	require.Nil(t, w.Observed("a", "x"), "one that does not compare delays nothing")
	require.Len(t, w.Observed("b", "30"), 1, "another object")
	require.Equal(t, w, w.Wrote("a", "19", t0.Add(time.Minute)), "two workers write, and the first is recorded last")
	require.Equal(t, "x", w.Wrote("a", "x", t0)["a"].Version)
	require.Len(t, w.Expire(t0.Add(time.Second), time.Second), 1)
	require.Nil(t, w.Expire(t0.Add(time.Second+1), time.Second))
}

// Property: after the writes in any order, and while the cache shows older versions, the objects
// of which the cache lacks the last version are left, and no others. A receiver does not change,
// and a value survives JSON.
func TestPropertyWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SampledFrom([]string{"a", "b", "c"})
		var w expect.Writes[string]
		written, shown := map[string]int{}, map[string]int{}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			key, version := keys.Draw(t, "key"), rapid.IntRange(8, 12).Draw(t, "version")
			before := fmt.Sprint(w)
			next := w
			if rapid.Bool().Draw(t, "writes") {
				next = w.Wrote(key, strconv.Itoa(version), t0)
				if version > shown[key] { // the cache is asked after the write
					written[key] = max(written[key], version)
				} else {
					next = next.Observed(key, strconv.Itoa(shown[key]))
				}
			} else {
				next = w.Observed(key, strconv.Itoa(version))
				shown[key] = max(shown[key], version)
			}
			if fmt.Sprint(w) != before {
				t.Fatalf("%s was changed to %v", before, w)
			}
			w = next
		}
		want := slices.Sorted(maps.Keys(written))
		want = slices.DeleteFunc(want, func(key string) bool { return shown[key] >= written[key] })
		if got := slices.Sorted(maps.Keys(w)); !slices.Equal(got, want) {
			t.Fatalf("%v left, not %v", got, want)
		}
		text, err := json.Marshal(w)
		var back expect.Writes[string]
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || !maps.Equal(back, w) {
			t.Fatalf("%v: %s", err, text)
		}
	})
}
