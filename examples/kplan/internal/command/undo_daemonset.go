// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// Undo returns the result of kubectl rollout undo.
func (d DaemonSet) Undo(s *settings, number int64) (document, *view.Simulation, error) {
	undo, err := s.daemonUndo(d.DaemonSet, number)
	return undo, undo.Rollout, err
}

// daemonUndo returns the result of kubectl rollout undo for a DaemonSet, with the simulation of
// its rollout.
func (s *settings) daemonUndo(d *manifest.DaemonSet, number int64) (view.DaemonUndo, error) {
	if d.Advanced != nil { // kubectl does not support them: its message
		return view.DaemonUndo{}, d.Invalid(fmt.Errorf("no rollbacker has been implemented for %q", "DaemonSet."+d.ID().Group))
	}
	snapshot, err := d.Snapshot()
	if err != nil {
		return view.DaemonUndo{}, err
	}
	objects, revisions := d.History()
	plan, err := kubectl.UndoRevision(revisions, snapshot.DaemonSet.Template.Data, number, revision.Options{})
	if err != nil {
		return view.DaemonUndo{}, d.Invalid(err)
	}
	target := objects[plan.Source]
	undo := view.DaemonUndo{Undo: view.Undo{Namespace: d.Object.Namespace, Name: d.Object.Name, Undo: plan}, Revision: target.Name}
	if plan.Skipped {
		return undo, nil
	}
	_, undo.Undo.Undo.LastApplied = d.Object.Annotations[revision.AnnotationLastApplied]
	restored, err := kube.RestoredDaemonSet(d.Object, target)
	if err != nil {
		return undo, d.Invalid(err)
	}
	undo.Images = changes(&d.Object.Spec.Template.Spec, &restored.Spec.Template.Spec)
	rollout, err := s.daemonRollout(d, restored)
	undo.Rollout = &rollout
	return undo, err
}

// daemonRollout simulates the rollout after a template is restored. If the input has no pods,
// there is a pod of the current template on each node.
func (s *settings) daemonRollout(d *manifest.DaemonSet, restored *appsv1.DaemonSet) (view.Simulation, error) {
	assumed := d.AssumeNodes(nil)
	if len(d.Controlled()) == 0 {
		assumed = append(assumed, "its nodes have pods of the present template")
	}
	wanted := *d
	wanted.Object = restored
	j := daemonSetJob(d, &wanted, s.begin)
	j.after(func(b *world.Beginning) {
		next := b.Template
		b.Template = b.DaemonSet().Template.Hash
		s.healed(b)
		b.Template = next
	})
	s.updated(j, &wanted, &assumed)
	return s.alone(j)
}
