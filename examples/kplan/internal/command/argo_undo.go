// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/argosim"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// revisionOf returns the annotated revision of a ReplicaSet, false if there is none.
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

// argoHistory returns the revisions of a Rollout of Argo.
func (l *listing) argoHistory(r *manifest.ArgoRollout) (view.ArgoHistory, error) {
	h := view.ArgoHistory{Namespace: r.Object.Namespace, Name: r.Object.Name, Number: l.number}
	for _, rs := range revisionsOf(r) {
		number, _ := revisionOf(rs)
		if l.number > 0 && number != l.number {
			continue
		}
		template, err := templateText(&rs.Spec.Template)
		if err != nil {
			return h, err
		}
		hash := rs.Labels[argo.HashLabel]
		h.Entries = append(h.Entries, view.ArgoEntry{
			Name: rs.Name, Revision: number, New: hash == r.Snapshot.Rollout.TemplateHash, Stable: hash == r.Snapshot.Rollout.Status.StableRS,
			Images: images(&rs.Spec.Template), Template: template,
		})
	}
	if l.number > 0 && len(h.Entries) == 0 {
		return h, noRevision(l.number)
	}
	return h, nil
}

func noRevision(number int64) error {
	return fmt.Errorf("unable to find specified revision %d in history", number)
}

// argoUndo returns what kubectl argo rollouts undo would do, and how that goes.
func (u *undoing) argoUndo(r *manifest.ArgoRollout) (view.ArgoUndo, error) {
	target, err := u.argoTarget(r)
	if err != nil {
		return view.ArgoUndo{}, err
	}
	undo := view.ArgoUndo{Namespace: r.Object.Namespace, Name: r.Object.Name, ReplicaSet: target.Name, Number: u.number}
	undo.Revision, _ = revisionOf(target)
	template := *target.Spec.Template.DeepCopy()
	delete(template.Labels, argo.HashLabel)
	current := r.Object.Spec.Template.DeepCopy()
	current.Labels = maps.Clone(current.Labels)
	if hash := target.Labels[argo.HashLabel]; hash == r.Snapshot.Rollout.TemplateHash || equality.Semantic.DeepEqual(&template, current) {
		undo.Skipped = true
		return undo, nil
	}
	undo.Images = changes(&current.Spec, &template.Spec)
	next := r.Snapshot
	left := next.Rollout.TemplateHash
	next.Rollout.Generation++
	next.Rollout.TemplateHash = target.Labels[argo.HashLabel]
	config := argosim.Config{
		ReadyAfter:   time.Duration(u.scheduleAfter) + time.Duration(u.readyAfter) + time.Duration(r.Object.Spec.MinReadySeconds)*time.Second,
		ApproveAfter: 5 * time.Minute, TimeLimit: time.Duration(u.timeLimit), Repair: u.argoRollouts(), Pods: r.PodsOf(u.now.Time),
	}
	if u.neverReady {
		config.Broken = map[string]bool{left: left != ""}
	}
	result, err := argosim.Run(next, u.now.Time, config)
	if err != nil {
		return undo, err
	}
	undo.Rollout = &view.ArgoSimulation{Namespace: r.Object.Namespace, Rollout: next.Rollout, Result: result, Policies: u.flags(argo.QuirkTable())}
	return undo, nil
}

// argoTarget returns the ReplicaSet to go back to: that of a revision, or the one before
// the last.
func (u *undoing) argoTarget(r *manifest.ArgoRollout) (*appsv1.ReplicaSet, error) {
	list := revisionsOf(r)
	if u.number == 0 {
		if len(list) < 2 {
			return nil, errors.New("no revision to go back to")
		}
		return list[len(list)-2], nil
	}
	for _, rs := range list {
		if n, _ := revisionOf(rs); n == u.number {
			return rs, nil
		}
	}
	return nil, noRevision(u.number)
}
