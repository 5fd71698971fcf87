// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// InitializePatch returns the patch that takes a workload over before its first batch. It returns
// false if the workload has been taken over, or if it has no driver: see [workload.DriverOf].
func InitializePatch(br Release, w workload.Workload, repair quirk.Set) (p workload.Patch, write bool) {
	k := kindOf(br.ReleasePlan.driver(w.Ref))
	if k == nil || k.controlled(&br, &w) {
		return p, false
	}
	p.Annotate(partition.AnnotationControlInfo, workload.ControlInfo(br.Name, br.UID))
	k.take(&p, &w, repair)
	return p, true
}

// initialize prepares the workload, unless it is held back. It fails if it has to be
// repeated before the first batch.
func (st *pass) initialize(s Status) outcome {
	w := st.s.Workload
	if w == nil {
		return outcome{status: s, failure: "workload not found"}
	}
	if holds := st.held(s.Phase); holds != nil {
		return outcome{status: s, holds: holds}
	}
	n := outcome{status: s}
	n.writes.stableSet, n.writes.autoscaler = st.kind.prepare(st.s)
	if p, write := InitializePatch(st.s.Release, *w, st.opts.Repair); write {
		n.writes.workload = patched(w, p, reason.Initialize)
	}
	if n.writes.canary = st.kind.create(st.s, st.opts.Repair); n.writes.canary != nil {
		n.failure = "created canary deployment, but waiting for it to be observed"
		return n
	}
	if st.s.Release.Annotations[workload.AnnotationRollbackInBatch] != "" && !st.driver.Beside() {
		marked, labels := st.marks()
		if len(labels) > 0 {
			n.writes.labels, n.failure = labels, "initilization not yet: pods are being marked"
			return n
		}
		n.status.Current.NoNeedUpdateReplicas = &marked
	}
	n.status.StableRevision, n.status.UpdateRevision = w.StableRevision, w.UpdateRevision
	n.status.ObservedWorkloadReplicas = w.DesiredReplicas()
	n.status.Phase, n.again = PhaseProgressing, true
	return n
}
