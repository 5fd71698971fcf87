// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// byPartition has the common methods of kinds that are updated by partition. Other kinds embed it
// for its defaults.
type byPartition struct{}

func (byPartition) pods(w, _ *workload.Workload) (updated, ready int32) {
	return w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas
}

func (byPartition) ordered(*workload.Workload) bool { return false }

func (byPartition) returns() bool { return true }

func (byPartition) target(s *Snapshot) *workload.Workload { return s.Workload }

func (byPartition) unobserved(*Snapshot) (kplan.Hold, string) {
	return kplan.Hold{}, ""
} // the whole pass waits for it

func (byPartition) controlled(br *Release, w *workload.Workload) bool {
	return w.ControlledBy() == br.UID && w.Annotations[partition.AnnotationControlInfo] != ""
}

func (byPartition) prepare(*Snapshot) (stableSet, autoscaler Action) { return nil, nil }

func (byPartition) create(*Snapshot, quirk.Set) Action { return nil }

// held: only while the workload has the mark of a release, since a plan that no Rollout has
// made may name any id.
func (byPartition) held(preparing, marked bool) (kplan.Reason, bool) {
	return reason.ReleaseOutdated, !preparing && marked
}

func (byPartition) upgrade(c *Context, _, _ *workload.Workload, _ quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	if c.CurrentPartition.OfUp64(c.Replicas) > c.DesiredPartition.OfUp64(c.Replicas) {
		p, write = workload.Patch{Partition: c.DesiredPartition}, true
	}
	return p, write, ""
}

// released returns the patch that ends the control of a workload. all reports whether nothing else
// has to be restored.
func (byPartition) released(plan *ReleasePlan) (p workload.Patch, all bool) {
	p.RemoveAnnotations(partition.AnnotationControlInfo)
	return p, plan.BatchPartition != nil
}

func (byPartition) waits(*ReleasePlan, quirk.Set) bool { return false }

func (byPartition) resumed(*workload.Workload, bool) (kplan.Hold, bool) {
	return kplan.Hold{}, false
}

func (byPartition) end(*Snapshot) (autoscaler, canary Action) { return nil, nil }
