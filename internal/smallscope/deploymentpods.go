// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// lag is how many pods statuses report as available that are not.
func (s *deploymentState) lag() (n int8) {
	for _, set := range s.sets {
		n += max(0, set.report.available-set.pods.ready)
	}
	return n
}

// keep is the moves of a ReplicaSet and its pods. Its pods change only after its status
// has followed: that is as stale as a status gets.
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

// scale is the controller of ReplicaSets: one pod at a time.
func (d *Deployments) scale(s deploymentState, i int, do func(Move, deploymentState, []Breach)) {
	set := &s.sets[i]
	set.pods.size = set.size
	step := d.stepped(set.pods)
	set.pods.size = 0
	ending := func() {
		if d.Ending {
			set.pods.ending++
		}
	}
	switch step {
	case stepStarts:
		set.pods.fresh++
		var list []Breach
		if others := s.running(i); d.Strategy == deploy.Recreate && others > s.unseen && int8(i) == s.template {
			list = append(list, breach(PropertyRecreate, "a pod starts beside %d of other templates", others))
		}
		do(Move{"a pod is created", i, false}, s, list)
	case dStopsFresh:
		set.pods.fresh--
		ending()
		do(Move{"a pod that is not ready is deleted", i, false}, s, nil)
	case dStopsReady:
		set.pods.ready--
		ending()
		do(Move{"a ready pod is deleted", i, false}, s, nil)
	}
}

// running counts the pods of all sets but one.
func (s *deploymentState) running(but int) (n int8) {
	for i, set := range s.sets {
		if i != but {
			n += set.pods.fresh + set.pods.ready + set.pods.ending
		}
	}
	return n
}

// A podStep is what the planner of ReplicaSets does first.
type podStep int8

const (
	stepRests podStep = iota
	stepStarts
	dStopsFresh
	dStopsReady
)

func (d *Deployments) stepped(p deploymentPods) podStep {
	return d.pods.of(p, func() podStep { return firstStep(p) })
}

func firstStep(p deploymentPods) podStep {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web-1", UID: "web-1", Replicas: ptr.To(int32(p.size))}}
	for i := range p.fresh + p.ready + p.ending {
		s.Pods = append(s.Pods, podOf("web-1", int(i), i < p.ready, i >= p.ready+p.fresh))
	}
	plan, err := replicaset.Reconcile(s, now, replicaset.Options{})
	if err != nil || len(plan.Actions) == 0 {
		return stepRests
	}
	deletion, ok := plan.Actions[0].(replicaset.DeletePod)
	switch {
	case !ok:
		return stepStarts
	case deletion.Name < podName("web-1", int(p.ready)):
		return dStopsReady
	default:
		return dStopsFresh
	}
}
