// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Objects are all the objects of a kind that occur, by number. Equal objects have the same
// number, and number 0 is no object. Listed objects are never written to.
type objects[T any] struct {
	list   []*T
	number map[string]int32
}

// of returns the number of an object.
func (o *objects[T]) of(v *T) int32 {
	if v == nil {
		return 0
	}
	key, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a type that has no such values
	}
	if n, ok := o.number[string(key)]; ok {
		return n
	}
	if o.number == nil {
		o.number, o.list = map[string]int32{}, []*T{nil}
	}
	n := int32(len(o.list))
	o.number[string(key)], o.list = n, append(o.list, v)
	return n
}

// at returns the object of a number, nil for none.
func (o *objects[T]) at(n int32) *T {
	if n == 0 {
		return nil
	}
	return o.list[n]
}

type rolloutObjects struct {
	rollout  objects[kruise.Rollout]
	release  objects[batchrelease.Release]
	workload objects[workload.Workload]
	sets     objects[[]replicaset.ReplicaSet]
	traffic  objects[traffic.Objects]
	grace    objects[kruise.Grace]
	labels   objects[map[string]string]
	plan     objects[rolloutPlan]
}

// Times are now or long ago. A state in which nothing waits for time has only long ago.
var longAgo = now.Add(-time.Hour)

// timed reports whether something waits for time.
func (r *Rollouts) timed() bool {
	for _, s := range r.Steps {
		if s.Pause.Duration != nil && *s.Pause.Duration > 0 {
			return true
		}
	}
	return r.Led
}

func (r *Rollouts) time(t time.Time) time.Time {
	if t.IsZero() || r.timed() {
		return t
	}
	return longAgo
}

func conditionsAt(list []kplan.Condition, at func(time.Time) time.Time) []kplan.Condition {
	var out []kplan.Condition
	for _, c := range list {
		c.Message, c.LastUpdateTime, c.LastTransitionTime = "", at(c.LastUpdateTime), longAgo
		out = append(out, c)
	}
	return out
}

// storedRollout stores a Rollout without fields that decide nothing: messages, and the number
// of its changes.
func (r *Rollouts) storedRollout(o kruise.Rollout, at func(time.Time) time.Time) int32 {
	o.Status.Message, o.Status.Conditions = "", conditionsAt(o.Status.Conditions, at)
	if o.Status.Sub != nil {
		sub := *o.Status.Sub
		sub.Message, sub.LastUpdateTime = "", at(sub.LastUpdateTime)
		o.Status.Sub = &sub
	}
	return r.objects.rollout.of(&o)
}

// storedRelease stores a BatchRelease, whose generation is 1 once it is observed, and 2 before.
func (r *Rollouts) storedRelease(o batchrelease.Release) int32 {
	if o.Status.ObservedGeneration == o.Generation {
		o.Generation, o.Status.ObservedGeneration = 1, 1
	}
	o.Generation = min(o.Generation, 2)
	o.Status.Message, o.Status.Current.BatchReadyTime = "", time.Time{}
	o.Status.Conditions = conditionsAt(o.Status.Conditions, func(time.Time) time.Time { return longAgo })
	return r.objects.release.of(&o)
}

// storedWorkload stores a Deployment, with a generation as in storedRelease, without the
// fields that workloadOf derives.
func (r *Rollouts) storedWorkload(o workload.Workload) int32 {
	if o.Status.ObservedGeneration == o.Generation {
		o.Generation, o.Status.ObservedGeneration = 1, 1
	}
	o.Generation = min(o.Generation, 2)
	o.StableRevision, o.UpdateRevision, o.Status.UpdatedReadyReplicas = "", "", 0
	for _, m := range []*map[string]string{&o.Labels, &o.Annotations} {
		if len(*m) == 0 {
			*m = nil
		}
	}
	return r.objects.workload.of(&o)
}

// later returns the objects after time has passed.
func (r *Rollouts) later(w storedObjects) storedObjects {
	if !r.timed() {
		return w
	}
	w.rollout = r.storedRollout(*r.objects.rollout.list[w.rollout], func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return longAgo
	})
	return w
}

