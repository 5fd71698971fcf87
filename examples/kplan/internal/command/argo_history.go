// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// revisionOf returns the annotated revision of a ReplicaSet, false if it has no valid one.
func revisionOf(rs *appsv1.ReplicaSet) (int64, bool) {
	set, err := kubeargo.ReplicaSet(rs)
	return set.Revision, err == nil && set.Revision > 0
}

// revisionsOf returns the ReplicaSets that have a revision, the oldest first.
func revisionsOf(r *manifest.ArgoRollout) []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, rs := range r.ReplicaSets {
		if _, ok := revisionOf(rs); ok {
			list = append(list, rs)
		}
	}
	slices.SortStableFunc(list, func(a, b *appsv1.ReplicaSet) int {
		x, _ := revisionOf(a)
		y, _ := revisionOf(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// History returns the revisions, or only the wanted one; 0 is all.
func (a Argo) History(wanted int64, _ bool) (document, []string, error) {
	r := a.ArgoRollout
	h := view.ArgoHistory{Namespace: r.Object.Namespace, Name: r.Object.Name, Number: wanted}
	for _, rs := range revisionsOf(r) {
		number, _ := revisionOf(rs)
		if wanted > 0 && number != wanted {
			continue
		}
		template, err := templateText(&rs.Spec.Template)
		if err != nil {
			return nil, nil, err
		}
		hash := rs.Labels[argo.HashLabel]
		h.Entries = append(h.Entries, view.ArgoEntry{
			Name: rs.Name, Revision: number, New: hash == r.Snapshot.Rollout.TemplateHash, Stable: hash == r.Snapshot.Rollout.Status.StableRS,
			Images: images(&rs.Spec.Template), Template: template,
		})
	}
	if wanted > 0 && len(h.Entries) == 0 {
		return nil, nil, noRevision(wanted)
	}
	return h, nil, nil
}

func noRevision(number int64) error {
	return fmt.Errorf("unable to find specified revision %d in history", number)
}
