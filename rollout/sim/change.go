// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// Put makes objects what is wanted, as kubectl apply does: what is not there is created, and of
// what is identity and status stay. It takes values of deploy.Deployment, replicaset.ReplicaSet,
// daemonset.DaemonSet, kruise.Rollout, [ArgoRollout], [Set], [Node], [Object], [Budget], and of
// podorder.Pod and daemonset.Pod, which can only be created. Templates of a Deployment, a
// DaemonSet or a [Set] that a Rollout releases go through its admission. Of the status of an
// [ArgoRollout] it takes over what people say there: Abort, PromoteFull and Runs. The error, which wraps [ErrInvalid], is of the
// first that is none of these or has no name, or, a [selector.FieldError] then, does not select the
// pods of its own template; those before it are put.
func (w *World) Put(objects ...any) error {
	f := w.engine()
	for _, object := range objects {
		var errs field.Errors
		if selects(&errs, object); len(errs) > 0 {
			return errs.Join()
		}
		var err error
		switch o := object.(type) {
		case deploy.Deployment:
			err = f.PutDeployment(o)
		case replicaset.ReplicaSet:
			err = f.PutReplicaSet(o)
		case daemonset.DaemonSet:
			err = f.PutDaemonSet(o)
		case kruise.Rollout:
			err = f.PutRollout(o)
		case ArgoRollout:
			err = f.PutArgoRollout(sim.ArgoRollout(o))
		case Set:
			err = f.PutSet(sim.Set{Set: podset.Set(o)})
		case Object:
			err = f.PutThing(sim.Thing(o))
		case Node:
			err = w.putNode(o)
		case Budget:
			w.budgets = append(slices.DeleteFunc(slices.Clone(w.budgets), func(b Budget) bool { return b.Name == o.Name }), o)
		case podorder.Pod:
			bound(f, w.rooms, &o)
			err = f.PutPod(o)
		case daemonset.Pod:
			bound(f, w.rooms, &o.Pod)
			err = f.PutDaemonPod(o)
		default:
			err = fmt.Errorf("no object of a world: %T", object)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", err, ErrInvalid)
		}
		w.scalers.quiet = 0
	}
	return f.Err()
}

// PutTemplate says how the pods of a template are placed and live from now on, by its ID.
func (w *World) PutTemplate(id string, t Template) {
	w.engine()
	w.rooms.templates[id] = t
}

// putNode adds a node, or makes it what is known of it.
func (w *World) putNode(n Node) error {
	w.rooms.rebuild(append(slices.DeleteFunc(slices.Clone(w.rooms.nodes.list), func(o Node) bool { return o.Name == n.Name }), n))
	return w.f.PutNode(sim.Node{Node: n.Node, Zone: n.Zone, NotReady: n.NotReady, Cordoned: n.Cordoned})
}

// Delete deletes an object of a kind, and with it what it controls. It reports whether it was
// there.
func (w *World) Delete(k Kind, name string) bool {
	kind, _ := engineKind(k)
	w.scalers.quiet = 0
	return w.engine().Delete(kind, name)
}

// Scale makes a number the wanted replicas of a Deployment, ReplicaSet, Set or ArgoRollout. It reports
// whether that was there.
func (w *World) Scale(k Kind, name string, replicas int32) bool {
	kind, _ := engineKind(k)
	w.scalers.quiet = 0
	return w.engine().Scale(kind, name, max(0, replicas), sim.User)
}

// Approve lets the Rollouts go on that wait for a person. It returns how many there were.
func (w *World) Approve() (n int) {
	for w.engine().Approve() {
		n++
	}
	return n
}

// Fail lets a pod fail that has a node. It reports whether there was one.
func (w *World) Fail(pod string) bool { return w.engine().FailPod(pod) }

// Answers lets a node answer, or stop to. Pods on one that does not are not ready.
func (w *World) Answers(node string, on bool) { w.engine().Answers(node, on) }

// Evict deletes a pod if all budgets that select it allow that. The error, which wraps
// [ErrInvalid], says why it does not: there is no such pod, or which budget stands against it.
func (w *World) Evict(pod string) error {
	if err := w.mayEvict(pod); err != nil {
		return err
	}
	w.f.EvictPod(pod)
	return w.f.Err()
}

// mayEvict returns why a pod may not be evicted, or nil.
func (w *World) mayEvict(pod string) error {
	v := w.View()
	p := v.Pod(pod)
	if p == nil {
		return fmt.Errorf("no pod %s: %w", pod, ErrInvalid)
	}
	for i := range w.budgets {
		if b := &w.budgets[i]; !allowsEviction(v, b, p) {
			return fmt.Errorf("budget %s: %w", b.Name, ErrInvalid)
		}
	}
	return nil
}

// Drain cordons a node, and evicts its pods one after the other as budgets allow, those of
// DaemonSets aside. It reports whether there is such a node. What is refused is tried again
// every five seconds.
func (w *World) Drain(node string) bool {
	f := w.engine()
	if _, ok := w.rooms.nodes.place[node]; !ok {
		return false
	}
	f.Cordon(node, true)
	w.evictAll(node)
	return true
}

func (w *World) evictAll(node string) {
	if i, ok := w.rooms.nodes.place[node]; !ok || !w.rooms.nodes.list[i].Cordoned {
		return
	}
	left := false
	for _, p := range slices.Clone(w.View().Pods()) {
		if p.NodeName != node || !p.Active() {
			continue
		}
		if err := w.Evict(p.Name); err != nil {
			left = true
		}
	}
	if left && w.f.Err() == nil {
		w.f.At(w.f.Now().Add(5*time.Second), func() { w.evictAll(node) })
	}
}

// Uncordon lets a node take pods again, and ends its drain.
func (w *World) Uncordon(node string) { w.engine().Cordon(node, false) }

// Snapshot is what the world holds, from which another can go on. Faults, what controllers have
// in memory and how far stages have gone are no part of it.
func (w *World) Snapshot() Snapshot {
	f := w.engine()
	v, state := w.View(), f.State()
	s := Snapshot{
		Now: f.Now(), Resources: slices.Clone(w.resources), Nodes: slices.Clone(w.rooms.nodes.list), Budgets: slices.Clone(w.budgets), Quotas: slices.Clone(w.limits.quotas),
		Deployments: values(v.Deployments()), ReplicaSets: values(v.ReplicaSets()), Pods: values(v.Pods()), DaemonSets: values(v.DaemonSets()),
		DaemonPods: values(v.DaemonPods()), Revisions: values(state.Revisions), Sets: values(v.Sets()), Rollouts: values(v.Rollouts()), ArgoRollouts: values(v.ArgoRollouts()), Objects: values(v.Objects("")),
		Routes: values(state.Routes), Ingresses: values(state.Ingresses),
	}
	for _, o := range state.Services {
		s.Services = append(s.Services, o.Service)
	}
	for _, o := range state.BatchReleases {
		s.Releases = append(s.Releases, o.Release)
	}
	for id, t := range w.rooms.templates {
		if s.Templates == nil {
			s.Templates = map[string]Template{}
		}
		s.Templates[id] = t
	}
	return s
}
