// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
)

// Apply returns the snapshot after the API server has carried out an action at now. Nothing
// else changes: no pods come or go, and the router is not part of the snapshot. It is meant
// for simulators and tests. It does not change s.
//
// A ReplicaSet is identified by its hash, a Service by its name. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError]: the object of the action is not in the
// snapshot, the hash of the new ReplicaSet is taken, or the ReplicaSet to scale does not
// have the size From.
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns the snapshot after the whole plan has been carried out at now: its actions,
// and the status.
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	next.Rollout.Status = p.Status.clone()
	return next, nil
}

// Apply returns the snapshot after the actions have been carried out at now, in their
// order, each as by the function [Apply]. It stops at the first error.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	sets := apply.NewList(s.Sets, func(rs *ReplicaSet) (string, string) { return rs.Hash, "" })
	for _, action := range as {
		var err error
		switch a := action.(type) {
		case CreateReplicaSet:
			err = a.apply(sets, now)
		case ScaleReplicaSet:
			err = a.apply(sets)
		case DelayReplicaSet:
			err = a.apply(sets)
		case EvictPod:
			err = a.apply(&s)
		case SelectPods:
			err = a.apply(&s)
		case RemoveRoute:
			err = a.apply(&s)
		case SetRoute:
			a.apply(&s)
		case SetWeight: // the router is not in the snapshot, only the weights of the status
		default:
			err = apply.Refused("Action", "", "must be an action of this package")
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	s.Sets = sets.All()
	return s, nil
}

func (a CreateReplicaSet) apply(sets *apply.List[ReplicaSet], now time.Time) error {
	if sets.Find(a.Hash, "") != nil {
		return apply.Refused("Action.Hash", a.Hash, "must not be that of a ReplicaSet")
	}
	sets.Add(ReplicaSet{
		Name: a.Name, Hash: a.Hash, Revision: a.Revision, Size: Size{Replicas: a.Replicas}, DesiredReplicas: ptr.To(a.Desired), CreationTimestamp: now,
	})
	return nil
}

func (a ScaleReplicaSet) apply(sets *apply.List[ReplicaSet]) error {
	rs, err := found(sets, a.Hash)
	switch {
	case err != nil:
		return err
	case rs.Replicas != a.From:
		return apply.Refused("Action.From", strconv.Itoa(int(a.From)), "must be the size of the ReplicaSet")
	}
	rs.Replicas, rs.DesiredReplicas = a.To, ptr.To(a.Desired)
	return nil
}

func (a DelayReplicaSet) apply(sets *apply.List[ReplicaSet]) error {
	rs, err := found(sets, a.Hash)
	if err == nil {
		rs.ScaleDownAt = a.Until
	}
	return err
}

func found(sets *apply.List[ReplicaSet], hash string) (*ReplicaSet, error) {
	if rs := sets.Find(hash, ""); rs != nil {
		return rs, nil
	}
	return nil, apply.Refused("Action.Hash", hash, "must be the hash of a ReplicaSet")
}

// apply marks the pod as being deleted. It stays in the snapshot until it has ended.
func (a EvictPod) apply(s *Snapshot) error {
	i := slices.IndexFunc(s.Pods, func(p Pod) bool { return p.Name == a.Name })
	if i < 0 {
		return apply.Refused("Action.Name", a.Name, "must be the name of a pod")
	}
	s.Pods = slices.Clone(s.Pods)
	s.Pods[i].Deleting = true
	return nil
}

func (a RemoveRoute) apply(s *Snapshot) error {
	if route(s.Routes, a.Name) == nil {
		return apply.Refused("Action.Name", a.Name, "must be the name of a route")
	}
	s.Routes = slices.DeleteFunc(slices.Clone(s.Routes), func(r Route) bool { return r.Name == a.Name })
	return nil
}

// apply replaces the route with the same name in its place, or adds the route at the end.
func (a SetRoute) apply(s *Snapshot) {
	s.Routes = slices.Clone(s.Routes)
	if r := route(s.Routes, a.Route.Name); r != nil {
		*r = a.Route.clone()
		return
	}
	s.Routes = append(s.Routes, a.Route.clone())
}

// apply changes the selector of each Service with the name.
func (a SelectPods) apply(s *Snapshot) error {
	known := false
	for _, service := range []**Service{&s.Active, &s.Preview, &s.StableService, &s.CanaryService, &s.Ping, &s.Pong} {
		if *service != nil && (*service).Name == a.Service {
			*service = &Service{Name: a.Service, Selector: apply.With((*service).Selector, map[string]string{a.Key: a.Value}), Managed: true}
			known = true
		}
	}
	if !known {
		return apply.Refused("Action.Service", a.Service, "must be the name of a Service of the Rollout")
	}
	return nil
}
