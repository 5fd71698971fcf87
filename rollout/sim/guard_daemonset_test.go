// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"math"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// surges reports whether a node may have two pods.
func surges(d *store.DaemonSet) bool {
	old := d.RollingType == daemonset.Surging && d.MaxSurge.IsZero() // stands for a surge of 1
	return daemonset.SurgeAllowed(d.Strategy, d.MaxSurge) || old && d.Strategy != daemonset.OnDelete
}

// daemonCreated: a node has one pod of a DaemonSet that is not going, two with surge.
// In OpenKruise a marked pod is on its way, as one is that is being deleted: with surge
// it gets a successor at once, whether the hook still holds it or the same plan deletes it.
func (g *guard) daemonCreated(e *written, a daemonset.CreatePod) error {
	if !e.corrected || len(e.after.daemonSets) == 0 {
		return nil
	}
	d := e.after.daemonSets[0]
	g.checked["pods of a node"]++
	n, limit := 0, 1
	if surges(d) {
		limit = 2
	}
	for _, p := range e.after.pods {
		if limit == 2 && e.kruise && p.Labels[daemonset.LabelState] == daemonset.StatePreparingDelete {
			continue
		}
		if p.ControllerUID == d.UID && p.DeletionTimestamp.IsZero() && p.Phase != podorder.Succeeded && (p.NodeName == a.Node || p.NodeName == "" && p.PinnedNode == a.Node) {
			n++
		}
	}
	if n > limit {
		return fmt.Errorf("pods of a node: %v: %d pods on %s, at most %d may be", a, n, a.Node, limit)
	}
	return nil
}

// daemonDeleted: without surge, an update leaves no more nodes without an available pod
// than may be, or than there were. What is available is told by the clock of the
// controller, which may differ from that of the nodes.
func (g *guard) daemonDeleted(e *written, a daemonset.DeletePod) error {
	if len(e.after.daemonSets) == 0 {
		return nil
	}
	d := e.after.daemonSets[0]
	if d.PreDelete != nil {
		g.checked["hook"]++
		if d.PreDelete.Holds(&e.before.pod(a.Name).Pod) {
			return fmt.Errorf("hook: %v, which the hook holds", a)
		}
	}
	if !e.corrected || a.Reason != reason.Rollout || surges(d) {
		return nil
	}
	if d.NodeSelector != nil || d.Partition.Of(math.MaxInt16) != 0 {
		return nil // nodes that these leave out do not count, as upstream has it
	}
	g.checked["unavailable nodes"]++
	placer := daemonset.NewPlacer(&d.Template, daemonset.Options{Repair: quirk.All})
	desired := int32(0)
	count := func(s *state) (missing int32) {
		desired = 0
		for _, n := range s.nodes {
			if !placer.Place(&n.Node.Node).ShouldRun {
				continue
			}
			desired++
			if n.NotReady { // dead ones may be skipped
				continue
			}
			available := false
			for _, p := range s.pods {
				available = available || p.ControllerUID == d.UID && p.NodeName == n.Name && p.DeletionTimestamp.IsZero() &&
					p.Available(d.MinReadySeconds, e.at)
			}
			if !available {
				missing++
			}
		}
		return missing
	}
	before, after := count(&e.before), count(&e.after)
	unavailable := d.MaxUnavailable
	if unavailable.IsZero() {
		unavailable = rollout.Int(1)
	}
	b := daemonset.Resolve(d.Strategy, rollout.Int(0), unavailable, desired)
	if limit := max(before, b.Unavailable); after > limit {
		return fmt.Errorf("unavailable nodes: %v: %d nodes without an available pod, at most %d may be", a, after, limit)
	}
	return nil
}
