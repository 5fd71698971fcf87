// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A guard checks each write of a controller against the true state of the store.
type guard struct {
	largest map[string]int32     // the most pods that a ReplicaSet has ever wanted, by UID
	checked map[string]int       // how often each bound was put to the test
	marked  map[string]int       // the plan that marked a pod, by UID
	idle    map[string]time.Time // when it was planned to delete a marked pod that does not serve, by UID
	kruise  map[Actor]bool       // whose last plan followed the rules of OpenKruise
}

func newGuard() *guard {
	return &guard{largest: map[string]int32{}, checked: map[string]int{}, marked: map[string]int{}, idle: map[string]time.Time{}, kruise: map[Actor]bool{}}
}

func (g *guard) observer() Observer { return Observer{Write: g.write, DaemonSet: g.daemonSet} }

func (g *guard) write(e Write) error {
	if e.Kind == KindReplicaSet || len(g.largest) == 0 {
		for _, rs := range append(e.Before.ReplicaSets[:len(e.Before.ReplicaSets):len(e.Before.ReplicaSets)], e.After.ReplicaSets...) {
			g.largest[rs.UID] = max(g.largest[rs.UID], sizeOf(rs))
		}
	}
	if e.Fresh && e.Corrected {
		if err := g.rollout(&e); err != nil {
			return err
		}
	}
	switch a := e.Action.(type) {
	case podset.Action:
		if e.Fresh {
			return g.set(&e, a)
		}
	case deploy.ScaleReplicaSet:
		if e.Fresh && e.Corrected {
			return g.scaled(&e, a)
		}
	case deploy.CreateReplicaSet:
		if e.Fresh && e.Corrected {
			return g.surge(&e)
		}
	case daemonset.CreatePod:
		return g.daemonCreated(&e, a)
	case daemonset.DeletePod:
		return g.daemonDeleted(&e, a)
	case replicaset.CreatePods:
		return g.created(&e)
	case replicaset.DeletePod:
		if e.Fresh {
			return g.deleted(&e, a)
		}
	}
	return nil
}

// total returns the pods that the ReplicaSets of a Deployment want.
func total(s *State, d *Deployment) (n int64) {
	for _, rs := range s.ReplicaSets {
		if rs.ControllerUID == d.UID {
			n += int64(sizeOf(rs))
		}
	}
	return n
}

func budgetOf(d *Deployment) rollout.Budget {
	if p := deploy.PartitionedBy(d.Deployment); p != nil {
		return partition.Budget(*d.Replicas, p.RollingUpdate, false)
	}
	if d.Strategy == deploy.Recreate {
		return rollout.Budget{Replicas: *d.Replicas, Unavailable: *d.Replicas}
	}
	return rollout.Resolve(*d.Replicas, d.MaxSurge, d.MaxUnavailable)
}

// surge: no more pods are wanted than replicas and surge, or than before.
func (g *guard) surge(e *Write) error {
	g.checked["surge"]++
	d := e.After.Deployments[0]
	b := budgetOf(d)
	before, after := total(&e.Before, d), total(&e.After, d)
	if _, ok := e.Action.(deploy.CreateReplicaSet); ok && b.Surge == 0 && deploy.PartitionedBy(d.Deployment) != nil {
		before++ // the first pod of a partition does not wait for room
	}
	if limit := max(before, int64(b.Replicas)+int64(b.Surge)); after > limit {
		return fmt.Errorf("surge: %v: %d pods wanted, at most %d may be", e.Action, after, limit)
	}
	return nil
}

func (g *guard) scaled(e *Write, a deploy.ScaleReplicaSet) error {
	if a.To > a.From {
		return g.surge(e)
	}
	d := e.After.Deployments[0]
	shared := a.Reason == deploy.ReasonScaling && deploy.PartitionedBy(d.Deployment) != nil
	if a.Reason != deploy.ReasonRolloutDown && a.Reason != deploy.ReasonUnhealthy && !shared {
		return nil
	}
	g.checked["availability"]++
	available := func(s *State) (n int64) {
		for _, rs := range s.ReplicaSets {
			if rs.ControllerUID == d.UID {
				n += int64(min(sizeOf(rs), rs.Status.AvailableReplicas))
			}
		}
		return n
	}
	if least := min(available(&e.Before), int64(budgetOf(d).MinAvailable())); available(&e.After) < least {
		return fmt.Errorf("availability: %v: %d pods remain available, %d must", e.Action, available(&e.After), least)
	}
	return nil
}

func active(s *State, uid string) (n int32) {
	for _, p := range s.Pods {
		if p.ControllerUID == uid && p.Active() {
			n++
		}
	}
	return n
}

// created: a controller that knows of all its writes never creates too many.
func (g *guard) created(e *Write) error {
	pod := find(&podTable, e.After.Pods, e.Name)
	if e.Expecting {
		g.checked["expectations"]++
		if n := active(&e.After, pod.ControllerUID); n > g.largest[pod.ControllerUID] {
			return fmt.Errorf("expectations: %d pods of %s, which never wanted more than %d", n, pod.ControllerName, g.largest[pod.ControllerUID])
		}
	}
	for _, rs := range e.After.ReplicaSets {
		if rs.UID == pod.ControllerUID && e.Fresh {
			g.checked["creation"]++
			if n := active(&e.After, rs.UID); n > sizeOf(rs) {
				return fmt.Errorf("creation: %d pods of %s, which wants %d", n, rs.Name, sizeOf(rs))
			}
		}
	}
	return nil
}

// deleted: a pod is deleted only if there are too many, and only an own one.
func (g *guard) deleted(e *Write, a replicaset.DeletePod) error {
	pod := find(&podTable, e.Before.Pods, a.Name)
	for _, rs := range e.Before.ReplicaSets {
		if rs.UID == pod.ControllerUID {
			g.checked["deletion"]++
			if n := active(&e.After, rs.UID); n < sizeOf(rs) {
				return fmt.Errorf("deletion: %d pods of %s are left, which wants %d", n, rs.Name, sizeOf(rs))
			}
			return nil
		}
	}
	return fmt.Errorf("deletion: %s has no replica set", a.Name)
}

var podTable = table[podorder.Pod]{key: func(p *podorder.Pod) key { return key{name: &p.Name} }}
