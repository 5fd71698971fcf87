// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A passView is the view of the planner of the Deployment: pods by template, all pods and
// ready pods.
type passView struct {
	workload, sets int32
	pods           [3][2]int8
}

// A passResult is the result of one pass for a view.
type passResult struct {
	workload, sets int32
	sizes          [3]int8
	breaches       []Breach
}

func (p *rolloutPods) counts() (counts [3][2]int8) {
	for _, pod := range p {
		if pod.template > 0 {
			counts[pod.template-1][0]++
			if pod.ready {
				counts[pod.template-1][1]++
			}
		}
	}
	return counts
}

func (r *Rollouts) pass(s *rolloutState) passResult {
	v := passView{s.workload, s.sets, s.pods.counts()}
	return r.steps.of(v, func() passResult { return r.deploy(v) })
}

func (r *Rollouts) deployedBreaches(s rolloutState) []Breach { return r.pass(&s).breaches }

// deployed returns the state after a pass of the Deployment and of its ReplicaSets, and
// whether it changes anything. ReplicaSets delete pods that are not ready first.
func (r *Rollouts) deployed(s rolloutState) (rolloutState, bool) {
	d := r.pass(&s)
	t := s
	t.workload, t.sets = d.workload, d.sets
	for template, size := range d.sizes {
		for n := t.pods.of(int8(template)); n > size; n-- {
			t.pods.remove(int8(template))
		}
		for n := t.pods.of(int8(template)); n < size; n++ {
			if i := slices.Index(t.pods[:], rolloutPod{}); i >= 0 {
				t.pods[i] = rolloutPod{template: int8(template) + 1}
			}
		}
	}
	return t, t != s
}

// remove deletes a pod of a template.
func (p *rolloutPods) remove(template int8) {
	victim := -1
	for i, pod := range p {
		if pod.template == template+1 && (victim < 0 || !pod.ready && p[victim].ready) {
			victim = i
		}
	}
	p[victim] = rolloutPod{}
}

func (r *Rollouts) deploy(v passView) passResult {
	w := *r.objects.workload.list[v.workload]
	sets := slices.Clone(*r.objects.sets.list[v.sets])
	d := deploy.Deployment{
		Name: w.Name, UID: w.UID, Generation: w.Generation, Annotations: w.Annotations, Replicas: w.Replicas, Template: w.Template,
		Strategy: deploy.Strategy(w.StrategyType), Paused: w.Paused, ProgressDeadlineSeconds: ptr.To(int32(deploy.NoLimit)), RevisionHistoryLimit: ptr.To(int32(deploy.NoLimit)),
		Status: deploy.Status{ObservedGeneration: w.Status.ObservedGeneration, Replicas: w.Status.Replicas},
	}
	if w.RollingUpdate != nil {
		d.MaxSurge, d.MaxUnavailable = w.RollingUpdate.MaxSurge, w.RollingUpdate.MaxUnavailable
	}
	d.Partitioned = deploy.PartitionedBy(d)
	snapshot := deploy.Snapshot{Deployment: d}
	for _, rs := range sets {
		pods := v.pods[setOf(rs.Name)]
		rs.Status = replicaset.Status{ObservedGeneration: 1, Replicas: int32(pods[0]), ReadyReplicas: int32(pods[1]), AvailableReplicas: int32(pods[1])}
		snapshot.ReplicaSets = append(snapshot.ReplicaSets, rs)
		for i := range pods[0] {
			snapshot.Pods = append(snapshot.Pods, podOf(rs.Name, int(i), i < pods[1], false))
		}
	}
	var options deploy.Options
	if r.Options.Repair != 0 {
		options.Repair = quirk.All
	}
	p, err := deploy.Reconcile(snapshot, now, options)
	if err != nil {
		return passResult{workload: v.workload, sets: v.sets, breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	after := passResult{}
	next, err := p.Actions.Apply(deploy.Snapshot{Deployment: d, ReplicaSets: sets}, longAgo.Add(time.Duration(len(sets))*time.Second))
	if err != nil {
		after.breaches = append(after.breaches, breach(PropertyPlan, "%v", err))
		next.Deployment, next.ReplicaSets = d, sets
	}
	w.Annotations, sets = next.Deployment.Annotations, next.ReplicaSets
	for i := range sets {
		rs := &sets[i] // only fields that decide something, since others would multiply the states
		rs.UID, rs.Generation, rs.Selector, rs.Labels, rs.TemplateLabels = rs.Name, 1, nil, nil, nil
	}
	w.Status = workload.Status{
		ObservedGeneration: w.Generation, Replicas: p.Status.Replicas, ReadyReplicas: p.Status.ReadyReplicas,
		AvailableReplicas: p.Status.AvailableReplicas, UpdatedReplicas: p.Status.UpdatedReplicas,
	}
	for _, rs := range sets {
		after.sizes[setOf(rs.Name)] = int8(*rs.Replicas)
	}
	after.workload, after.sets = r.storedWorkload(w), r.objects.sets.of(&sets)
	return after
}
