// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// A ReplicaSet is a ReplicaSet or a ReplicationController that is planned on its own.
type ReplicaSet struct{ *manifest.ReplicaSet }

// Plan returns the next plan.
func (r ReplicaSet) Plan(p *policies, now time.Time) (document, []string, error) {
	plan, err := r.plan(p, now)
	return plan, r.notes(), err
}

// notes returns notes about the limits that keep the ReplicaSet from its wanted size.
func (r ReplicaSet) notes() []string { return noted(r.Workload.Placed(), bites(r.ReplicaSet)) }

func (r ReplicaSet) plan(p *policies, now time.Time) (view.ReplicaPlan, error) {
	plan, err := podPlan(r.Snapshot, now, replicaset.Options{Repair: p.replicaSets()})
	if err != nil {
		return view.ReplicaPlan{}, r.Invalid(err)
	}
	return view.ReplicaPlan{
		Kind: r.Kind, Namespace: r.Namespace, Controller: controllerOf(&r.Snapshot.ReplicaSet), PodPlan: plan,
		Policies: p.flags(replicaset.QuirkTable()), Unapplied: manifest.IsManifest(r.Snapshot.ReplicaSet.UID),
	}, nil
}

// bites returns the limits that keep a ReplicaSet from its wanted size.
func bites(r *manifest.ReplicaSet, short ...manifest.Shortage) []string {
	return r.Workload.Bites(rollout.Budget{Replicas: sizeOf(&r.Snapshot.ReplicaSet)}, running(r.Workload.Pods), short...)
}

// Explain returns the explanation of the next plan.
func (r ReplicaSet) Explain(p *policies, now time.Time) (document, []string, error) {
	plan, err := r.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.ReplicaExplanation{ReplicaPlan: plan}
	for _, condition := range r.Workload.ReplicaSets[0].Status.Conditions {
		if condition.Type == appsv1.ReplicaSetReplicaFailure && condition.Status == corev1.ConditionTrue {
			e.Failure = condition.Message
		}
	}
	e.Idle = idlePods(r.Workload.Pods, nil, now)
	e.Caveats = replicaSetImages(r.ReplicaSet)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: availableNext(&plan.Plan, plan.Name)})
	}
	return e, r.notes(), nil
}

// Versions returns the pods before and after the change.
func (r ReplicaSet) Versions(from *earlier) (before, after pods) {
	if old := from.replicaSets[r.Key()]; old != nil {
		before = podsOfDeployment(&old.Workload)
	}
	return before, podsOfDeployment(&r.Workload)
}

// podPlan returns the plan for the pods of a ReplicaSet.
func podPlan(s replicaset.Snapshot, now time.Time, options replicaset.Options) (view.PodPlan, error) {
	p := view.PodPlan{Name: s.ReplicaSet.Name, Wanted: sizeOf(&s.ReplicaSet), Now: now}
	var err error
	if p.Plan, err = replicaset.Reconcile(s, now, options); err != nil {
		return p, err
	}
	if p.Reasons, err = replicaset.Explain(s, now, options); err != nil {
		return p, err
	}
	p.Tie, err = tieOf(s, now, options, deletions(&p.Plan))
	return p, err
}

func sizeOf(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}

// controllerOf returns the controller of a ReplicaSet, such as Deployment web, or "".
func controllerOf(rs *replicaset.ReplicaSet) string {
	if rs.ControllerUID == "" {
		return ""
	}
	return rs.ControllerKind + " " + rs.ControllerName
}

func availableNext(plan *replicaset.Plan, name string) string {
	if plan.Status.AvailableReplicas == plan.Status.ReadyReplicas {
		return "replica set " + name + " is looked at again"
	}
	return "a pod of " + name + " becomes available"
}
