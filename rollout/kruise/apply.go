// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Apply returns s after the API server has carried out one action at now, with nothing else
// changed. Simulators and tests use it. Apply does not modify s.
//
//   - [CreateBatchRelease] creates a BatchRelease with a UID made of its name and now. Its
//     generation rises with each change of its spec, and when it is marked as deleted. It is
//     removed when it is deleted without a finalizer.
//   - The state of the workload changes as [workload.State.Patched] describes. A caller that
//     holds the workload itself patches that, and calls [workload.Inspect] again.
//   - The API server deletes a Rollout that is being deleted once it loses its last finalizer;
//     the caller has to handle that.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError]: the object does not
// exist, or the name of the new one is taken.
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns s after all actions of the plan are carried out at now, with the status of the plan
// unless the plan has a Failure. The Grace of the plan becomes the Grace of the snapshot.
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	if p.Failure == "" {
		next.Rollout.Status = p.Status.clone()
	}
	next.Grace = maps.Clone(p.Grace)
	return next, nil
}

// Apply returns s after the actions are carried out at now, in order, each as by the function
// [Apply]. It stops at the first error.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	for _, action := range as {
		var err error
		switch a := action.(type) {
		case SetFinalizer:
			err = a.apply(&s)
		case PatchRollout:
			s.Rollout.Annotations = apply.With(s.Rollout.Annotations, a.Annotations)
			err = apply.Meant("Rollout", true, s.Rollout.Name, s.Rollout.UID, a.Name, a.UID)
		case PatchWorkload:
			err = a.apply(&s)
		case CreateBatchRelease, UpdateBatchRelease, PatchBatchRelease, DeleteBatchRelease:
			s.BatchRelease, err = applyToRelease(s.BatchRelease, a, now)
		default:
			err = applyToTraffic(&s.Traffic, a)
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	return s, nil
}

func (a SetFinalizer) apply(s *Snapshot) error {
	switch a.Kind {
	case "Rollout":
		s.Rollout.Finalizers = apply.Finalizers(s.Rollout.Finalizers, a.Finalizer, a.Remove)
		return apply.Meant(a.Kind, true, s.Rollout.Name, s.Rollout.UID, a.Name, a.UID)
	case "TrafficRouting":
		t := *zero.Or(s.Shared)
		t.Finalizers = apply.Finalizers(t.Finalizers, a.Finalizer, a.Remove)
		err := apply.Meant(a.Kind, s.Shared != nil, t.Name, t.UID, a.Name, a.UID)
		s.Shared = &t
		return err
	}
	return apply.Refused("Action.Kind", a.Kind, "must be Rollout or TrafficRouting")
}

func (a PatchWorkload) apply(s *Snapshot) error {
	w := zero.Or(s.Workload)
	known := s.Workload != nil && w.GroupKind() == a.Workload.GroupKind()
	if apply.Meant("", known, w.Name, w.UID, a.Workload.Name, a.UID) != nil {
		return apply.Refused("Action.Workload", a.Workload.Name, "must be the workload with the UID of the action")
	}
	s.Workload = ptr.To(w.Patched(a.Patch))
	return nil
}

// applyToRelease returns the BatchRelease after an action, nil if it does not exist.
func applyToRelease(before *batchrelease.Release, action Action, now time.Time) (*batchrelease.Release, error) {
	br := *zero.Or(before)
	meant := func(name, uid string) error {
		return apply.Meant("BatchRelease", before != nil, br.Name, br.UID, name, uid)
	}
	var err error
	switch a := action.(type) {
	case CreateBatchRelease:
		if before != nil {
			return nil, apply.Refused("Action.Name", a.Name, "must not be that of a BatchRelease")
		}
		br = batchrelease.Release{
			Name: a.Name, UID: apply.UID(a.Name, now), Annotations: maps.Clone(a.Annotations), WorkloadRef: a.WorkloadRef, ReleasePlan: a.ReleasePlan.Clone(),
		}
	case UpdateBatchRelease:
		err = meant(a.Name, a.UID)
		br.Annotations, br.WorkloadRef, br.ReleasePlan = maps.Clone(a.Annotations), a.WorkloadRef, a.ReleasePlan.Clone()
	case PatchBatchRelease:
		err = meant(a.Name, a.UID)
		if a.RolloutID != nil {
			br.ReleasePlan.RolloutID = *a.RolloutID
		}
		if a.Finalize != "" {
			br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = nil, a.Finalize
		}
	case DeleteBatchRelease:
		err = meant(a.Name, a.UID)
		if len(br.Finalizers) == 0 {
			return nil, err
		}
		if br.DeletionTimestamp.IsZero() {
			br.DeletionTimestamp = now
			br.Generation++
		}
		return &br, err
	}
	if before == nil || br.WorkloadRef != before.WorkloadRef || br.ReleasePlan.Text() != before.ReleasePlan.Text() {
		br.Generation++
	}
	return &br, err
}

