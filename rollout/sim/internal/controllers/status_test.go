// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// TestStatusAfterConflict: somebody writes an object whenever its controller is about to write, but not
// between a conflict and the next request. So each status is refused once, and then written: the second
// request demands the version that the object has by then.
func TestStatusAfterConflict(t *testing.T) {
	for name, start := range map[string]func() (h *harness, touch func()){
		"ReplicaSet": func() (*harness, func()) {
			h := newHarness(t, 1, trouble.Rates{}, newReplicaSetController)
			aReplicaSet(h, "web", "web", 2)
			return h, func() { put(h, &h.ReplicaSets, "web", func(*replicaset.ReplicaSet) {}) }
		},
		"DaemonSet": func() (*harness, func()) {
			h := onNodes(t, 2, daemonset.DaemonSet{})
			return h, func() { put(h, &h.DaemonSets, "agent", func(*store.DaemonSet) {}) }
		},
		"CloneSet": func() (*harness, func()) {
			h := newHarness(t, 1, trouble.Rates{}, newSetController)
			aSet(h, cloneSets, 2, 1)
			return h, func() { put(h, &h.Sets, "web", func(*store.Set) {}) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, touch := start()
			written, refused := 0, 0
			h.Observe(func(w store.Write) {
				if w.Verb == store.UpdateStatus {
					written++
				}
			})
			h.Meanwhile = func() {
				if n := h.Trouble.Counts[trouble.AnsweredConflict]; n > refused {
					refused = n
				} else {
					touch()
				}
			}
			h.settle()
			require.NotZero(t, written)
			require.Equal(t, written, h.Trouble.Counts[trouble.AnsweredConflict])
		})
	}
}
