// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// ReleasePatch returns the patch that gives a workload back when its BatchRelease ends, and
// false if nothing has to be written, or no driver knows the workload.
func ReleasePatch(br Release, w workload.Workload, opts Options) (p workload.Patch, write bool) {
	k := kindOf(br.ReleasePlan.driver(w.Ref))
	if k == nil {
		return p, false
	}
	p, write = k.giveBack(&br.ReleasePlan, &w, keeps(&br, &w, opts), opts)
	if releasedNext(&br.ReleasePlan, &w, opts.Repair) {
		wait(&p, &w)
	}
	return p, write
}

// releasedNext reports whether admission let an update in while the release is being closed.
// The next release takes that update ([quirk.NextReleaseUnmarked]). The mark of the
// current release is removed before.
func releasedNext(plan *ReleasePlan, w *workload.Workload, repair quirk.Set) bool {
	known := w.Labels[workload.LabelStableRevision] != "" || !w.Traits().Paused
	return repair.Has(quirk.NextReleaseUnmarked) && plan.FinalizingPolicy == WaitResume && w.Annotations[workload.AnnotationInProgress] != "" && known
}

// wait removes from a patch the fields that would resume a workload that admission holds for
// its next release.
func wait(p *workload.Patch, w *workload.Workload) {
	if p.Paused != nil && w.Traits().Paused {
		paused := true
		p.Paused = &paused
	}
	p.ClearPartition = false
	if p.ReplaceStrategy {
		p.StrategyType, p.ReplaceStrategy = nil, false
	}
	delete(p.Labels, workload.LabelStableRevision)
	delete(p.Annotations, workload.AnnotationDaemonSetStrategy)
}

// keeps reports whether a workload stays as it is when it is given back before its release is
// done. Under [quirk.DeletionFinishesRelease] a workload that was rolled back resumes.
func keeps(br *Release, w *workload.Workload, opts Options) bool {
	if br.ReleasePlan.FinalizingPolicy == WaitResume {
		return false
	}
	if !opts.Repair.Has(quirk.DeletionFinishesRelease) {
		return opts.KeepPaused
	}
	to := w.UpdateRevision
	return to == "" || to != br.Status.StableRevision && to != w.StableRevision
}

// giveBack ends the release. Its outcome is a failure until the workload has been given back.
func (st *pass) giveBack(s Status) (n outcome) {
	n.status = s
	if w := st.s.Workload; w != nil {
		plan := &st.s.Release.ReleasePlan
		p, write := ReleasePatch(st.s.Release, *w, st.opts)
		if write {
			n.writes.workload = patched(w, p, reason.GiveBack)
		}
		if st.kind.waits(plan, st.opts.Repair) && !releasedNext(plan, w, st.opts.Repair) {
			if hold, waiting := st.kind.resumed(w, write); waiting {
				n.holds, n.failure = []kplan.Hold{hold}, "current release is not done: "+string(hold.Reason)
				return n
			}
		}
		n.writes.returned, n.writes.letGo = st.kind.end(st.s)
	}
	n.status.Phase = PhaseCompleted
	return n
}
