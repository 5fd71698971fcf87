// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
)

// A DaemonUpdate is an update of a DaemonSet on unknown nodes. Only the nodes decide where it runs,
// on how many nodes, and for how long.
type DaemonUpdate struct {
	DaemonSet daemonset.DaemonSet
	New       bool // it has no pods yet
	Rolls     bool // to another template
}

// Verdict returns the result for the DaemonSet.
func (u DaemonUpdate) Verdict() Verdict {
	switch {
	case u.New:
		return Starts
	case u.Unfinished() != "":
		return Fails
	case u.Rolls:
		return Rolls
	}
	return Stays
}

// Unfinished returns the reason why the update will not be completed, or "".
func (u DaemonUpdate) Unfinished() string {
	d := &u.DaemonSet
	switch {
	case u.New || !u.Rolls:
		return ""
	case d.Strategy == daemonset.OnDelete:
		return "the update rests: old pods go when somebody deletes them"
	case d.Paused:
		return "the update rests: it is paused"
	case d.Partition != rollout.IntOrPercent{} && d.Partition != rollout.Int(0):
		return "the update rests: the partition keeps " + d.Partition.String() + " of the nodes as they are"
	case d.NodeSelector != nil:
		return "the update rests: it is for some nodes alone"
	}
	return ""
}

// How describes where the DaemonSet rolls, and how much of it at once.
func (u DaemonUpdate) How() string {
	const text = "each node that it matches"
	d := &u.DaemonSet
	surge := d.MaxSurge
	if surge == (rollout.IntOrPercent{}) && d.RollingType == daemonset.Surging {
		surge = rollout.Int(1)
	}
	switch v := u.Verdict(); {
	case v != Rolls && v != Starts:
		return ""
	case v == Starts:
		return text
	case surge != rollout.IntOrPercent{} && surge != rollout.Int(0) && surge != rollout.Percent(0):
		return text + ", at most " + surge.String() + " with a second pod"
	}
	return text + ", at most " + cmp.Or(d.MaxUnavailable, rollout.Int(1)).String() + " without a pod"
}
