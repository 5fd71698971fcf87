// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/invariant"
	"github.com/kplan-go/kplan/internal/properties"
	"github.com/kplan-go/kplan/internal/random"
)

// room is what the checks know about planners of DaemonSets.
var room = properties.Room[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{
	Package: "daemonsettest", Prefix: "DaemonSet",
	Draw:      draw,
	Options:   options,
	Reference: daemonset.Reconcile,
	Fair:      invariant.RunDaemonSet,
	Actions:   func(p *daemonset.Plan) int { return len(p.Actions) },
	Apply: func(p *daemonset.Plan, from, to int, s daemonset.Snapshot, now time.Time) (daemonset.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish:  func(s *daemonset.Snapshot, p *daemonset.Plan) { s.DaemonSet.Status, s.Backoff = p.Status, p.Backoff },
	Derive:  derive,
	Derived: derived,
	Begin:   func(s *daemonset.Snapshot) { s.Unseen = false }, // the truth is seen
	World:   world,

	Withheld: withheld,
}

// draw draws a DaemonSet. A kubelet reports no pod as ready whose readiness gate is closed,
// so of those that a cluster shows none is.
func draw(s random.Source, kind random.Kind) daemonset.Snapshot {
	snapshot := random.DaemonSet(s, kind)
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		if closed := p.InPlace != nil && !p.InPlace.True; closed && kind == random.Midway {
			p.Ready, p.ReadySince = false, time.Time{}
		}
	}
	return snapshot
}

// withheld names what is not promised.
//
// States may come back: with PartitionCreatesOld a pod that is replaced comes back as it was,
// of the old template; and an orphan is a state more from its adoption until it is deleted.
//
// An update that leaves nodes out (a partition, a selector of nodes, a pause, a hook that
// holds pods) leaves those which have not come about first. After a crash in the middle of a
// plan they may be others, so that the end may differ. So it may where a node has several
// pods, or a pod is on a node that is not there, as Anything has: which goes first decides
// what stays. The bounds hold after every prefix all the same.
func withheld(v invariant.Violation, s *daemonset.Snapshot, o *daemonset.Options) bool {
	d := &s.DaemonSet
	switch v.Name {
	case "no repeated state":
		return o.PartitionCreatesOld || slices.ContainsFunc(s.Pods, func(p daemonset.Pod) bool { return p.ControllerUID == "" })
	case "bounds after every prefix":
		leavesOut := !d.Partition.IsZero() || d.NodeSelector != nil || d.Paused || d.PreDelete != nil || o.PartitionCreatesOld
		return (leavesOut || crowded(s)) && strings.Contains(v.Detail, " the end is ")
	}
	return false
}

// crowded tells that a node has several pods, or that a pod is on none that is there.
func crowded(s *daemonset.Snapshot) bool {
	free := map[string]bool{}
	for i := range s.Nodes {
		free[s.Nodes[i].Name] = true
	}
	for i := range s.Pods {
		node := nodeOf(&s.Pods[i])
		if !free[node] {
			return true
		}
		free[node] = false
	}
	return false
}

// options draws policies, and no repair or all: the invariants know which quirks of
// upstream explain what they find by default, and that none is left with all repairs.
func options(s random.Source) daemonset.Options {
	o := random.DaemonSetOptions(s)
	o.Repair = random.OneOf(s, "all repairs", 0, daemonset.RepairAll)
	return o
}
