// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"math"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/selector"
)

// Replicas is the drawn ReplicaSet.
func Replicas(n int32) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{Name: "web", UID: "web-uid", Generation: 4, Replicas: &n, TemplateLabels: map[string]string{"app": "web"},
		Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
}

// ReplicaSet draws a ReplicaSet with up to 14 pods.
func ReplicaSet(s Source, kind Kind) replicaset.Snapshot {
	switch kind {
	case CaughtUp:
		return trueReplicaSet(s, true)
	case Truthful:
		return trueReplicaSet(s, false)
	case Midway:
		return midwayReplicaSet(s)
	}
	return anyReplicaSet(s, kind == Wrong)
}

// Pod draws the n-th pod of a ReplicaSet, or one like it.
func Pod(s Source, n int) podorder.Pod {
	p := podorder.Pod{
		Name: fmt.Sprint("p", n), UID: fmt.Sprint("u", n), ResourceVersion: fmt.Sprint("r", n),
		ControllerUID:     OneOf(s, "owner", "web-uid", "web-uid", "web-uid", "old-uid", "x", ""),
		CreationTimestamp: Instant(s, "created"), NodeName: OneOf(s, "node", "", "n1", "n2", "n3"),
		Phase: OneOf(s, "phase", "", podorder.Pending, podorder.Running, podorder.Running, podorder.Failed, podorder.Succeeded, podorder.Unknown),
		Ready: Bool(s, "ready"), ReadySince: Instant(s, "since"),
		Restarts: Between[int32](s, "restarts", 0, 2), SidecarRestarts: Between[int32](s, "sidecars", 0, 1),
		Labels: OneOf(s, "labels", nil, map[string]string{"app": "web"}, map[string]string{"app": "web"}, map[string]string{"app": "x"}),
		Annotations: OneOf(s, "cost is", nil, nil, map[string]string{podorder.AnnotationDeletionCost: Cost(s)},
			map[string]string{podorder.AnnotationDeletePriority: "3"}, map[string]string{podorder.AnnotationDeletePriority: "-1"}),
	}
	if !Often(s, "stays", 5) {
		p.DeletionTimestamp = Now
	}
	return p
}

// truePod makes the fields of a pod consistent, as a kubelet and an API server do.
func truePod(p podorder.Pod, own bool) podorder.Pod {
	if own {
		p.ControllerUID = "web-uid"
	}
	if p.ControllerUID == "web-uid" {
		p.Labels = map[string]string{"app": "web"}
	}
	if p.Phase == "" || p.NodeName == "" {
		p.Phase = podorder.Pending
	}
	if p.CreationTimestamp.IsZero() || p.CreationTimestamp.After(Now) {
		p.CreationTimestamp = Now.Add(-time.Hour)
	}
	p.Ready = p.Ready && p.Phase == podorder.Running
	switch {
	case p.Phase == podorder.Pending:
		p.Restarts, p.SidecarRestarts, p.ReadySince = 0, 0, time.Time{}
	case p.ReadySince.Before(p.CreationTimestamp) || p.ReadySince.After(Now):
		p.ReadySince = p.CreationTimestamp
	}
	return p
}

// trueReplicaSet draws a ReplicaSet in a state of a real cluster; if alone is set, only with its
// own pods, none of them being deleted.
func trueReplicaSet(s Source, alone bool) replicaset.Snapshot {
	snapshot := replicaset.Snapshot{ReplicaSet: Replicas(size(s, "replicas", false))}
	snapshot.ReplicaSet.MinReadySeconds = OneOf[int32](s, "min ready", 0, 10)
	for n := range Between(s, "pods", 0, 14) {
		p := truePod(Pod(s, n), alone)
		if alone {
			p.DeletionTimestamp = time.Time{}
		}
		snapshot.Pods = append(snapshot.Pods, p)
	}
	if alone {
		return snapshot
	}
	if OneIn(s, "deleting", 7) {
		snapshot.ReplicaSet.DeletionTimestamp = Now
	}
	if OneIn(s, "expects", 5) {
		snapshot.Expectations = expect.Creations(2, Now.Add(-time.Minute))
	}
	snapshot.ReplicaSet.ControllerUID, snapshot.Siblings = OneOf(s, "controller", "", "deployment"), siblings()
	return snapshot
}

