package smallscope

import (
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
)

// lag is how many pods statuses report as available that are not.
func (s *dState) lag() (n int8) {
	for _, set := range s.sets {
		n += max(0, set.report.available-set.pods.ready)
	}
	return n
}

// keep is the moves of a ReplicaSet and its pods. Its pods change only after its status
// has followed: that is as stale as a status gets.
func (d *Deployments) keep(s dState, i int, do func(Move, dState, []Breach)) {
	move := func(what string, unfair bool, change func(t *dState, set *dSet)) {
		t := s
		change(&t, &t.sets[i])
		do(Move{what, i, unfair}, t, nil)
	}
	set := s.sets[i]
	if !inStep(set) || !set.report.seen {
		move("the ReplicaSet reports", false, func(_ *dState, set *dSet) {
			set.report = dReport{set.pods.fresh + set.pods.ready, set.pods.ready, set.pods.ending, true}
		})
	}
	if !inStep(set) {
		return
	}
	d.scale(s, i, do)
	if set.pods.fresh > 0 {
		move("a pod becomes ready", false, func(_ *dState, set *dSet) { set.pods.fresh--; set.pods.ready++ })
	}
	if set.pods.ending > 0 {
		move("a pod ends", false, func(_ *dState, set *dSet) { set.pods.ending-- })
	}
	if set.pods.ready > 0 && s.losses > 0 {
		move("a pod is no longer ready", true, func(t *dState, set *dSet) { t.losses--; set.pods.ready--; set.pods.fresh++ })
		move("a pod fails", true, func(t *dState, set *dSet) { t.losses--; set.pods.ready-- })
	}
}

// scale is the controller of ReplicaSets: one pod at a time.
func (d *Deployments) scale(s dState, i int, do func(Move, dState, []Breach)) {
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
	case dStarts:
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
func (s *dState) running(but int) (n int8) {
	for i, set := range s.sets {
		if i != but {
			n += set.pods.fresh + set.pods.ready + set.pods.ending
		}
	}
	return n
}

// A dStep is what the planner of ReplicaSets does first.
type dStep int8

const (
	dRests dStep = iota
	dStarts
	dStopsFresh
	dStopsReady
)

func (d *Deployments) stepped(p dPods) dStep {
	return d.pods.of(p, func() dStep { return firstStep(p) })
}

func firstStep(p dPods) dStep {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web-1", UID: "web-1", Replicas: new(int32(p.size))}}
	for i := range p.fresh + p.ready + p.ending {
		s.Pods = append(s.Pods, podOf("web-1", int(i), i < p.ready, i >= p.ready+p.fresh))
	}
	plan, err := replicaset.Reconcile(s, now, replicaset.Options{})
	if err != nil || len(plan.Actions) == 0 {
		return dRests
	}
	deletion, ok := plan.Actions[0].(replicaset.DeletePod)
	switch {
	case !ok:
		return dStarts
	case deletion.Name < podName("web-1", int(p.ready)):
		return dStopsReady
	default:
		return dStopsFresh
	}
}
