// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// runsOf cuts pods, of which the first is deleted first, into runs, and returns for each
// place where its run begins and ends. All pods of a run go before all of the next,
// whatever the order of the cache of Kubernetes. Within a run of several it is that order
// which decides: there are ties, or the rules go round in a circle.
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

// peersOf returns the end of the pods behind begin that are told apart, if at all, by what
// need not be an order: times in one age bucket, or what comes behind them.
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

// runEnd returns the end of the run that begins at a place: as long as a pod behind does
// not go after each of the run, it belongs to it.
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

// tieOf returns the pods of which a ReplicaSet deletes just any, when it deletes count.
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

// deletions returns how many pods a plan deletes because they are too many.
func deletions(plan *replicaset.Plan) int {
	n := 0
	for _, a := range plan.Actions {
		if d, ok := a.(replicaset.DeletePod); ok && d.Reason == replicaset.ReasonTooMany {
			n++
		}
	}
	return n
}
