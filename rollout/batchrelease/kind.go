// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A kind has the rules of one kind of workload in one rolling style. To add a kind, add a file and
// a case in [kindOf].
type kind interface {
	// pods returns the number of updated pods, and of updated and ready pods.
	pods(w, canary *workload.Workload) (updated, ready int32)
	// count sets the demands of a batch.
	count(c *Context, w *workload.Workload, repair quirk.Set)
	// returns reports whether the release detects a rollback to the template from before it.
	returns() bool
	// ordered reports whether pods are updated in the order of their ordinals.
	ordered(w *workload.Workload) bool

	// controlled reports whether the BatchRelease drives the workload already.
	controlled(br *Release, w *workload.Workload) bool
	// take adds to a patch the fields that take the workload over.
	take(p *workload.Patch, w *workload.Workload, repair quirk.Set)
	// prepare returns the changes of the stable ReplicaSet and of the autoscaler before the
	// workload is taken over. create returns the creation of the extra Deployment before the first
	// batch. A nil action means no change.
	prepare(s *Snapshot) (stableSet, autoscaler Action)
	create(s *Snapshot, repair quirk.Set) Action

	// held returns the reason to hold back a workload with another template than the one that the
	// plan releases, and whether to hold it back. preparing means the phase Preparing, and marked
	// that the workload has the mark of a release.
	held(preparing, marked bool) (kplan.Reason, bool)
	// target returns the workload that a batch changes, nil if it does not exist yet. unobserved
	// returns the hold and the message for a target whose controller has not observed its last
	// change; the message is "" if it has.
	target(s *Snapshot) *workload.Workload
	unobserved(s *Snapshot) (kplan.Hold, string)
	// upgrade returns the patch that releases a batch, and false if nothing is to be written.
	upgrade(c *Context, w, canary *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason)

	// giveBack returns the patch that gives the workload back, and false if nothing is to be
	// written. keep means to leave the workload as it is, and only to end the control of it.
	giveBack(plan *ReleasePlan, w *workload.Workload, keep bool, opts Options) (p workload.Patch, write bool)
	// waits reports whether the release ends only after the workload has resumed and finished its
	// update. resumed returns the reason to wait longer, or false.
	waits(plan *ReleasePlan, repair quirk.Set) bool
	resumed(w *workload.Workload, patched bool) (kplan.Hold, bool)
	// end returns the last changes of the autoscaler and the canary; nil if there is no change.
	end(s *Snapshot) (autoscaler, canary Action)
}

// kindOf returns the kind of a driver, or nil if the driver is unknown.
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
