// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Put stores wanted objects, as kubectl apply does: it creates new objects, and keeps the identity
// and status of known ones. It takes values of deploy.Deployment, replicaset.ReplicaSet, which is a
// ReplicationController if its Kind says so, daemonset.DaemonSet, cluster.AdvancedDaemonSet,
// kruise.Rollout, cluster.ArgoRollout, cluster.Set, cluster.Node, cluster.Object, cluster.Budget,
// cluster.Quota, and of podorder.Pod and daemonset.Pod, which can only be created. Templates of a
// Deployment, a DaemonSet or a Set that a Rollout releases go through its admission. The status of
// an ArgoRollout is kept, except for the fields that users set: Abort, PromoteFull and Runs.
//
// The error, which wraps [kplan.ErrInvalid], is about the first object of another type or without a
// name, or, as a [kplan.FieldError], about the first that does not select its own pods or that has
// amounts below 0; earlier objects are stored.
func (w *World) Put(objects ...any) error {
	w.ensure()
	for _, object := range objects {
		var errs kplan.FieldErrors
		if q, ok := object.(cluster.Quota); ok {
			validQuota(&q, &errs)
		}
		if selects(&errs, object); len(errs) > 0 {
			return errs.Join()
		}
		if err := w.intake.put(object); err != nil {
			return fmt.Errorf("%v: %w", err, kplan.ErrInvalid)
		}
		w.quiet = quiet{}
	}
	return w.server.Err()
}

// PutTemplate sets the template with an ID, from which pods are placed and live from now on.
func (w *World) PutTemplate(id string, t cluster.Template) {
	w.ensure().life.SetTemplate(id, t)
	w.server.Quotas.Recount()
}

// Delete deletes an object of a kind, and the objects that it controls. It reports whether the object
// existed.
func (w *World) Delete(k Kind, name string) bool {
	r := apiserver.By(store.User, name)
	r.Verb = store.Delete
	w.ensure().quiet = quiet{}
	if k == KindRollout {
		return w.env.DeleteRollout(name)
	}
	return w.server.Delete(k.stored(), r) == apiserver.Done
}

// Approve resumes the Rollouts that wait for a user. It returns their number.
func (w *World) Approve() (n int) {
	for w.ensure().env.Approve() {
		n++
	}
	return n
}

// Fail makes a pod on a node fail. It reports whether there was such a pod.
func (w *World) Fail(pod string) bool { return w.ensure().life.Failed(pod, podorder.Failed) }

// Answers sets whether a node answers. Pods on a node that does not answer are not ready.
func (w *World) Answers(node string, on bool) {
	if w.ensure(); on {
		w.life.Answer(node)
	} else {
		w.life.StopAnswering(node)
	}
}

// Evict deletes a pod if all budgets that select it allow that. The error, which wraps
// [kplan.ErrInvalid], has the reason of a refusal: the pod does not exist, or a budget does not
// allow it.
func (w *World) Evict(pod string) error {
	s := w.ensure().server
	p := s.Pods.Get(pod)
	if p == nil {
		return fmt.Errorf("no pod %s: %w", pod, kplan.ErrInvalid)
	}
	if err := s.Budgets.Against(p); err != nil {
		return fmt.Errorf("%v: %w", err, kplan.ErrInvalid)
	}
	s.Evict(apiserver.By(store.User, pod))
	return s.Err()
}

// evictEvery is the time after which a drain retries an eviction, as kubectl drain does.
const evictEvery = 5 * time.Second

// Drain cordons a node, and evicts its pods one after the other as budgets allow, except pods of
// DaemonSets. It reports whether there is such a node. A refused eviction is tried again every five
// seconds.
func (w *World) Drain(node string) bool {
	if w.ensure().server.Nodes.Get(node) == nil {
		return false
	}
	w.cordon(node, true)
	w.evictAll(node)
	return true
}

func (w *World) evictAll(node string) {
	s := w.server
	if n := s.Nodes.Get(node); n == nil || !n.Cordoned {
		return
	}
	left := false
	for _, p := range slices.Clone(s.Pods.All()) {
		if p.NodeName == node && p.Active() && !p.OfDaemonSet && w.Evict(p.Name) != nil {
			left = true
		}
	}
	if left && s.Err() == nil {
		s.Agenda.After(evictEvery, agenda.Caller, func() { w.evictAll(node) })
	}
}

// Uncordon lets a node take pods again, and ends its drain.
func (w *World) Uncordon(node string) { w.ensure().cordon(node, false) }

func (w *World) cordon(node string, on bool) {
	if n := w.server.Nodes.Get(node); n != nil && n.Cordoned != on {
		w.chaos.Owned(node, on)
		w.life.Cordon(node, on)
	}
}

// Snapshot returns the state of the world, from which another world can start. It does not contain
// faults, the memory of controllers and the progress within stages.
func (w *World) Snapshot() cluster.Snapshot {
	s, v := w.ensure().server, w.View()
	snapshot := cluster.Snapshot{
		Now: w.Now(), Resources: slices.Clone(w.resources), Budgets: s.Budgets.List(), Quotas: s.Quotas.List(),
		Nodes:       copies(s.Nodes.All(), func(o *store.Node) cluster.Node { return o.Node }),
		Deployments: values(v.Deployments()), ReplicaSets: values(v.ReplicaSets()), ReplicationControllers: values(v.ReplicationControllers()),
		Pods: values(v.Pods()), DaemonPods: values(v.DaemonPods()), Revisions: values(s.Revisions.All()), Sets: values(v.Sets()), Rollouts: values(v.Rollouts()),
		ArgoRollouts: values(v.ArgoRollouts()), Objects: values(v.Objects("")), Routes: values(s.Routes.All()), Ingresses: values(s.Ingresses.All()),
		Services: copies(s.Services.All(), func(o *store.Service) traffic.Service { return o.Service }),
		Releases: copies(s.BatchReleases.All(), func(o *store.BatchRelease) batchrelease.Release { return o.Release }),
	}
	snapshot.Meta = metaOf(s.Store)
	for _, d := range s.DaemonSets.All() {
		if d.Advanced {
			snapshot.AdvancedDaemonSets = append(snapshot.AdvancedDaemonSets, cluster.AdvancedDaemonSet{DaemonSet: d.DaemonSet})
		} else {
			snapshot.DaemonSets = append(snapshot.DaemonSets, d.DaemonSet)
		}
	}
	for _, p := range s.Pods.All() {
		if p.Hold != (cluster.PodHold{}) {
			if snapshot.Held == nil {
				snapshot.Held = map[string]cluster.PodHold{}
			}
			snapshot.Held[p.Name] = p.Hold
		}
	}
	for id, t := range w.life.Templates() {
		if snapshot.Templates == nil {
			snapshot.Templates = map[string]cluster.Template{}
		}
		snapshot.Templates[id] = t
	}
	return snapshot
}

// copies returns a part of each object, nil for none.
func copies[T, U any](list []*T, part func(*T) U) (parts []U) {
	for _, o := range list {
		parts = append(parts, part(o))
	}
	return parts
}

func values[T any](list []*T) []T { return copies(list, func(o *T) T { return *o }) }