func (r *Rollouts) laterGrace(n int32) int32 {
	g := r.objects.grace.at(n)
	if g == nil {
		return 0
	}
	next := kruise.Grace{}
	for key := range *g {
		next[key] = longAgo
	}
	return r.objects.grace.of(&next)
}

// first returns the initial objects: a Rollout that no controller has seen yet, and a
// Deployment that is done.
func (r *Rollouts) first(n int8) (w storedObjects) {
	ref := workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"}
	strategy := &kruise.Strategy{Steps: r.Steps}
	if r.Led {
		strategy.TrafficRoutings = []traffic.Routing{{Service: "web", GracePeriodSeconds: 3, Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("web")}}}
		w.traffic = r.objects.traffic.of(&traffic.Objects{
			Stable: &traffic.Service{Name: "web", Selector: map[string]string{"app": "web"}},
			Route:  &traffic.Route{Name: "web", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}},
		})
	}
	w.rollout = r.storedRollout(kruise.Rollout{Name: "web", UID: "r", Generation: 1, WorkloadRef: ref, Canary: strategy}, r.time)
	w.workload = r.storedWorkload(workload.Workload{
		Ref: ref, UID: "d", Generation: 1, Replicas: ptr.To(int32(n)), Template: templateOf(0), StrategyType: string(deploy.RollingUpdate),
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(int32(r.Surge)), MaxUnavailable: rollout.Int(int32(r.Unavailable))},
		Annotations:   map[string]string{revision.AnnotationRevision: "1"},
		Status:        workload.Status{ObservedGeneration: 1, Replicas: int32(n), ReadyReplicas: int32(n), AvailableReplicas: int32(n), UpdatedReplicas: int32(n)},
	})
	most := strconv.Itoa(int(n + r.Surge))
	w.sets = r.objects.sets.of(&[]replicaset.ReplicaSet{{
		Name: setName(0), UID: setName(0), Generation: 1, ControllerKind: deploy.Kind, ControllerName: "web", ControllerUID: "d",
		CreationTimestamp: longAgo, Replicas: ptr.To(int32(n)), Template: templateOf(0),
		Annotations: map[string]string{revision.AnnotationRevision: "1", revision.AnnotationDesired: strconv.Itoa(int(n)), revision.AnnotationMax: most},
	}})
	return w
}

// workloadOf returns the Deployment as batches and admission read it.
func (r *Rollouts) workloadOf(n int32) workload.Workload {
	w := *r.objects.workload.list[n]
	w.StableRevision, w.UpdateRevision = w.Labels[workload.LabelStableRevision], w.Template.Hash
	w.Status.UpdatedReadyReplicas = partition.ParseExtraStatus(w.Annotations[partition.AnnotationExtraStatus]).UpdatedReadyReplicas
	return w
}

func (r *Rollouts) setsOf(n int32) (sets []workload.Set) {
	for _, rs := range *r.objects.sets.list[n] {
		sets = append(sets, workload.Set{
			Name: rs.Name, Template: rs.Template, Replicas: *rs.Replicas, Revision: rs.Annotations[revision.AnnotationRevision], CreationTimestamp: rs.CreationTimestamp,
		})
	}
	return sets
}

// admitted returns the state after an update of the Deployment.
func (r *Rollouts) admitted(s rolloutState, change func(*workload.Workload)) (rolloutState, []Breach) {
	old := r.workloadOf(s.workload)
	updated := old
	change(&updated)
	a, err := kruise.Admit(kruise.AdmitSnapshot{Old: old, New: updated, Rollouts: []kruise.Rollout{*r.objects.rollout.list[s.rollout]}, Sets: r.setsOf(s.sets)}, r.Options)
	if err != nil {
		return s, []Breach{breach(PropertyPlan, "%v", err)}
	}
	w := updated
	if a.Changed {
		w = a.Object
	}
	w.Generation = 2
	s.workload = r.storedWorkload(w)
	return s, nil
}
