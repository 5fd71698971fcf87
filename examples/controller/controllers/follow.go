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

// A follower keeps from pass to pass what the plans for a ReplicaSet or a DaemonSet are made from.
// Each pass lists what the cache has, as if nothing were kept, and tells the Tracker what is other than
// in the pass before: the rest is neither converted nor counted again.
type follower[Tracker any] struct {
	owner   types.UID
	tracker Tracker
	pods    sights
	nodes   sights
}

// Followers are those of all owners of a kind. Passes of one owner never run side by side, and so a
// follower belongs to the one that is under way. Once it is dropped the next pass begins anew.
type followers[Tracker any] struct {
	mu sync.Mutex
	of map[types.NamespacedName]*follower[Tracker]
}

// get returns the follower of an owner. One that was made anew under its name has another.
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

// Sights are which objects of one kind were there in the last pass, by name.
type sights struct {
	objects map[string]sight
	pass    int
}

// A sight is what an object was when it was seen last.
type sight struct {
	name    string
	uid     types.UID
	version string
	pass    int
}

// compare returns what is gone since the pass before, and what has come. What has changed is both, so that
// it does not matter which of its versions is the later one: a cache may go back.
func compare[T client.Object](s *sights, list []T) (gone []sight, come []T) {
	if s.objects == nil {
		s.objects = make(map[string]sight, len(list))
	}
	s.pass++
	for _, o := range list {
		was, now := s.objects[o.GetName()], sight{o.GetName(), o.GetUID(), o.GetResourceVersion(), s.pass}
		s.objects[now.name] = now
		if was.uid == now.uid && was.version == now.version {
			continue
		}
		if come = append(come, o); was.pass > 0 {
			gone = append(gone, was)
		}
	}
	for name, o := range s.objects {
		if o.pass < s.pass {
			delete(s.objects, name)
			gone = append(gone, o)
		}
	}
	return gone, come
}

// tell calls functions for what is gone since the pass before, and then for what has come.
func tell[T client.Object](s *sights, list []T, left func(*sight) error, joined func(T) error) (err error) {
	gone, come := compare(s, list)
	for i := range gone {
		err = errors.Join(err, left(&gone[i]))
	}
	for _, o := range come {
		err = errors.Join(err, joined(o))
	}
	return err
}

// tellSet tells the Tracker of a ReplicaSet what there is.
func tellSet(f *follower[replicaset.Tracker], d replicaset.Delta, pods []*corev1.Pod) error {
	pod := func(old, now *podorder.Pod) error {
		return f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: now}})
	}
	return errors.Join(f.tracker.Apply(d), tell(&f.pods, pods,
		func(o *sight) error { return pod(new(o.pod()), nil) },
		func(p *corev1.Pod) error { return pod(nil, new(kube.Pod(p))) }))
}

// tellDaemon tells the Tracker of a DaemonSet what there is.
func tellDaemon(f *follower[daemonset.Tracker], d daemonset.Delta, pods []*corev1.Pod, nodes []*corev1.Node) error {
	node := func(old, now *daemonset.Node) error {
		return f.tracker.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: old, New: now}})
	}
	pod := func(old, now *daemonset.Pod) error {
		return f.tracker.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: now}})
	}
	return errors.Join(f.tracker.Apply(d),
		tell(&f.nodes, nodes,
			func(o *sight) error { return node(&daemonset.Node{Name: o.name}, nil) },
			func(n *corev1.Node) error { return node(nil, new(kube.Node(n))) }),
		tell(&f.pods, pods,
			func(o *sight) error { return pod(&daemonset.Pod{Pod: o.pod()}, nil) },
			func(p *corev1.Pod) error { return pod(nil, new(kube.DaemonSetPod(p))) }))
}

// pod returns as much of a pod as tells which one it is.
func (s *sight) pod() podorder.Pod {
	return podorder.Pod{Name: s.name, UID: string(s.uid), ResourceVersion: s.version}
}

// A planner plans for an owner, and says what follows when a plan has been carried out: a Tracker, or a
// snapshot that is planned from once.
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
