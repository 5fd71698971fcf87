// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// lag returns the number of pods that statuses wrongly report as available.
func (s *deploymentState) lag() (n int8) {
	for _, set := range s.sets {
		n += max(0, set.report.available-set.pods.ready)
	}
	return n
}

// keep makes the moves of a ReplicaSet and its pods. Its pods change only after its status has
// followed: a status is never more stale than that.
func (d *Deployments) keep(s deploymentState, i int, do func(Move, deploymentState, []Breach)) {
	move := func(what string, unfair bool, change func(t *deploymentState, set *setState)) {
		t := s
		change(&t, &t.sets[i])
		do(Move{what, i, unfair}, t, nil)
	}
	set := s.sets[i]
	if !inStep(set) || !set.report.seen {
		move("the ReplicaSet reports", false, func(_ *deploymentState, set *setState) {
			set.report = sizeReport{set.pods.fresh + set.pods.ready, set.pods.ready, set.pods.ending, true}
		})
	}
	if !inStep(set) {
		return
	}
	d.scale(s, i, do)
	if set.pods.fresh > 0 {
		move("a pod becomes ready", false, func(_ *deploymentState, set *setState) { set.pods.fresh--; set.pods.ready++ })
	}
	if set.pods.ending > 0 {
		move("a pod ends", false, func(_ *deploymentState, set *setState) { set.pods.ending-- })
	}
	if set.pods.ready > 0 && s.losses > 0 {
		move("a pod is no longer ready", true, func(t *deploymentState, set *setState) { t.losses--; set.pods.ready--; set.pods.fresh++ })
		move("a pod fails", true, func(t *deploymentState, set *setState) { t.losses--; set.pods.ready-- })
	}
}

// scale makes the moves of the ReplicaSet controller: one pod at a time.
func (d *Deployments) scale(s deploymentState, i int, do func(Move, deploymentState, []Breach)) {
	set := &s.sets[i]
	pods := set.pods
	pods.size = set.size
	step := d.pods.of(pods, func() podStep { return firstStep(pods) })
	if step.what == "" {
		return
	}
	var list []Breach
	if others := s.running(i); step.starts && d.Strategy == deploy.Recreate && others > s.unseen && int8(i) == s.template {
		list = append(list, breach(PropertyRecreate, "a pod starts beside %d of other templates", others))
	}
	set.pods = step.to
	if !d.Ending {
		set.pods.ending = pods.ending
	}
	do(Move{step.what, i, false}, s, list)
}

// running counts the pods of all ReplicaSets except one.
func (s *deploymentState) running(but int) (n int8) {
	for i, set := range s.sets {
		if i != but {
			n += set.pods.fresh + set.pods.ready + set.pods.ending
		}
	}
	return n
}

func firstStep(p deploymentPods) (step podStep) {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web-1", UID: "web-1", Replicas: ptr.To(int32(p.size))}}
	for i := range p.fresh + p.ready + p.ending {
		s.Pods = append(s.Pods, podOf("web-1", int(i), i < p.ready, i >= p.ready+p.fresh))
	}
	plan, err := replicaset.Reconcile(s, now, replicaset.Options{})
	if err != nil || len(plan.Actions) == 0 {
		return step
	}
	first := plan.Actions[0]
	switch a := first.(type) {
	case replicaset.CreatePods:
		a.Count = 1
		first, step.starts, step.what = a, true, "a pod is created"
	case replicaset.DeletePod:
		step.what = "a pod that is not ready is deleted"
		if phaseOf(s.Pods, a.Name) == phaseReady {
			step.what = "a ready pod is deleted"
		}
	}
	if s, err = replicaset.Apply(s, first, now); err != nil {
		return podStep{}
	}
	for _, pod := range s.Pods {
		switch phaseOf(s.Pods, pod.Name) {
		case phaseFresh:
			step.to.fresh++
		case phaseReady:
			step.to.ready++
		case phaseEnding:
			step.to.ending++
		}
	}
	return step
}
