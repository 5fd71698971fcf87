// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A Recording is what became of pods, and of what owns them, from instant to instant. Steps
// tell what planners did; this tells what a monitoring system would have seen. A run fills in
// the one that its [Kubelet] has.
type Recording struct {
	Start       time.Time // of the run, from which the times of its steps count
	Pods        []PodLife // in the order of creation
	Deployments []Moment[Deployment]
	ReplicaSets []Moment[replicaset.ReplicaSet]
	DaemonSets  []Moment[DaemonSet]

	places  map[string]int // of pods, by UID
	zones   podorder.Domains
	daemons []daemonCount // in the order of time
	updated string        // the hash of the pods of a DaemonSet that are up to date
}

// A Moment is an object as it was from an instant on. Of several at one instant only the last
// is kept.
type Moment[T any] struct {
	At     time.Time
	Object T
	Gone   bool // the object was removed, and is as it was before
}

// A PodLife is what became of a pod.
type PodLife struct {
	Pod    podorder.Pod // as it was last
	Stages []StageOfPod // at least one, in the order of time, each with a time of its own
}

// A StageOfPod is a part of a pod's life that begins. It lasts until the next one.
type StageOfPod struct {
	At    time.Time
	Stage Stage // Unscheduled, Scheduled (on a node, and not ready), Ready, Terminating, Failed (ended by itself) or Gone
}

// Until returns the stage at an instant, or "" before the first one.
func (p *PodLife) Until(at time.Time) (stage Stage) {
	for _, s := range p.Stages {
		if s.At.After(at) {
			break
		}
		stage = s.Stage
	}
	return stage
}

// record makes a recording of a world that is still empty.
func (w *World) record(r *Recording, zones podorder.Domains) {
	if r == nil {
		return
	}
	*r = Recording{Start: w.now, zones: zones}
	pod := func(old, new *podorder.Pod) {
		last := new
		if new == nil {
			last = old
		}
		r.Pod(w.now, last, stageOf(new))
	}
	s := w.store
	s.pods.watch = pod
	s.daemons.watch = func(old, new *daemonset.Pod) {
		var before, after *podorder.Pod
		if old != nil {
			before = &old.Pod
		}
		if new != nil {
			after = &new.Pod
		}
		pod(before, after)
	}
	s.deployments.watch = func(old, new *Deployment) {
		noted(&r.Deployments, w.now, old, new, func(d *Deployment) string { return d.UID })
	}
	s.replicaSets.watch = func(old, new *replicaSet) {
		noted(&r.ReplicaSets, w.now, old, new, func(rs *replicaSet) string { return rs.UID })
	}
	s.daemonSets.watch = func(old, new *DaemonSet) {
		noted(&r.DaemonSets, w.now, old, new, func(d *DaemonSet) string { return d.UID })
	}
}

// Pod notes how a pod is now.
func (r *Recording) Pod(now time.Time, p *podorder.Pod, stage Stage) {
	if r.places == nil {
		r.places = map[string]int{}
	}
	i, known := r.places[p.UID]
	if !known {
		i = len(r.Pods)
		r.places[p.UID] = i
		r.Pods = append(r.Pods, PodLife{})
	}
	life := &r.Pods[i]
	life.Pod = *p
	switch n := len(life.Stages); {
	case n > 0 && life.Stages[n-1].Stage == stage:
	case n > 0 && life.Stages[n-1].At.Equal(now):
		life.Stages[n-1].Stage = stage
		if n > 1 && life.Stages[n-2].Stage == stage { // there and back at one instant
			life.Stages = life.Stages[:n-1]
		}
	default:
		life.Stages = append(life.Stages, StageOfPod{now, stage})
	}
}

// noted adds a moment, in place of that of the same object at the same instant.
func noted[T any](list *[]Moment[T], now time.Time, old, new *T, uid func(*T) string) {
	m := Moment[T]{At: now, Gone: new == nil}
	if m.Gone {
		m.Object = *old
	} else {
		m.Object = *new
	}
	for i := len(*list) - 1; i >= 0 && (*list)[i].At.Equal(now); i-- {
		if uid(&(*list)[i].Object) == uid(&m.Object) {
			(*list)[i] = m
			return
		}
	}
	*list = append(*list, m)
}

// begin makes all that was recorded before an instant the state at that instant, from which
// the times of steps count.
func (r *Recording) begin(start time.Time) {
	if r == nil {
		return
	}
	pods := r.Pods
	r.Start, r.Pods, r.places = start, nil, map[string]int{}
	for _, p := range pods {
		stage := p.Until(start)
		if stage == Gone {
			continue
		}
		p.Stages = []StageOfPod{{start, stage}}
		r.places[p.Pod.UID] = len(r.Pods)
		r.Pods = append(r.Pods, p)
	}
	r.Deployments = lastOf(r.Deployments, start, func(d *Deployment) string { return d.UID })
	r.ReplicaSets = lastOf(r.ReplicaSets, start, func(rs *replicaSet) string { return rs.UID })
	r.DaemonSets = lastOf(r.DaemonSets, start, func(d *DaemonSet) string { return d.UID })
}

// rename gives what has a name that begins with the first of a pair the second instead. The
// pair that comes first counts.
func (r *Recording) rename(pairs []string) {
	if r == nil {
		return
	}
	change := func(names ...*string) {
		for _, name := range names {
			for i := 0; i < len(pairs); i += 2 {
				rest, ok := strings.CutPrefix(*name, pairs[i])
				if ok && (rest == "" || rest[0] == '-') {
					*name = pairs[i+1] + rest
					break
				}
			}
		}
	}
	for i := range r.Pods {
		change(&r.Pods[i].Pod.Name, &r.Pods[i].Pod.ControllerName)
	}
	for i := range r.Deployments {
		change(&r.Deployments[i].Object.Name)
	}
	for i := range r.ReplicaSets {
		change(&r.ReplicaSets[i].Object.Name, &r.ReplicaSets[i].Object.ControllerName)
	}
	for i := range r.DaemonSets {
		change(&r.DaemonSets[i].Object.Name)
	}
}

// lastOf returns the last moment of each object that is there.
func lastOf[T any](list []Moment[T], start time.Time, uid func(*T) string) (kept []Moment[T]) {
	last := map[string]int{}
	for i := range list {
		last[uid(&list[i].Object)] = i
	}
	for i, m := range list {
		if last[uid(&list[i].Object)] == i && !m.Gone {
			m.At = start
			kept = append(kept, m)
		}
	}
	return kept
}

// A daemonCount is how many pods of a hash a DaemonSet has from an instant on that are not
// being deleted.
type daemonCount struct {
	at     time.Time
	hash   string
	active int32
}
