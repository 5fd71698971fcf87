// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Undo returns the result of kubectl argo rollouts undo.
func (a Argo) Undo(s *settings, number int64) (document, *view.Simulation, error) {
	undo, err := s.argoUndo(a.ArgoRollout, number)
	return undo, undo.Rollout, err
}

// argoUndo returns the result of kubectl argo rollouts undo, with the simulation of its rollout.
func (s *settings) argoUndo(r *manifest.ArgoRollout, number int64) (view.ArgoUndo, error) {
	target, err := argoTarget(r, number)
	if err != nil {
		return view.ArgoUndo{}, r.Invalid(err)
	}
	undo := view.ArgoUndo{Namespace: r.Object.Namespace, Name: r.Object.Name, ReplicaSet: target.Name, Number: number}
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
	rollout, err := s.argoRollout(r, target)
	undo.Rollout = &rollout
	return undo, err
}

// argoRollout simulates the rollout after the template of a ReplicaSet is restored.
func (s *settings) argoRollout(r *manifest.ArgoRollout, target *appsv1.ReplicaSet) (view.Simulation, error) {
	j := argoJob(r, nil, s.begin)
	var people *attendance
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		s.healed(b)
		next := b.WantedArgo()
		next.TemplateHash, next.TemplateLabels = target.Labels[argo.HashLabel], maps.Clone(target.Spec.Template.Labels)
		delete(next.TemplateLabels, argo.HashLabel)
		b.Applied = []any{next}
		config.Argo, config.ApproveAfter = argo.Options{Repair: s.argoRollouts()}, cluster.Exactly(approvedAfter)
		people, j.telling = attendanceIn(config, b.Name), view.ArgoRollouts{Rollout: next.Rollout}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.flags(argo.QuirkTable())
		result.Assumed = slices.Concat([]string{"all pods become ready, and nodes have room"}, s.lives(b, result), people.assumed(approvedAfter, ""))
	}
	return s.alone(j)
}

// argoTarget returns the ReplicaSet to go back to: the one with the wanted revision, or the one
// before the last.
func argoTarget(r *manifest.ArgoRollout, number int64) (*appsv1.ReplicaSet, error) {
	list := revisionsOf(r)
	if number == 0 {
		if len(list) < 2 {
			return nil, errors.New("no revision to go back to")
		}
		return list[len(list)-2], nil
	}
	for _, rs := range list {
		if n, _ := revisionOf(rs); n == number {
			return rs, nil
		}
	}
	return nil, noRevision(number)
}
