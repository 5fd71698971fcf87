// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/argosim"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/rollout/argo"
)

// argoUndo returns what kubectl argo rollouts undo would do, and how that goes.
func (u *undoing) argoUndo(r *manifest.ArgoRollout) (view.ArgoUndo, error) {
	target, err := u.argoTarget(r)
	if err != nil {
		return view.ArgoUndo{}, r.Invalid(err)
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
		return undo, r.Invalid(err)
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
