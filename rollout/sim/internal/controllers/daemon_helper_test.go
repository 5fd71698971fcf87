// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestDaemonHelper: a batch releases all but a partition of 2 of six pods, one of which may be
// unavailable at a time. So four are deleted, 15 seconds after each other. With two unavailable, two
// are deleted at once. Of their successors one becomes ready before the other, if at the same instant:
// the helper deletes one more pod, and the last one two seconds later.
func TestDaemonHelper(t *testing.T) {
	for unavailable, took := range map[int32]time.Duration{1: 4 * 15 * time.Second, 2: 15*time.Second + 2*time.Second + 15*time.Second} {
		h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController, newDaemonHelper)
		h.addNodes(1, 6)
		h.putAgent(daemonset.DaemonSet{Strategy: daemonset.OnDelete, MaxUnavailable: rollout.Int(unavailable)})
		h.settle()
		h.release("v2")
		put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) {
			d.Annotations = map[string]string{workload.AnnotationDaemonSetControl: `{"partition":"2","batch-revision":"v2"}`}
		})
		h.settle(func() { require.GreaterOrEqual(t, len(h.agents(ready)), 6-int(unavailable)) })
		require.Len(t, h.agents(ofVersion("v1")), 2)
		require.Len(t, h.agents(ofVersion("v2")), 4)
		h.took(10*time.Second + took)
	}
}

// TestDaemonHelperWaits: where no pod takes time, it deletes one every two seconds.
func TestDaemonHelperWaits(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController, newDaemonHelper)
	h.Life.SetTemplate("v1", instant())
	h.Life.SetTemplate("v2", instant())
	h.addNodes(1, 4)
	h.putAgent(daemonset.DaemonSet{Strategy: daemonset.OnDelete})
	h.settle()
	h.release("v2")
	put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) {
		d.Annotations = map[string]string{workload.AnnotationDaemonSetControl: `{"partition":"0","batch-revision":"v2"}`}
	})
	var deleted []string
	h.Observe(func(e store.Write) {
		if e.By == store.DaemonHelper {
			deleted = append(deleted, fmt.Sprint(h.Agenda.Now().Sub(agenda.Epoch)))
		}
	})
	h.settle()
	h.everyNode(4, "v2")
	require.Equal(t, []string{"0s", "2s", "4s", "6s"}, deleted)
}