// siblings returns ReplicaSets of the same Deployment, and one of another.
func siblings() []replicaset.ReplicaSet {
	return []replicaset.ReplicaSet{
		{Name: "new", UID: "new-uid", ControllerUID: "deployment", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "x"}}},
		{Name: "old", UID: "old-uid", ControllerUID: "deployment"}, {Name: "x", UID: "x", ControllerUID: "y"},
	}
}

// midwayReplicaSet draws a moment of scaling: created pods are pending, running or ready, and
// deleted pods are terminating.
func midwayReplicaSet(s Source) replicaset.Snapshot {
	snapshot := trueReplicaSet(s, true)
	for range Between(s, "passes", 1, 3) {
		snapshot.ReplicaSet.Replicas = ptr.To(size(s, "replicas", false))
		p, err := replicaset.Reconcile(snapshot, Now, replicaset.Options{})
		if err == nil {
			snapshot, err = p.Apply(snapshot, Now)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		for i := range snapshot.Pods {
			if p := &snapshot.Pods[i]; p.NodeName == "" && Bool(s, "runs") {
				p.NodeName, p.Phase = OneOf(s, "node", "n1", "n2", "n3"), podorder.Running
				if p.Ready = Bool(s, "ready"); p.Ready {
					p.ReadySince = Now
				}
			}
		}
	}
	return snapshot
}

// anyReplicaSet draws a ReplicaSet in any state; if wrong is set, with values that planners may
// refuse.
func anyReplicaSet(s Source, wrong bool) replicaset.Snapshot {
	snapshot := replicaset.Snapshot{ReplicaSet: Replicas(size(s, "replicas", true))}
	rs := &snapshot.ReplicaSet
	rs.MinReadySeconds = OneOf[int32](s, "min ready", 0, 10, math.MaxInt32)
	rs.TemplateLabels = OneOf(s, "labels", nil, map[string]string{"app": "web"})
	rs.ControllerUID = OneOf(s, "controller", "", "deployment")
	rs.Status.Conditions = OneOf(s, "conditions", nil, []kplan.Condition{{Type: "ReplicaFailure"}},
		[]kplan.Condition{{Type: "ReplicaFailure", Status: "True"}}, []kplan.Condition{{Type: "A"}, {Type: "ReplicaFailure"}, {Type: "B"}})
	rs.Kind = OneOf(s, "kind of set", "", "", replicaset.KindController)
	rs.Selector = OneOf(s, "selector", nil, nil, rs.Selector, rs.Selector, &selector.LabelSelector{},
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.NotIn, Values: []string{"x", "y"}}}})
	if !Often(s, "not deleted", 5) {
		rs.DeletionTimestamp = Now
	}
	if !Often(s, "expects nothing", 4) {
		snapshot.Expectations = expect.Creations(2, Now.Add(-OneOf(s, "expected", 0, time.Minute, 5*time.Minute, 5*time.Minute+1)))
	}
	snapshot.Domains = OneOf(s, "domains", nil, podorder.Domains{}, podorder.Domains{"n1": "a"}, podorder.Domains{"n1": "a", "n2": "a", "n3": "b"})
	snapshot.Siblings = siblings()
	for n := range Between(s, "pods", 0, 14) {
		p := Pod(s, n)
		if Bool(s, "no UID") {
			p.UID = ""
		}
		snapshot.Pods = append(snapshot.Pods, p)
	}
	if wrong {
		rs.Replicas = OneOf(s, "wrong replicas", rs.Replicas, nil, ptr.To(int32(-1)))
		rs.Selector = OneOf(s, "wrong selector", rs.Selector, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Near"}}})
	}
	return snapshot
}

// ReplicaSetOptions draws options of any kind.
func ReplicaSetOptions(s Source) replicaset.Options {
	return replicaset.Options{
		Burst: OneOf[int32](s, "burst", 0, 1, 3), InitialBatch: OneOf[int32](s, "initial", 0, 2), Repair: Between(s, "repair", 0, quirk.All),
		Dialect: OneOf(s, "dialect", "", "", replicaset.Kubernetes15, replicaset.Kubernetes15WithoutGarbageCollector), Spread: Bool(s, "spread"), OmitTerminating: OneIn(s, "omit", 4),
		Terminating: OneOf(s, "replace", "", replicaset.ReplaceTerminated), Order: podorder.Order{Priority: OneOf(s, "priority", "", podorder.PriorityFirst)},
	}
}
