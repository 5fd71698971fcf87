// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A kind is one kind of workload that is driven in one way. A new one is a file of its own
// and a row of [kindOf].
type kind interface {
	// pods returns the updated pods, and those of them that are ready.
	pods(w, canary *workload.Workload) (updated, ready int32)
	// count sets what a batch asks for.
	count(c *Context, w *workload.Workload, repair workload.Quirks)
	// returns reports whether it is noticed that the template is the one before the release.
	returns() bool
	// ordered reports whether pods are updated in the order of their ordinals.
	ordered(w *workload.Workload) bool

	// controlled reports whether the BatchRelease drives the workload already.
	controlled(br *Release, w *workload.Workload) bool
	// take adds to a patch what takes the workload over.
	take(p *workload.Patch, w *workload.Workload, repair workload.Quirks)
	// prepare returns what changes the stable ReplicaSet and the autoscaler before that, and
	// create what is to be there before the first batch; nil if nothing is.
	prepare(s *Snapshot) (stableSet, autoscaler Action)
	create(s *Snapshot, repair workload.Quirks) Action

	// held says why a batch may be held back that would release another template, and
	// whether it may.
	held(preparing, marked bool) (Reason, bool)
	// target returns the workload that a batch changes, nil if it is not there, and unobserved
	// what is said while its controller has not seen that, "" if it has.
	target(s *Snapshot) *workload.Workload
	unobserved(s *Snapshot) (kplan.Hold[Reason], string)
	// upgrade returns what releases a batch, and false if nothing is to be written.
	upgrade(c *Context, w, canary *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool, refused Reason)

	// giveBack returns what gives the workload back, and false if nothing is to be written.
	// Keep asks to leave it as it is.
	giveBack(plan *ReleasePlan, w *workload.Workload, keep bool, opts Options) (p workload.Patch, write bool)
	// waits reports whether the release ends only when what was given back has gone on, and
	// resumed what that still has to do.
	waits(plan *ReleasePlan, repair workload.Quirks) bool
	resumed(w *workload.Workload, patched bool) (kplan.Hold[Reason], bool)
	// end returns what changes the autoscaler and the canary behind that; nil if nothing does.
	end(s *Snapshot) (autoscaler, canary Action)
}

// kindOf returns the kind of a driver, nil if there is none. The strategy is that of the annotation of
// the workload, nil if it has not been read.
func kindOf(d workload.Driver) kind {
	switch d {
	case workload.DriverDeployment:
		return deployment{}
	case workload.DriverCloneSet:
		return cloneSet{}
	case workload.DriverStatefulSet:
		return statefulSet{}
	case workload.DriverDaemonSet:
		return daemonSet{}
	case workload.DriverNativeDaemonSet:
		return nativeDaemonSet{}
	case workload.DriverCanary:
		return canary{}
	case workload.DriverBlueGreenDeployment:
		return blueGreenDeployment{}
	case workload.DriverBlueGreenCloneSet:
		return blueGreenCloneSet{}
	}
	return nil
}
