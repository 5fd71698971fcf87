package batchrelease

import (
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// InitializePatch returns what takes a workload over before its first batch, and
// false if that is done, or no driver knows the workload.
func InitializePatch(br Release, w workload.Workload, repair workload.Quirks) (p workload.Patch, write bool) {
	k := kindOf(br.ReleasePlan.driver(w.Ref))
	if k == nil || k.controlled(&br, &w) {
		return p, false
	}
	p.Annotate(partition.AnnotationControlInfo, workload.ControlInfo(br.Name, br.UID))
	k.take(&p, &w, repair)
	return p, true
}

// initialize appends what prepares the workload. The failure is not empty if the pass
// has to be repeated.
func (st *pass) initialize() (failure string) {
	w := st.s.Workload
	st.add(st.kind.prepare(st.s)...)
	if p, write := InitializePatch(st.s.Release, *w, st.opts.Repair); write {
		st.add(PatchWorkload{Workload: w.Ref, UID: w.UID, Patch: p, Reason: ReasonInitialize})
	}
	if create := st.kind.create(st.s, st.opts.Repair); len(create) > 0 {
		st.add(create...)
		return "created canary deployment, but waiting for it to be observed"
	}
	if _, rollback := st.s.Release.Annotations[workload.AnnotationRollbackInBatch]; rollback && !st.driver.Beside() {
		failure = st.markNoNeedUpdate()
	}
	if failure == "" {
		st.p.Status.StableRevision, st.p.Status.UpdateRevision = w.StableRevision, w.UpdateRevision
		st.p.Status.ObservedWorkloadReplicas = w.DesiredReplicas()
	}
	return failure
}
