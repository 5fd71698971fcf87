// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"maps"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// cleanUpHistory returns the old ReplicaSets to delete: the lowest revisions beyond the history
// limit, if they have and want no pods before the plan and their status is current. The holds are
// of the other ReplicaSets beyond the limit, which stay.
//
// It mirrors cleanupDeployment of the deployment controller of Kubernetes.
func (in *input) cleanUpHistory() (remove []*replicaset.ReplicaSet, holds []kplan.Hold) {
	if in.historyLimit == NoLimit || int64(len(in.sets)) <= int64(in.historyLimit) {
		return nil, nil
	}
	entries, sets := make([]revision.Entry, 0, len(in.sets)), make([]*set, 0, len(in.sets))
	for _, s := range in.old {
		entries, sets = append(entries, replicaset.Entry(s.rs)), append(sets, s)
	}
	opts := in.opts.Repair.Revision()
	opts.Keys = in.opts.Keys
	excess, held := revision.CleanUp(entries, &in.historyLimit, opts)
	for _, h := range held {
		s := sets[h.Index]
		if h.Reason == revision.HoldNotSynced {
			holds = append(holds, hold(s.rs.Name, reason.HistoryNotSynced, s.status().ObservedGeneration, s.rs.Generation))
		} else {
			holds = append(holds, hold(s.rs.Name, reason.HistoryNotEmpty, int64(max(s.size, s.status().Replicas)), 0))
		}
	}
	for _, i := range excess {
		remove = append(remove, sets[i].rs)
	}
	return remove, holds
}

// rollBack decides how to roll back to the requested revision, or why this is impossible; then
// source is nil. The pass removes the request in both cases and ends: the next pass handles sizes
// and status. Earlier writes of the pass are taken into account: published, the revision annotation
// of the Deployment, and the annotations of u.
//
// It mirrors rollback of the deployment controller of Kubernetes.
func (in *input) rollBack(request int64, published map[string]string, u *newSetUpdate) (r revision.Rollback, source *revision.Entry) {
	annotations := maps.Clone(in.d.Annotations)
	if published != nil {
		if annotations == nil {
			annotations = map[string]string{}
		}
		maps.Copy(annotations, published)
	}
	w := revision.Workload{Kind: in.d.kind(), Name: in.d.Name, Template: in.d.Template, Annotations: annotations}
	entries := in.history(u)
	r = revision.PlanRollback(w, entries, request, revision.Options{Keys: in.opts.Keys})
	if r.Reason == revision.RollbackDone {
		source = &entries[r.Source]
	}
	return r, source
}

// history returns the sets as entries of package revision. The new set has the annotations that the
// pass writes to it.
func (in *input) history(u *newSetUpdate) []revision.Entry {
	entries := make([]revision.Entry, len(in.sets))
	for i := range in.sets {
		entries[i] = replicaset.Entry(in.sets[i].rs)
	}
	if u.needed {
		annotations := map[string]string{}
		maps.Copy(annotations, entries[in.newAt].Annotations)
		maps.Copy(annotations, u.annotations)
		entries[in.newAt].Annotations = annotations
	}
	return entries
}

// rollbackHolds returns the hold of a rollback that is impossible, or nil.
func rollbackHolds(r *revision.Rollback) []kplan.Hold {
	switch r.Reason {
	case revision.RollbackDone:
		return nil
	case revision.RollbackTemplateUnchanged:
		return []kplan.Hold{hold("", reason.RollbackUnchanged, r.Number, 0)}
	}
	return []kplan.Hold{hold("", reason.RollbackNotFound, r.Number, 0)}
}
