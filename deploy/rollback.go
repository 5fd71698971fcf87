package deploy

import (
	"maps"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// rollBack goes back to the revision that an annotation of the Deployment asks for,
// or says why it cannot. The request is removed in any case, and the pass
// ends there: sizes and status are left to the next.
//
// By default the ReplicaSet of the present template is created first, even if that
// template is given up in the same plan: see
// [RollbackCreatesAbandonedSet].
//
// It mirrors rollback of the deployment controller of Kubernetes 1.36.3.
func (st *state) rollBack(request int64) {
	if st.newest < 0 && !st.opts.Repair.Has(RollbackCreatesAbandonedSet) && !st.create() {
		st.keepStatus()
		return
	}
	annotations := maps.Clone(st.d.Annotations)
	for _, a := range st.plan.Actions {
		if a, ok := a.(AnnotateDeployment); ok {
			maps.Copy(annotations, a.Set)
		}
	}
	w := revision.Workload{Name: st.d.Name, Template: st.d.Template, Annotations: annotations}
	entries := st.history()
	r := revision.PlanRollback(w, entries, request, revision.Options{})
	kind, reason, message := r.Event()
	switch r.Reason {
	case revision.RollbackDone:
		source := &entries[r.Source]
		st.act(RollBackDeployment{
			Revision: r.Number, Name: source.Name, Template: source.Template, Annotations: r.Annotations, Reason: ReasonRollback,
		})
		st.event(len(st.plan.Actions)-1, kind, reason, message)
	case revision.RollbackTemplateUnchanged:
		st.hold64("", ReasonRollbackUnchanged, r.Number, 0)
	default:
		st.hold64("", ReasonRollbackNotFound, r.Number, 0)
	}
	if r.Reason != revision.RollbackDone {
		st.event(nowhere, kind, reason, message) // before the write, and whatever becomes of it
		st.act(ClearRollback{Reason: ReasonRollback})
	}
	st.keepStatus()
}

// history returns the sets as package revision reads them, as they are after the
// plan so far.
func (st *state) history() []revision.Entry {
	entries := make([]revision.Entry, len(st.sets))
	for i := range st.sets {
		entries[i] = replicaset.Entry(st.sets[i].rs)
	}
	for _, a := range st.plan.Actions {
		if a, ok := a.(AnnotateReplicaSet); ok {
			entries[st.newest].Annotations = maps.Clone(entries[st.newest].Annotations)
			if entries[st.newest].Annotations == nil {
				entries[st.newest].Annotations = map[string]string{}
			}
			maps.Copy(entries[st.newest].Annotations, a.Set)
		}
	}
	return entries
}
