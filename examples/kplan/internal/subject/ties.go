// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// runsOf cuts pods in the order of deletion into runs, and returns the begin and the end of the
// run for each pod. All pods of a run are deleted before all pods of the next run, in any order
// of the cache of Kubernetes. The order of the cache decides within a run of several pods: they
// are equal, or the comparison of pods has a cycle.
func runsOf(order *podorder.Order, pods []podorder.Pod, victims []int) []view.Run {
	runs := make([]view.Run, len(victims))
	for begin := 0; begin < len(victims); {
		end := peersOf(order, pods, victims, begin)
		for begin < end {
			last := runEnd(order, pods, victims[:end], begin)
			for i := begin; i < last; i++ {
				runs[i] = view.Run{Begin: begin, End: last}
			}
			begin = last
		}
	}
	return runs
}

// peersOf returns the end of the pods from begin that only ambiguous rules distinguish: times in
// the same age bucket, or later rules.
func peersOf(order *podorder.Order, pods []podorder.Pod, victims []int, begin int) int {
	for i := begin + 1; i < len(victims); i++ {
		a, b := &pods[victims[i-1]], &pods[victims[i]]
		switch rule, _ := order.Decide(a, b); rule {
		case podorder.RuleReadyTime:
			if podorder.AgeBucket(a.ReadySince, order.Now) != podorder.AgeBucket(b.ReadySince, order.Now) {
				return i
			}
		case "", podorder.RuleRestarts, podorder.RuleSidecars, podorder.RuleCreated, podorder.RuleID, podorder.RuleCycle:
		default:
			return i
		}
	}
	return len(victims)
}

// runEnd returns the end of the run that starts at begin. A later pod belongs to the run unless
// it is deleted after each pod of the run.
func runEnd(order *podorder.Order, pods []podorder.Pod, victims []int, begin int) int {
	end := begin + 1
	for i := begin; i < end; i++ {
		for j := len(victims) - 1; j >= end; j-- {
			if _, c := order.Decide(&pods[victims[i]], &pods[victims[j]]); c >= 0 {
				end = j + 1
			}
		}
	}
	return end
}

// tieOf returns the tied pods among which a ReplicaSet chooses arbitrarily when it deletes count
// pods.
func tieOf(s replicaset.Snapshot, now time.Time, options replicaset.Options, count int) (*view.Tie, error) {
	if count == 0 {
		return nil, nil
	}
	order, candidates, err := replicaset.Order(s, now, options)
	if err != nil {
		return nil, err
	}
	victims := order.Victims(s.Pods, candidates, len(candidates))
	runs := runsOf(&order, s.Pods, victims)
	if count >= len(victims) || runs[count].Begin >= count {
		return nil, nil
	}
	run := runs[count]
	tie := &view.Tie{Count: count - run.Begin}
	for _, v := range victims[run.Begin:run.End] {
		tie.Pods = append(tie.Pods, s.Pods[v].Name)
	}
	return tie, nil
}

// deletions returns how many surplus pods a plan deletes.
func deletions(plan *replicaset.Plan) int {
	n := 0
	for _, a := range plan.Actions {
		if d, ok := a.(replicaset.DeletePod); ok && d.Reason == reason.TooMany {
			n++
		}
	}
	return n
}

// OrderOf returns the pods of a ReplicaSet in the order of deletion, and marks the first ones.
func OrderOf(s *replicaset.Snapshot, now time.Time, marked int) (view.Order, error) {
	rs := &s.ReplicaSet
	result := view.Order{
		Name: rs.Name, Wanted: sizeOf(rs), Deleting: !rs.DeletionTimestamp.IsZero(), Now: now, Marked: marked,
	}
	result.Controller = controllerOf(rs)
	plan, err := replicaset.Reconcile(*s, now, replicaset.Options{})
	if err != nil {
		return result, err
	}
	if plan.Status.TerminatingReplicas != nil {
		result.Ending = int(*plan.Status.TerminatingReplicas)
	}
	alive := *s
	alive.ReplicaSet.DeletionTimestamp = time.Time{}
	order, candidates, err := replicaset.Order(alive, now, replicaset.Options{})
	if err != nil {
		return result, err
	}
	victims := order.Victims(s.Pods, candidates, len(candidates))
	runs := runsOf(&order, s.Pods, victims)
	for i, v := range victims {
		pod := s.Pods[v]
		victim := view.Victim{Pod: pod, Neighbours: order.Neighbours[pod.NodeName], Run: runs[i]}
		if i+1 < len(victims) {
			next := podorder.Choice{Victims: victims[i : i+1], Survivor: victims[i+1]}
			victim.Next = order.Explain(s.Pods, victims[i:i+2], next)[0]
		}
		result.Pods = append(result.Pods, victim)
	}
	return result, nil
}
