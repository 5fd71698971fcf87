// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kplan-go/kplan"
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
	pods    kplan.Listing[*corev1.Pod]
	nodes   kplan.Listing[*corev1.Node]
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

// identity identifies an object of the cache.
func identity[T client.Object](o T) kplan.Identity {
	return kplan.Identity{Name: o.GetName(), UID: string(o.GetUID()), Version: o.GetResourceVersion()}
}

// update calls remove for each object that is gone since the last pass, then add for each
// new object.
func update[T client.Object](l *kplan.Listing[T], list []T, remove func(kplan.Identity) error, add func(T) error) (err error) {
	removed, added := l.Update(list, identity)
	for _, o := range removed {
		err = errors.Join(err, remove(o))
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
		func(o kplan.Identity) error { return pod(new(removedPod(o)), nil) },
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
			func(o kplan.Identity) error { return node(&daemonset.Node{Name: o.Name}, nil) },
			func(n *corev1.Node) error { return node(nil, new(kube.Node(n))) }),
		update(&f.pods, pods,
			func(o kplan.Identity) error { return pod(&daemonset.Pod{Pod: removedPod(o)}, nil) },
			func(p *corev1.Pod) error { return pod(nil, new(kube.DaemonSetPod(p))) }))
}

// removedPod returns a pod with the fields that identify it.
func removedPod(o kplan.Identity) podorder.Pod {
	return podorder.Pod{Name: o.Name, UID: o.UID, ResourceVersion: o.Version}
}
