// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
)

// surges reports whether a node may have two pods.
func surges(d *DaemonSet) bool {
	old := d.RollingType == daemonset.Surging && d.MaxSurge.IsZero() // stands for a surge of 1
	return daemonset.SurgeAllowed(d.Strategy, d.MaxSurge) || old && d.Strategy != daemonset.OnDelete
}

func (g *guard) daemonSet(p Planned[daemonset.Snapshot, daemonset.Options, daemonset.Plan]) error {
	g.kruise[p.By] = p.Options.Dialect == daemonset.OpenKruise
	return nil
}

// daemonCreated: a node has one pod of a DaemonSet that is not going, two with surge.
// In OpenKruise a marked pod is on its way, as one is that is being deleted: with surge
// it gets a successor at once, whether the hook still holds it or the same plan deletes it.
func (g *guard) daemonCreated(e *Write, a daemonset.CreatePod) error {
	if !e.Fresh || !e.Corrected {
		return nil
	}
	d := e.After.DaemonSets[0]
	g.checked["pods of a node"]++
	n, limit := 0, 1
	if surges(d) {
		limit = 2
	}
	for _, p := range e.After.Daemons {
		if limit == 2 && g.kruise[e.By] && p.Labels[daemonset.LabelState] == daemonset.StatePreparingDelete {
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
func (g *guard) daemonDeleted(e *Write, a daemonset.DeletePod) error {
	d := e.After.DaemonSets[0]
	if e.Fresh && d.PreDelete != nil {
		g.checked["hook"]++
		if d.PreDelete.Holds(find(&daemonTable, e.Before.Daemons, a.Name)) {
			return fmt.Errorf("hook: %v, which the hook holds", a)
		}
	}
	if !e.Fresh || !e.Corrected || a.Reason != daemonset.ReasonRollout || surges(d) {
		return nil
	}
	if d.NodeSelector != nil || d.Partition.Of(math.MaxInt16) != 0 {
		return nil // nodes that these leave out do not count, as upstream has it
	}
	g.checked["unavailable nodes"]++
	placer := daemonset.NewPlacer(&d.Template, daemonset.Options{Repair: daemonset.RepairAll})
	desired := int32(0)
	count := func(s *State) (missing int32) {
		desired = 0
		for _, n := range s.Nodes {
			if !placer.Place(&n.Node).ShouldRun {
				continue
			}
			desired++
			if n.NotReady { // dead ones may be skipped
				continue
			}
			available := false
			for _, p := range s.Daemons {
				available = available || p.ControllerUID == d.UID && p.NodeName == n.Name && p.DeletionTimestamp.IsZero() &&
					p.Available(d.MinReadySeconds, e.Planned)
			}
			if !available {
				missing++
			}
		}
		return missing
	}
	before, after := count(&e.Before), count(&e.After)
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

var daemonTable = table[daemonset.Pod]{key: func(p *daemonset.Pod) key { return key{name: &p.Name} }}
