// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A follower keeps the input of the plans for a ReplicaSet or a DaemonSet from pass to pass.
// Each pass lists the cache completely, and passes the Tracker the differences from the last
// pass: all other objects are neither converted nor counted again.
type follower[Tracker any] struct {
	owner   types.UID
	tracker Tracker
	pods    listing
	nodes   listing
}

// Followers are the followers of all owners of a kind. Two passes of one owner never run at the
// same time, so the current pass has its follower to itself. After a follower is dropped, the
// next pass starts with an empty one.
type followers[Tracker any] struct {
	mu sync.Mutex
	of map[types.NamespacedName]*follower[Tracker]
}

// get returns the follower of an owner. An owner created again under the same name gets a
// new one.
func (fs *followers[T]) get(owner client.Object) *follower[T] {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	key := client.ObjectKeyFromObject(owner)
	f := fs.of[key]
	if f == nil || f.owner != owner.GetUID() {
		if fs.of == nil {
			fs.of = map[types.NamespacedName]*follower[T]{}
		}
		f = &follower[T]{owner: owner.GetUID()}
		fs.of[key] = f
	}
	return f
}

func (fs *followers[T]) drop(owner types.NamespacedName) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.of, owner)
}

// A listing holds the objects of one kind that the last pass listed, by name.
type listing struct {
	objects map[string]listedObject
	pass    int
}

// A listedObject identifies an object and its version in the last pass that listed it.
type listedObject struct {
	name    string
	uid     types.UID
	version string
	pass    int
}

// compare returns the objects that are gone since the last pass, and the new objects. A changed
// object is both, so that it does not matter which of its versions is later: a cache may go
// back in time.
func compare[T client.Object](s *listing, list []T) (removed []listedObject, added []T) {
	if s.objects == nil {
		s.objects = make(map[string]listedObject, len(list))
	}
	s.pass++
	for _, o := range list {
		was, now := s.objects[o.GetName()], listedObject{o.GetName(), o.GetUID(), o.GetResourceVersion(), s.pass}
		s.objects[now.name] = now
		if was.uid == now.uid && was.version == now.version {
			continue
		}
		if added = append(added, o); was.pass > 0 {
			removed = append(removed, was)
		}
	}
	for name, o := range s.objects {
		if o.pass < s.pass {
			delete(s.objects, name)
			removed = append(removed, o)
		}
	}
	return removed, added
}

// update calls remove for each object that is gone since the last pass, then add for each
// new object.
func update[T client.Object](s *listing, list []T, remove func(*listedObject) error, add func(T) error) (err error) {
	removed, added := compare(s, list)
	for i := range removed {
		err = errors.Join(err, remove(&removed[i]))
	}
	for _, o := range added {
		err = errors.Join(err, add(o))
	}
	return err
}

// tellSet passes the current pods to the Tracker of a ReplicaSet.
func tellSet(f *follower[replicaset.Tracker], d replicaset.Delta, pods []*corev1.Pod) error {
	pod := func(old, now *podorder.Pod) error {
		return f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: now}})
	}
	return errors.Join(f.tracker.Apply(d), update(&f.pods, pods,
		func(o *listedObject) error { return pod(new(o.pod()), nil) },
		func(p *corev1.Pod) error { return pod(nil, new(kube.Pod(p))) }))
}

// tellDaemon passes the current nodes and pods to the Tracker of a DaemonSet.
func tellDaemon(f *follower[daemonset.Tracker], d daemonset.Delta, pods []*corev1.Pod, nodes []*corev1.Node) error {
	node := func(old, now *daemonset.Node) error {
		return f.tracker.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: old, New: now}})
	}
	pod := func(old, now *daemonset.Pod) error {
		return f.tracker.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: now}})
	}
	return errors.Join(f.tracker.Apply(d),
		update(&f.nodes, nodes,
			func(o *listedObject) error { return node(&daemonset.Node{Name: o.name}, nil) },
			func(n *corev1.Node) error { return node(nil, new(kube.Node(n))) }),
		update(&f.pods, pods,
			func(o *listedObject) error { return pod(&daemonset.Pod{Pod: o.pod()}, nil) },
			func(p *corev1.Pod) error { return pod(nil, new(kube.DaemonSetPod(p))) }))
}

// pod returns a pod with the fields that identify it.
func (s *listedObject) pod() podorder.Pod {
	return podorder.Pod{Name: s.name, UID: string(s.uid), ResourceVersion: s.version}
}

// A planner makes plans for an owner, and computes the status after a plan was carried out. It
// is a Tracker, or a snapshot for a single pass.
type planner[Plan, Report, Result, Options any] interface {
	Plan(time.Time, Options) (Plan, error)
	Finish(Plan, Report, time.Time, Options) Result
}

type (
	setPlanner    = planner[replicaset.Plan, replicaset.Report, replicaset.Result, replicaset.Options]
	daemonPlanner = planner[daemonset.Plan, daemonset.Report, daemonset.Result, daemonset.Options]
)

type setSnapshot struct{ replicaset.Snapshot }

func (s setSnapshot) Plan(now time.Time, o replicaset.Options) (replicaset.Plan, error) {
	return replicaset.Reconcile(s.Snapshot, now, o)
}

func (s setSnapshot) Finish(p replicaset.Plan, r replicaset.Report, now time.Time, o replicaset.Options) replicaset.Result {
	return replicaset.Finish(s.Snapshot, p, r, now, o)
}

type daemonSnapshot struct{ daemonset.Snapshot }

func (s daemonSnapshot) Plan(now time.Time, o daemonset.Options) (daemonset.Plan, error) {
	return daemonset.Reconcile(s.Snapshot, now, o)
}

func (s daemonSnapshot) Finish(p daemonset.Plan, r daemonset.Report, now time.Time, o daemonset.Options) daemonset.Result {
	return daemonset.Finish(s.Snapshot, p, r, now, o)
}
