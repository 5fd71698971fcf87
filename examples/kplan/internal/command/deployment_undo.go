// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Undo returns the result of kubectl rollout undo.
func (w Deployment) Undo(s *settings, number int64) (document, *view.Simulation, error) {
	undo, err := s.undo(w.Workload, number)
	return undo, undo.Rollout, err
}

func (s *settings) undo(w *manifest.Workload, number int64) (view.Undo, error) {
	workload, entries := w.History()
	plan, err := kubectl.PlanUndo(workload, entries, number, revision.Options{})
	if err != nil {
		return view.Undo{}, w.Invalid(whoPaused(err, w))
	}
	target := w.Controlled()[plan.Source]
	undo := view.Undo{Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Undo: plan, ReplicaSet: target.Name}
	if plan.Skipped {
		return undo, nil
	}
	undo.Images = changes(&w.Deployment.Spec.Template.Spec, &target.Spec.Template.Spec)
	rollout, err := s.rollout(w, target, plan)
	undo.Rollout = &rollout
	return undo, err
}

// rollout simulates the rollout after the template of a ReplicaSet is restored.
func (s *settings) rollout(w *manifest.Workload, target *appsv1.ReplicaSet, plan kubectl.Undo) (view.Simulation, error) {
	j, err := deploymentJob(w, nil, s.begin)
	if err != nil {
		return view.Simulation{}, err
	}
	j.around = manifest.Around{}
	j.telling = view.Deployments{Images: imagesOf(w)}
	j.prepare = func(b *world.Beginning, _ *sim.Config) error {
		s.healed(b)
		restored := *b.Deployment()
		restored.Template = b.TemplateOf(string(target.UID))
		restored.TemplateLabels = maps.Clone(target.Spec.Template.Labels)
		delete(restored.TemplateLabels, revision.LabelHash)
		restored.Annotations = plan.Annotations
		b.Applied = []any{restored}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.departures()
		result.Assumed = append([]string{"all pods become ready, and nodes have room"}, s.lives(b, result)...)
	}
	return s.alone(j)
}

// healed makes all pods and nodes of a cluster healthy, except pods of the abandoned template
// with --never-ready.
func (s *settings) healed(b *world.Beginning) {
	b.Heal()
	b.Broken(s.neverReady)
}

// whoPaused adds the OpenKruise Rollout that paused a Deployment to the refusal of kubectl. The
// user should not resume the Deployment, which would take it away from its release.
func whoPaused(err error, w *manifest.Workload) error {
	var mark struct {
		RolloutName string `json:"rolloutName"`
	}
	text := w.Deployment.Annotations[workload.AnnotationInProgress]
	if refusal := new(kubectl.Refusal); !errors.As(err, &refusal) || refusal.Reason != kubectl.RefusedUndoPaused || json.Unmarshal([]byte(text), &mark) != nil {
		return err
	}
	return fmt.Errorf("%w; Rollout %s has paused it for its release: apply the template that is to come back, and it rolls back", err, mark.RolloutName)
}
