// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
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
// in the pass before: the rest is neither converted nor counted again. Passes of one object never run
// side by side, and so a follower belongs to the one that is under way.
type follower struct {
	set    replicaset.Tracker
	daemon daemonset.Tracker
	pods   sights
	nodes  sights
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
	near    bool // a neighbour, which is there in some passes only
	pass    int
}

// compare returns those of a list that are other than in the pass before, and what is gone. Those
// from a number on are neighbours; if the list was to have none, those that were there before stay.
func compare[T client.Object](s *sights, list []T, neighbours int, all bool) (others []T, gone []sight) {
	if s.objects == nil {
		s.objects = make(map[string]sight, len(list))
	}
	s.pass++
	for i, o := range list {
		was, now := s.objects[o.GetName()], sight{o.GetName(), o.GetUID(), o.GetResourceVersion(), i >= neighbours, s.pass}
		s.objects[now.name] = now
		if was.pass > 0 && was.uid != now.uid {
			gone = append(gone, was)
		}
		if was.uid != now.uid || was.version != now.version {
			others = append(others, o)
		}
	}
	for name, o := range s.objects {
		if o.pass < s.pass && (all || !o.near) {
			delete(s.objects, name)
			gone = append(gone, o)
		}
	}
	return others, gone
}

// tellSet tells the Tracker of a ReplicaSet of pods.
func (f *follower) tellSet(d replicaset.Delta, pods []*corev1.Pod, neighbours int) error {
	others, gone := compare(&f.pods, pods, neighbours, d.Siblings != nil)
	err := f.set.Apply(d)
	for _, o := range gone {
		err = errors.Join(err, f.set.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: new(o.pod())}}))
	}
	for _, o := range others {
		err = errors.Join(err, f.set.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: new(kube.Pod(o))}}))
	}
	return err
}

// tellDaemon tells the Tracker of a DaemonSet of pods and nodes.
func (f *follower) tellDaemon(d daemonset.Delta, pods []*corev1.Pod, nodes []*corev1.Node) error {
	err := f.daemon.Apply(d)
	others, gone := compare(&f.nodes, nodes, len(nodes), true)
	for _, o := range gone {
		err = errors.Join(err, f.daemon.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: &daemonset.Node{Name: o.name}}}))
	}
	for _, o := range others {
		err = errors.Join(err, f.daemon.Apply(daemonset.Delta{Node: daemonset.NodeEvent{New: new(kube.Node(o))}}))
	}
	changed, ended := compare(&f.pods, pods, len(pods), true)
	for _, o := range ended {
		err = errors.Join(err, f.daemon.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: &daemonset.Pod{Pod: o.pod()}}}))
	}
	for _, o := range changed {
		err = errors.Join(err, f.daemon.Apply(daemonset.Delta{Pod: daemonset.PodEvent{New: new(kube.DaemonSetPod(o))}}))
	}
	return err
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
