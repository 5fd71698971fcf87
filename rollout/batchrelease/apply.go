// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Apply returns s after the API server has carried out one action at now, with nothing else
// changed. Simulators and tests use it. Apply does not modify s.
//
//   - A workload changes as [workload.Workload.Patched] describes.
//   - A canary Deployment without a name gets one made of GenerateName and now. Its UID is made
//     of its name and now. It has the template of the stable Deployment: no ID is known for the
//     template with PatchTemplate added.
//   - Fields that the snapshot lacks do not change: minReadySeconds of a ReplicaSet, and the
//     finalizers of a canary Deployment. The API server deletes a BatchRelease that is being
//     deleted once it loses its last finalizer; the caller has to handle that.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError]: the object does not
// exist, the name of the new object is taken, or the autoscaler does not have the target in
// the From of the action.
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns s after all actions of the plan are carried out at now, with the status of the
// plan.
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	next.Release.Status = p.Status.clone()
	return next, nil
}

// Apply returns s after the actions are carried out at now, in order, each as by the function
// [Apply]. It stops at the first error.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	pods := apply.NewList(s.Pods, func(p *workload.Pod) (string, string) { return p.Name, p.UID })
	for _, action := range as {
		var err error
		switch a := action.(type) {
		case SetFinalizer:
			err = a.apply(&s)
		case PatchWorkload:
			err = a.apply(&s)
		case CreateCanary:
			err = a.apply(&s, now)
		case PatchReplicaSet:
			err = apply.Meant("stable ReplicaSet", s.StableSet != "", s.StableSet, "", a.Name, "")
		case RetargetAutoscaler:
			err = a.apply(&s)
		case LabelPod:
			err = a.apply(pods)
		default:
			err = apply.Refused("Action", "", "must be an action of this package")
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	s.Pods = pods.All()
	return s, nil
}

func (a SetFinalizer) apply(s *Snapshot) error {
	canary := zero.Or(s.Canary)
	switch {
	case a.Kind == "BatchRelease":
		s.Release.Finalizers = apply.Finalizers(s.Release.Finalizers, a.Finalizer, a.Remove)
		return apply.Meant(a.Kind, true, s.Release.Name, s.Release.UID, a.Name, a.UID)
	case s.Canary != nil && a.Kind == canary.Kind:
		return apply.Meant("canary Deployment", true, canary.Name, canary.UID, a.Name, a.UID)
	}
	return apply.Refused("Action.Kind", a.Kind, "must be that of the BatchRelease or of the canary Deployment")
}

// apply patches the workload, or the canary Deployment.
func (a PatchWorkload) apply(s *Snapshot) error {
	for _, w := range []**workload.Workload{&s.Workload, &s.Canary} {
		if o := *w; o != nil && apply.Meant("", o.GroupKind() == a.Workload.GroupKind(), o.Name, o.UID, a.Workload.Name, a.UID) == nil {
			*w = ptr.To(o.Patched(a.Patch))
			return nil
		}
	}
	return apply.Refused("Action.Workload", a.Workload.Name, "must be the workload or the canary Deployment with the UID of the action")
}

func (a CreateCanary) apply(s *Snapshot, now time.Time) error {
	stable := zero.Or(s.Workload)
	if s.Workload == nil || stable.Name != a.Stable {
		return apply.Refused("Action.Stable", a.Stable, "must be the name of the workload")
	}
	c := workload.Workload{
		Ref: stable.Ref, Generation: 1, Labels: maps.Clone(a.Labels), Annotations: maps.Clone(a.Annotations), Replicas: new(int32),
		Template: stable.Template, StrategyType: stable.StrategyType, RollingUpdate: zero.Copy(stable.RollingUpdate),
		MinReadySeconds: stable.MinReadySeconds, ProgressDeadlineSeconds: zero.Copy(stable.ProgressDeadlineSeconds),
		StableRevision: a.Labels[workload.LabelStableRevision], UpdateRevision: stable.UpdateRevision,
	}
	if c.Name = a.Name; c.Name == "" {
		c.Name = apply.UID(a.GenerateName, now)
	}
	if c.Name == stable.Name || s.Canary != nil && c.Name == s.Canary.Name {
		return apply.Refused("Action.Name", c.Name, "must not be that of a Deployment")
	}
	c.UID = apply.UID(c.Name, now)
	s.Canary = &c
	return nil
}

func (a RetargetAutoscaler) apply(s *Snapshot) error {
	o := zero.Or(s.Autoscaler)
	if err := apply.Meant("autoscaler", s.Autoscaler != nil, o.Name, "", a.Name, ""); err != nil {
		return err
	}
	if o.TargetName != a.From {
		return apply.Refused("Action.From", a.From, "must be the target of the autoscaler")
	}
	s.Autoscaler = &Autoscaler{Name: o.Name, TargetName: a.To}
	return nil
}

func (a LabelPod) apply(pods *apply.List[workload.Pod]) error {
	pod := pods.Find(a.Name, a.UID)
	if pod == nil {
		return apply.Meant("pod", false, "", "", a.Name, a.UID)
	}
	pod.Labels = apply.With(pod.Labels, a.Labels)
	return nil
}

func (s Status) clone() Status {
	s.Conditions, s.CollisionCount = slices.Clone(s.Conditions), zero.Copy(s.CollisionCount)
	s.Current.NoNeedUpdateReplicas = zero.Copy(s.Current.NoNeedUpdateReplicas)
	return s
}

// equal reports whether two statuses are the same.
func (s *Status) equal(t *Status) bool {
	return s.Phase == t.Phase && s.Message == t.Message && s.StableRevision == t.StableRevision && s.UpdateRevision == t.UpdateRevision &&
		s.ObservedGeneration == t.ObservedGeneration && s.ObservedRolloutID == t.ObservedRolloutID &&
		s.ObservedWorkloadReplicas == t.ObservedWorkloadReplicas && s.ObservedReleasePlanHash == t.ObservedReleasePlanHash &&
		ptr.Equal(s.CollisionCount, t.CollisionCount) && s.Current.equal(&t.Current) &&
		slices.EqualFunc(s.Conditions, t.Conditions, func(a, b kplan.Condition) bool {
			return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
				a.LastUpdateTime.Equal(b.LastUpdateTime) && a.LastTransitionTime.Equal(b.LastTransitionTime)
		})
}

func (c *CurrentBatch) equal(d *CurrentBatch) bool {
	return c.BatchState == d.BatchState && c.CurrentBatch == d.CurrentBatch && c.BatchReadyTime.Equal(d.BatchReadyTime) &&
		c.UpdatedReplicas == d.UpdatedReplicas && c.UpdatedReadyReplicas == d.UpdatedReadyReplicas &&
		ptr.Equal(c.NoNeedUpdateReplicas, d.NoNeedUpdateReplicas)
}
