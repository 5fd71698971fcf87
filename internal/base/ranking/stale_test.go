// SPDX-License-Identifier: Apache-2.0

package ranking

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

// TestStale: a list takes more nodes or rows than its pods need once most pods that shared them have
// gone. It is built again then, but only once if its pods need as many.
func TestStale(t *testing.T) {
	for _, c := range []struct {
		why          string
		onNode, keep int // of so many pods one stays
		several      int // so many nodes keep all of theirs
		stale        bool
	}{
		{"each on a node of its own", 1, 1, 0, false},
		{"two on a node", 2, 1, 0, false},
		{"30 on a node", 30, 1, 0, false},
		{"all on one node", 1 << 20, 1, 0, false},
		{"one of two has gone", 2, 2, 0, true},
		{"one of two has gone, but of some", 2, 2, 40, true},
		{"one of each row stays", 1 << 20, maxRow, 0, true},
	} {
		pods, now := &Pods{}, time.Unix(1e9, 0)
		for i := range 9600 {
			pods.Add(&podorder.Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint("u", i), NodeName: fmt.Sprint("n", i/c.onNode), Phase: podorder.Running, Ready: true, ReadySince: now})
		}
		all := make([]*podorder.Pod, pods.Len())
		for i := range all {
			all[i] = pods.At(i)
		}
		related := func(*podorder.Pod) bool { return true }
		l := New(pods, related, func(int) bool { return true }, now, now.UnixNano())
		for i, p := range all {
			if i%c.keep > 0 && i >= c.several*c.onNode {
				at := pods.Find(p.Name)
				l.Remove(pods, at)
				pods.Remove(at)
			}
		}
		again := func() {
			for i := range 2 * pods.Len() { // they change as well
				l.Leave(pods, i%pods.Len())
				l.Enter(pods, i%pods.Len(), true)
			}
		}
		again()
		require.Equal(t, c.stale, l.Stale(pods.Len()), c.why)
		l = New(pods, related, func(int) bool { return true }, now, now.UnixNano())
		again()
		require.False(t, l.Stale(pods.Len()), "%s, once built again", c.why)
	}
}
