// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// Of several instants at which an object is to be looked at again the earliest counts, as
// in the delaying queue of client-go. Else each retry of a pass that fails would add to
// those that wait, until nothing but retries happens.
func TestEarliestAlarmCounts(t *testing.T) {
	w := newWorld(1, Faults{})
	w.addRolloutControllers(kruise.Options{})
	c := w.controllers[0]
	for _, d := range []time.Duration{5 * time.Second, 7 * time.Second, 2 * time.Second, 2 * time.Second} {
		c.wakeAt(w.now.Add(d), "web")
	}
	require.Len(t, w.agenda.entries, 2, "that of 5 s, which 2 s replaced, is passed over")
	woken := func() bool {
		w.performNext()
		woken := c.queue.len() > 0
		c.queue.clear()
		return woken
	}
	require.True(t, woken())
	require.Equal(t, 2*time.Second, w.now.Sub(Epoch))
	c.wakeAt(w.now.Add(time.Minute), "web")
	require.False(t, woken(), "at 5 s")
	require.True(t, woken())
	require.Equal(t, 62*time.Second, w.now.Sub(Epoch))

	c.wakeAt(w.now.Add(7*time.Second), "web")
	c.wakeAt(w.now.Add(2*time.Second), "web")
	require.True(t, woken())
	c.wakeAt(w.now.Add(5*time.Second), "web") // which was there, and is again
	require.True(t, woken())
	require.False(t, woken(), "twice at an instant")
}

// In a strict world the last plan for an object says when the next is wanted, and nothing
// happens at the instants that the plans before it had named.
func TestLastAlarmCounts(t *testing.T) {
	r := begin(finished(t, deployment("old", 1, rollout.Int(1), rollout.Int(0))), Config{})
	w, c := r.world, r.replicaSets()
	for w.act() {
	}
	for _, d := range []time.Duration{5 * time.Second, 2 * time.Second, 7 * time.Second} {
		c.wakeAt(w.now.Add(d), "web-old")
	}
	at, ok := w.nextEvent()
	require.True(t, ok)
	require.Equal(t, 7*time.Second, at.Sub(w.now))
	c.wakeAt(time.Time{}, "web-old")
	_, ok = w.nextEvent()
	require.False(t, ok, "nobody wants anything")
	require.Empty(t, w.errands)
}

// An alarm that is set anew again and again is one entry of the agenda, and yet comes where it would have
// come among others of its instant: behind those that were entered before it was set.
func TestAlarmsArePutOff(t *testing.T) {
	r := begin(finished(t, deployment("old", 1, rollout.Int(1), rollout.Int(0))), Config{})
	w, c := r.world, r.replicaSets()
	for w.act() {
	}
	var got []string
	record := func(text string) {
		w.schedule(w.now.Add(9*time.Second), autoscaled, errand{do: func() { got = append(got, fmt.Sprint(text, c.queue.len())) }})
	}
	for d := range 9 {
		c.wakeAt(w.now.Add(time.Duration(d+1)*time.Second-1), "web-old")
	}
	require.Len(t, w.agenda.entries, 1)
	record("before ")
	c.wakeAt(w.now.Add(9*time.Second), "web-old")
	record("after ")
	require.Len(t, w.agenda.entries, 3)
	w.performUntil(w.now.Add(9 * time.Second))
	require.Equal(t, []string{"before 0", "after 1"}, got)
	require.Empty(t, w.errands)
}
