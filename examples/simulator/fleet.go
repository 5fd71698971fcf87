// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A fleet is a cluster full of Deployments, in virtual time.
type fleet struct {
	question
	now     time.Time
	events  []event // in order
	random  *rand.Rand
	apps    []*app
	pods    int   // so far, for their names
	total   int   // pods that there are
	used    []int // of them on each node
	waiting []*pod
	answer  answer
	begun   time.Time
}

// An event is something that happens to an app.
type event struct {
	at  time.Time
	app *app
	do  func()
}

// An app is a Deployment with what belongs to it: the objects that a real loop would
// read from the API server.
type app struct {
	deployment deploy.Deployment
	sets       []replicaset.ReplicaSet
	pods       []*pod
	complete   bool
	recheck    time.Time
	available  int // pods
}

type pod struct {
	podorder.Pod
	app  *app
	node int // -1 while it waits for room
}

// ask fills a fleet with Deployments, and then rolls all of them out at once.
func ask(q question, s strategy) (answer, error) {
	f := &fleet{
		question: q, now: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		random: rand.New(rand.NewPCG(q.seed, 0)), used: make([]int, q.nodes),
	}
	for i := range q.deployments {
		name := fmt.Sprintf("app-%03d", i)
		f.apps = append(f.apps, &app{deployment: deploy.Deployment{
			Name: name, UID: name, Replicas: &q.replicas, TemplateLabels: map[string]string{"app": name},
			MaxSurge: s.surge, MaxUnavailable: s.unavailable,
		}})
	}
	for _, template := range []string{"v1", "v2"} {
		f.begun, f.answer = f.now, answer{available: math.MaxInt, fewest: math.MaxInt}
		for _, a := range f.apps {
			a.deployment.Template = revision.Template{ID: template, Hash: template}
			a.deployment.Generation++
			a.complete = false
			f.at(f.now, a, func() {})
		}
		if err := f.run(); err != nil {
			return answer{}, err
		}
	}
	return f.answer, nil
}

// at enters an event behind those that are due no later.
func (f *fleet) at(t time.Time, a *app, do func()) {
	i, _ := slices.BinarySearchFunc(f.events, t, func(e event, t time.Time) int {
		if e.at.After(t) {
			return 1
		}
		return -1
	})
	f.events = slices.Insert(f.events, i, event{t, a, do})
}

// run takes one event after the other until there is none.
func (f *fleet) run() error {
	for len(f.events) > 0 {
		e := f.events[0]
		f.events = f.events[1:]
		f.now = e.at
		e.do()
		for changed := true; changed; {
			var err error
			if changed, err = f.reconcile(e.app); err != nil {
				return err
			}
			f.schedule()
		}
		f.measure(e.app)
	}
	return nil
}

// reconcile makes one pass of both controllers for an app, and reports whether it
// changed anything. What they plan is carried out at once; a real loop would ask the
// API server, and stop at an error.
func (f *fleet) reconcile(a *app) (bool, error) {
	s := deploy.Snapshot{Deployment: a.deployment, ReplicaSets: a.sets}
	plan, err := deploy.Reconcile(s, f.now, deploy.Options{})
	if err != nil {
		return false, err
	}
	f.lookAgain(a, plan.RecheckAt)
	changed := len(plan.Actions) > 0 || !reflect.DeepEqual(plan.Status, a.deployment.Status)
	if s, err = plan.Apply(s, f.now); err != nil {
		return false, err
	}
	a.deployment, a.sets = s.Deployment, s.ReplicaSets
	pods := make([]podorder.Pod, len(a.pods))
	for i, p := range a.pods {
		pods[i] = p.Pod
	}
	for i := range a.sets {
		rs := &a.sets[i]
		plan, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: *rs, Pods: pods}, f.now, replicaset.Options{})
		if err != nil {
			return false, err
		}
		f.lookAgain(a, plan.RecheckAt)
		changed = changed || len(plan.Actions) > 0 || replicaset.NeedsWrite(*rs, plan.Status)
		for _, action := range plan.Actions {
			switch action := action.(type) {
			case replicaset.CreatePods:
				for range action.Count {
					f.create(a, rs)
				}
			case replicaset.DeletePod:
				f.delete(a, action.UID)
			}
		}
		rs.Status = plan.Status
	}
	return changed, nil
}

// lookAgain enters the instant at which a plan wants to be made anew.
func (f *fleet) lookAgain(a *app, at time.Time) {
	if at.After(f.now) && !at.Equal(a.recheck) {
		a.recheck = at
		f.at(at, a, func() {})
	}
}

// create makes a pod, which waits for room.
func (f *fleet) create(a *app, rs *replicaset.ReplicaSet) {
	f.pods++
	f.total++
	p := &pod{app: a, node: -1, Pod: podorder.Pod{
		Name: fmt.Sprintf("%s-%05d", rs.Name, f.pods), UID: fmt.Sprint(f.pods), Labels: rs.TemplateLabels,
		ControllerKind: replicaset.Kind, ControllerName: rs.Name, ControllerUID: rs.UID,
		CreationTimestamp: f.now, Phase: podorder.Pending,
	}}
	a.pods, f.waiting = append(a.pods, p), append(f.waiting, p)
}

// schedule starts the pods that wait, in order, on the emptiest nodes.
func (f *fleet) schedule() {
	for len(f.waiting) > 0 {
		node := slices.Index(f.used, slices.Min(f.used))
		if f.used[node] >= f.room {
			return
		}
		f.used[node]++
		p := f.waiting[0]
		f.waiting = f.waiting[1:]
		p.node, p.NodeName = node, fmt.Sprint("node-", node)
		f.at(f.now.Add(startTime(f.random.Float64())), p.app, func() { p.Phase, p.Ready, p.ReadySince = podorder.Running, true, f.now })
	}
}

// delete begins the end of a pod. One that still waits for room is gone at once.
func (f *fleet) delete(a *app, uid string) {
	p := a.pods[slices.IndexFunc(a.pods, func(p *pod) bool { return p.UID == uid })]
	end := func() {
		f.total--
		a.pods = slices.DeleteFunc(a.pods, func(o *pod) bool { return o == p })
	}
	if p.node < 0 {
		f.waiting = slices.DeleteFunc(f.waiting, func(o *pod) bool { return o == p })
		end()
		return
	}
	p.DeletionTimestamp = f.now
	f.at(f.now.Add(grace), a, func() { f.used[p.node]--; end() })
}

// measure takes down how things are, behind an event of one app.
func (f *fleet) measure(a *app) {
	pods := 0
	a.available = 0
	for _, p := range a.pods {
		if p.Active() {
			pods++
			if p.Available(a.deployment.MinReadySeconds, f.now) {
				a.available++
			}
		}
	}
	if !a.complete && deploy.Complete(a.deployment.Status, f.replicas, a.deployment.Generation) {
		a.complete = true
		f.answer.times = append(f.answer.times, f.now.Sub(f.begun))
	}
	sum := 0
	for _, a := range f.apps {
		sum += a.available
	}
	f.answer.peak, f.answer.waiting = max(f.answer.peak, f.total), max(f.answer.waiting, len(f.waiting))
	f.answer.available, f.answer.fewest = min(f.answer.available, sum), min(f.answer.fewest, a.available)
	f.answer.most = max(f.answer.most, pods)
}