// applyToTraffic carries out an action on Services and routes.
func applyToTraffic(t *traffic.Objects, action Action) error {
	stable, canary := zero.Or(t.Stable), zero.Or(t.Canary)
	switch a := action.(type) {
	case SelectPods:
		return a.apply(t)
	case CreateService:
		if t.Stable == nil || stable.Name != a.Stable {
			return apply.Refused("Action.Stable", a.Stable, "must be the name of the stable Service")
		}
		if t.Canary != nil || stable.Name == a.Name {
			return apply.Refused("Action.Name", a.Name, "must not be that of a Service")
		}
		t.Canary = &traffic.Service{Name: a.Name, Selector: maps.Clone(a.Selector)}
	case DeleteService:
		err := apply.Meant("canary Service", t.Canary != nil, canary.Name, "", a.Name, "")
		t.Canary = nil
		return err
	case SetRoute:
		route := *zero.Or(t.Route)
		err := apply.Meant("route", t.Route != nil, route.Name, "", a.Name, "")
		route.Rules = slices.Clone(a.Rules)
		for i := range route.Rules {
			route.Rules[i] = route.Rules[i].Clone()
		}
		t.Route = &route
		return err
	case SetIngress:
		return a.apply(t)
	case DeleteIngress:
		ingress := zero.Or(t.CanaryIngress)
		err := apply.Meant("canary Ingress", t.CanaryIngress != nil, ingress.Name, "", a.Name, "")
		t.CanaryIngress = nil
		return err
	default:
		return apply.Refused("Action", "", "must be an action of this package")
	}
	return nil
}

// apply carries out the action on each of the Services that have the name: a Rollout may lead
// to the stable one alone.
func (a SelectPods) apply(t *traffic.Objects) error {
	known := false
	for _, service := range []**traffic.Service{&t.Stable, &t.Canary} {
		o := *service
		if o == nil || o.Name != a.Service {
			continue
		}
		known = true
		if a.Value == "" {
			*service = &traffic.Service{Name: o.Name, Selector: apply.Without(o.Selector, a.Key)}
		} else {
			*service = &traffic.Service{Name: o.Name, Selector: apply.With(o.Selector, map[string]string{a.Key: a.Value})}
		}
	}
	if !known {
		return apply.Refused("Action.Service", a.Service, "must be the name of a Service of the Rollout")
	}
	return nil
}

func (a SetIngress) apply(t *traffic.Objects) error {
	stable, canary := zero.Or(t.Ingress), zero.Or(t.CanaryIngress)
	switch {
	case !a.Create:
		if err := apply.Meant("canary Ingress", t.CanaryIngress != nil, canary.Name, "", a.Name, ""); err != nil {
			return err
		}
	case t.Ingress == nil || stable.Name != a.Stable:
		return apply.Refused("Action.Stable", a.Stable, "must be the name of the stable Ingress")
	case t.CanaryIngress != nil || stable.Name == a.Name:
		return apply.Refused("Action.Name", a.Name, "must not be that of an Ingress")
	}
	t.CanaryIngress = &traffic.Ingress{Name: a.Name, Annotations: maps.Clone(a.Annotations)}
	return nil
}
