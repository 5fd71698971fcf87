// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"maps"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// rollBack decides how to go back to the revision that an annotation of the Deployment asks
// for, or why it cannot. The request is removed in any case, and the pass
// ends there: sizes and status are left to the next. The annotations of the Deployment and of
// its new ReplicaSet are those that the pass has set by then.
//
// It mirrors rollback of the deployment controller of Kubernetes.
func (in *input) rollBack(request int64, published map[string]string, f *following) (r revision.Rollback, source *revision.Entry) {
	annotations := maps.Clone(in.d.Annotations)
	if published != nil {
		if annotations == nil {
			annotations = map[string]string{}
		}
		maps.Copy(annotations, published)
	}
	w := revision.Workload{Kind: in.d.kind(), Name: in.d.Name, Template: in.d.Template, Annotations: annotations}
	entries := in.history(f)
	r = revision.PlanRollback(w, entries, request, revision.Options{Keys: in.opts.Keys})
	if r.Reason == revision.RollbackDone {
		source = &entries[r.Source]
	}
	return r, source
}

// history returns the sets as package revision reads them, as they are when the new one
// follows the Deployment.
func (in *input) history(f *following) []revision.Entry {
	entries := make([]revision.Entry, len(in.sets))
	for i := range in.sets {
		entries[i] = replicaset.Entry(in.sets[i].rs)
	}
	if f.write {
		annotations := map[string]string{}
		maps.Copy(annotations, entries[in.newAt].Annotations)
		maps.Copy(annotations, f.set)
		entries[in.newAt].Annotations = annotations
	}
	return entries
}

// holdRollback says why nothing is rolled back.
func holdRollback(r *revision.Rollback) []kplan.Hold[Reason] {
	switch r.Reason {
	case revision.RollbackDone:
		return nil
	case revision.RollbackTemplateUnchanged:
		return []kplan.Hold[Reason]{hold("", ReasonRollbackUnchanged, r.Number, 0)}
	}
	return []kplan.Hold[Reason]{hold("", ReasonRollbackNotFound, r.Number, 0)}
}
