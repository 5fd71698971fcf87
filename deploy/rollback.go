// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"maps"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// rollBack decides how to roll back to the revision that an annotation of the Deployment
// requests, or why this is impossible. The request is removed in any case, and the pass ends:
// the next one handles sizes and status. The annotations of the Deployment and of its new
// ReplicaSet include earlier writes of the pass.
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

// history returns the sets as entries of package revision, with the annotations that the
// new one takes over from the Deployment.
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

// holdRollback returns the reason why nothing is rolled back.
func holdRollback(r *revision.Rollback) []kplan.Hold[Reason] {
	switch r.Reason {
	case revision.RollbackDone:
		return nil
	case revision.RollbackTemplateUnchanged:
		return []kplan.Hold[Reason]{hold("", ReasonRollbackUnchanged, r.Number, 0)}
	}
	return []kplan.Hold[Reason]{hold("", ReasonRollbackNotFound, r.Number, 0)}
}
