package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		woken := len(c.queue) > 0
		c.queue = nil
		return woken
	}
	require.True(t, woken())
	require.Equal(t, 2*time.Second, w.now.Sub(Epoch))
	c.wakeAt(w.now.Add(time.Minute), "web")
	require.False(t, woken(), "at 5 s")
	require.True(t, woken())
	require.Equal(t, 62*time.Second, w.now.Sub(Epoch))
}
