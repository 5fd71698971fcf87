// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

func badField(path string, value any, detail string) error {
	return &kplan.FieldError{Path: path, Value: value, Detail: detail}
}

// checkRelease rejects Rollouts that do something other than a release.
func checkRelease(r *manifest.Rollout) error {
	o := &r.Snapshot.Rollout
	const ends = ", and its end is not simulated; plan and explain show what it does"
	switch {
	case !o.DeletionTimestamp.IsZero():
		return r.Invalid(badField("metadata.deletionTimestamp", o.DeletionTimestamp.Format(time.RFC3339), "the Rollout is being deleted"+ends))
	case r.Deployment != nil && r.Deployment.Deployment.DeletionTimestamp != nil:
		at := r.Deployment.Deployment.DeletionTimestamp
		return r.Deployment.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "the Deployment is being deleted"+ends))
	case r.Set != nil && r.Set.Object.GetDeletionTimestamp() != nil:
		at := r.Set.Object.GetDeletionTimestamp()
		return r.Set.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "it is being deleted"+ends))
	case r.DaemonSet != nil && r.DaemonSet.Object.DeletionTimestamp != nil:
		at := r.DaemonSet.Object.DeletionTimestamp
		return r.DaemonSet.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "it is being deleted"+ends))
	case o.Disabled && r.Set != nil:
		return r.Invalid(badField("spec.disabled", true, "the Rollout releases nothing, and its workload is not simulated alone"))
	case o.Disabled:
		return r.Invalid(badField("spec.disabled", true, "the Rollout releases nothing; without it in the input its "+r.Workload.Kind+" is simulated alone"))
	case o.Status.Phase == kruise.PhaseTerminating || o.Status.Phase == kruise.PhaseDisabling:
		return r.Invalid(badField("status.phase", string(o.Status.Phase), "the release is being given up"+ends))
	}
	if name := o.Annotations[workload.AnnotationTrafficRouting]; name != "" {
		path := "metadata.annotations[" + workload.AnnotationTrafficRouting + "]"
		return r.Invalid(badField(path, name, "TrafficRouting objects are not simulated; plan and explain look at them"))
	}
	return nil
}

// checkUnderWay rejects releases that the simulation cannot continue, for example because an
// object of them is not in the input and would be created again.
func checkUnderWay(r *manifest.Rollout) error {
	if err := checkProgress(r); err != nil {
		return err
	}
	o, release := &r.Snapshot.Rollout, r.Snapshot.BatchRelease
	if release != nil && o.Style() == workload.Canary && release.Status.Phase == batchrelease.PhaseProgressing && len(r.Canaries) == 0 {
		return r.Invalid(errors.New("its canary Deployment is not in the input"))
	}
	for i := range r.Canaries {
		if err := checkCanary(r, &r.Canaries[i]); err != nil {
			return err
		}
	}
	return checkReplicaSets(r)
}

// checkProgress rejects releases with unknown progress.
func checkProgress(r *manifest.Rollout) error {
	o, release := &r.Snapshot.Rollout, r.Snapshot.BatchRelease
	reason, path := o.Status.ProgressingReason(), "status.canaryStatus"
	if o.BlueGreen != nil {
		path = "status.blueGreenStatus"
	}
	switch progressing := o.Status.Phase == kruise.PhaseProgressing; {
	case progressing && reason == "":
		return r.Invalid(badField("status.conditions", "", "must hold the condition Progressing, because the phase is Progressing"))
	case progressing && reason != kruise.ProgressInitializing && o.Status.Sub == nil:
		return r.Invalid(badField(path, "", "must be set, because the release is under way"))
	case release == nil && (r.Workload.Annotations[partition.AnnotationControlInfo] != "" || len(r.Canaries) > 0):
		return r.Invalid(errors.New("its BatchRelease is not in the input"))
	}
	return nil
}

// checkCanary rejects a canary Deployment with patched template metadata. The simulation would
// take its template for another one.
func checkCanary(r *manifest.Rollout, canary *manifest.Workload) error {
	patch := r.Snapshot.Rollout.Strategy().PatchPodTemplateMetadata
	if patch == nil || kube.TemplateID(&canary.Deployment.Spec.Template) == r.Workload.Template.ID {
		return nil
	}
	return r.Invalid(badField("spec.strategy.canary.patchPodTemplateMetadata", *patch,
		"a release whose pods carry it is not simulated once they exist; plan and explain show what it does"))
}

// checkReplicaSets rejects Deployments with pods or pod templates that are not in the input.
func checkReplicaSets(r *manifest.Rollout) error {
	w := r.Deployment
	s := &w.Deployment.Status
	if s.CollisionCount != nil {
		return w.Invalid(badField("status.collisionCount", *s.CollisionCount,
			"a release whose templates have had equal hashes is not simulated; plan and explain show what it does"))
	}
	updated, stable := false, false
	label := w.Deployment.Labels[workload.LabelStableRevision]
	for _, rs := range w.ReplicaSets {
		updated = updated || kube.TemplateID(&rs.Spec.Template) == r.Workload.Template.ID
		stable = stable || rs.Labels[workload.LabelPodTemplateHash] == label
	}
	switch {
	case s.Replicas > 0 && len(w.ReplicaSets) == 0:
		return w.Invalid(errors.New("its ReplicaSets are not in the input"))
	case s.UpdatedReplicas > 0 && !updated && s.ObservedGeneration >= w.Deployment.Generation: // else the status counts pods of the previous template
		return w.Invalid(badField("status.updatedReplicas", s.UpdatedReplicas, "the ReplicaSet of these pods is not in the input"))
	case s.Replicas > s.UpdatedReplicas && label != "" && !stable:
		return w.Invalid(badField("metadata.labels["+workload.LabelStableRevision+"]", label, "the ReplicaSet of this revision is not in the input"))
	}
	return nil
}
