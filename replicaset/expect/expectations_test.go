// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/replicaset/expect"
)

var t0 = noon

// TestExpectationsTrace is the worked trace: a pod counts once however often it is
// seen, and a new expectation forgets the old one.
func TestExpectationsTrace(t *testing.T) {
	e := expect.Deletions([]string{"b", "a", "a"}, t0)
	require.Equal(t, int64(2), e.Deletions)
	require.Equal(t, []string{"a", "b"}, e.Pending)
	require.True(t, e.DeletionObserved("c").Equal(e), "a pod that is not expected")
	e = e.DeletionObserved("a").DeletionObserved("a")
	require.Equal(t, int64(1), e.Deletions)
	e = expect.Creations(1, t0)
	require.Equal(t, expect.Expectations{Creations: 1, At: t0}, e)
	require.True(t, e.DeletionObserved("b").Equal(e), "forgotten")
	require.True(t, e.CreationObserved().Satisfied(t0))
	require.Equal(t, int64(-1), e.CreationObserved().CreationObserved().Creations, "more were seen than expected")

	require.Equal(t, expect.Expectations{}, expect.Expectations{}.Raise(3, 4).CreationObserved(), "nothing was ever set")
	e = e.Raise(2, 5)
	require.Equal(t, []int64{3, 5}, []int64{e.Creations, e.Deletions})
	e = e.Lower(4, 1)
	require.Equal(t, []int64{-1, 4}, []int64{e.Creations, e.Deletions})
	require.False(t, e.Fulfilled())
	require.False(t, e.Equal(expect.Expectations{}))
}

func TestExpectationsTimeout(t *testing.T) {
	e := expect.Creations(3, t0)
	for _, c := range []struct {
		after, remaining time.Duration
		satisfied        bool
	}{
		{0, 5*time.Minute + 1, false}, {time.Minute, 4*time.Minute + 1, false}, {5 * time.Minute, 1, false}, {5*time.Minute + 1, 0, true}, {time.Hour, 0, true}, {-time.Hour, 65*time.Minute + 1, false},
	} {
		require.Equal(t, c.satisfied, e.Satisfied(t0.Add(c.after)), c.after)
		require.Equal(t, c.remaining, e.Remaining(t0.Add(c.after)), c.after)
	}
	require.True(t, expect.Expectations{}.Satisfied(t0))
	require.True(t, expect.Creations(0, t0).Satisfied(t0))
	require.True(t, expect.Expectations{}.Expired(time.Time{}, time.Hour))
}

func TestExpectationsEqual(t *testing.T) {
	e := expect.Deletions([]string{"a"}, t0)
	require.True(t, e.Equal(expect.Deletions([]string{"a", "a"}, t0.Local())))
	require.False(t, e.Equal(expect.Deletions([]string{"b"}, t0)))
	require.False(t, e.Equal(expect.Deletions([]string{"a"}, t0.Add(1))))
	require.Nil(t, e.DeletionObserved("a").Pending, "as after JSON")
}

// Property: so many different deletions, seen in any order and any number of times,
// are met; and a value survives JSON.
func TestPropertyExpectations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names, seen []string
		for i := range rapid.IntRange(0, 9).Draw(t, "n") {
			name := fmt.Sprint("p", i)
			names = append(names, name)
			for range rapid.IntRange(1, 3).Draw(t, "times") {
				seen = append(seen, name)
			}
		}
		e := expect.Deletions(names, t0)
		before := fmt.Sprint(e)
		left := e
		for i, name := range rapid.Permutation(seen).Draw(t, "seen") {
			if left.Fulfilled() != (len(left.Pending) == 0) || int(left.Deletions) != len(left.Pending) {
				t.Fatalf("after %d: %+v", i, left)
			}
			left = left.DeletionObserved(name)
		}
		if !left.Fulfilled() || fmt.Sprint(e) != before {
			t.Fatalf("%+v of %s", left, before)
		}
		text, err := json.Marshal(e)
		var back expect.Expectations
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || !back.Equal(e) {
			t.Fatalf("%v: %s", err, text)
		}
	})
}

// A model is an expectation as upstream keeps it: two counters, a set of keys, and a time. A new
// expectation replaces all of it.
type model struct {
	creations, deletions int
	keys                 map[string]bool
	set                  bool
	at                   time.Time
}

func (m *model) satisfied(now time.Time) bool {
	return !m.set || m.creations <= 0 && m.deletions <= 0 || now.After(m.at.Add(5*time.Minute))
}

// Property: after any calls, the values are satisfied when the model is, and no receiver changes.
func TestPropertyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, e, now := model{}, expect.Expectations{}, t0
		keys := rapid.SampledFrom([]string{"a", "b", "c"})
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			before, held := fmt.Sprint(e), e
			switch rapid.SampledFrom([]string{"creations", "deletions", "created", "deleted", "deleted", "lower", "raise", "wait"}).Draw(t, "step") {
			case "creations":
				n := rapid.IntRange(0, 3).Draw(t, "n")
				m, e = model{creations: n, set: true, at: now}, expect.Creations(int64(n), now)
			case "deletions":
				list := rapid.SliceOfN(keys, 0, 4).Draw(t, "keys")
				m, e = model{keys: map[string]bool{}, set: true, at: now}, expect.Deletions(list, now)
				for _, key := range list {
					m.keys[key] = true
				}
				m.deletions = len(m.keys)
			case "created":
				m.creations--
				e = e.CreationObserved()
			case "deleted":
				key := keys.Draw(t, "key")
				if m.keys[key] {
					delete(m.keys, key)
					m.deletions--
				}
				e = e.DeletionObserved(key)
			case "lower":
				m.creations, m.deletions = m.creations-1, m.deletions-2
				e = e.Lower(1, 2)
			case "raise":
				m.creations, m.deletions = m.creations+2, m.deletions+1
				e = e.Raise(2, 1)
			case "wait":
				now = now.Add(rapid.SampledFrom([]time.Duration{1, time.Minute, 5 * time.Minute}).Draw(t, "time"))
			}
			if fmt.Sprint(held) != before {
				t.Fatalf("%s was changed to %v", before, held)
			}
			if m.satisfied(now) != e.Satisfied(now) || (e.Remaining(now) > 0) == e.Satisfied(now) || e.Satisfied(e.Expiry()) != true {
				t.Fatalf("%+v and %+v at %s", m, e, now)
			}
			if m.set && e.Outstanding() != int64(max(m.creations, 0)+max(m.deletions, 0)) {
				t.Fatalf("%d of %+v", e.Outstanding(), m)
			}
		}
	})
}
