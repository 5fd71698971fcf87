// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// rollout checks the writes of the controllers of a Rollout and of its batches.
func (g *guard) rollout(e *written) error {
	switch {
	case e.By == store.RolloutController && e.Verb == store.UpdateStatus && e.Kind == store.KindRollout:
		return g.stepped(e)
	case e.By == store.BatchController && e.Kind == store.KindSet:
		return g.batched(e)
	case e.By == store.BatchController && e.Kind == store.KindDeployment:
		return g.released(e)
	case e.Kind == store.KindReplicaSet && e.By == store.DeploymentController:
		return g.partitioned(e)
	case e.Kind == store.KindRoute && e.By == store.RolloutController:
		return g.routed(e)
	}
	return nil
}

// stepped: a manual pause never ends by itself, and steps go on one by one unless
// a person asks for another one.
func (g *guard) stepped(e *written) error {
	before, after := rolloutOf(&e.before), rolloutOf(&e.after)
	if before == nil || after == nil || before.Status.Sub == nil || after.Status.Sub == nil {
		return nil
	}
	b, a := before.Status.Sub, after.Status.Sub
	if b.Revision != a.Revision || b.RolloutHash != a.RolloutHash || b.CurrentStepState == "" {
		return nil // another release, or other steps
	}
	if b.CurrentStepIndex == a.CurrentStepIndex && b.CurrentStepState == kruise.StatePaused && a.CurrentStepState == kruise.StateReady {
		g.checked["pause"]++
		if kind, due := kruise.PauseOf(before.Rollout, b.CurrentStepIndex, b.LastUpdateTime, quirk.All); kind == kruise.PauseManual {
			return fmt.Errorf("pause: step %d waits for a person, and goes on", b.CurrentStepIndex)
		} else if kind == kruise.PauseTimed && a.LastUpdateTime.Before(due) {
			return fmt.Errorf("pause: step %d goes on at %v, due is %v", b.CurrentStepIndex, a.LastUpdateTime, due)
		}
	}
	natural := kruise.NextStep(int32(len(before.Strategy().Steps)), b.CurrentStepIndex)
	if a.CurrentStepIndex != b.CurrentStepIndex && a.CurrentStepIndex != 1 {
		g.checked["step"]++
		if a.CurrentStepIndex != natural && a.CurrentStepIndex != b.NextStepIndex {
			return fmt.Errorf("step: from %d to %d, wanted was %d", b.CurrentStepIndex, a.CurrentStepIndex, b.NextStepIndex)
		}
	}
	return nil
}

func rolloutOf(s *state) *store.Rollout {
	if len(s.rollouts) == 0 {
		return nil
	}
	return s.rollouts[0]
}

func deploymentNamed(s *state, name string) *store.Deployment {
	for _, d := range s.deployments {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// released: no batch lowers the partition of a Deployment, or resumes one that has
// another template than the one that is released, as far as it can see.
func (g *guard) released(e *written) error {
	before, after := deploymentNamed(&e.before, e.Name), deploymentNamed(&e.after, e.Name)
	if before == nil || after == nil {
		return nil
	}
	for _, br := range e.before.batches {
		plan := &br.ReleasePlan
		if !before.Paused || after.Paused || plan.BatchPartition == nil || !br.DeletionTimestamp.IsZero() {
			continue
		}
		g.checked["resumed"]++
		if id := plan.RolloutID; id != after.Template.ID {
			return fmt.Errorf("batch: template %s goes on in the release of %s", after.Template.ID, id)
		}
	}
	b, a := deploy.PartitionedBy(before.Deployment), deploy.PartitionedBy(after.Deployment)
	if b == nil || a == nil || before.Annotations[partition.AnnotationControlInfo] != after.Annotations[partition.AnnotationControlInfo] {
		return nil
	}
	g.checked["batch"]++
	if was, is := partition.Limit(b.Partition, *before.Replicas), partition.Limit(a.Partition, *after.Replicas); is < was {
		return fmt.Errorf("batch: the partition is lowered from %d to %d pods", was, is)
	}
	return nil
}

// partitioned: the new ReplicaSet does not grow beyond the partition in a rollout.
func (g *guard) partitioned(e *written) error {
	a, ok := e.Action.(deploy.ScaleReplicaSet)
	if !ok || a.Reason != reason.RolloutUp {
		return nil
	}
	for _, rs := range e.after.replicaSets {
		if rs.Name != a.Name {
			continue
		}
		d := deploymentNamed(&e.after, rs.ControllerName)
		p := deploy.PartitionedBy(d.Deployment)
		if p == nil || e.before.total(d) == int64(a.From) { // one that is alone gets all
			return nil
		}
		g.checked["partition"]++
		if limit := partition.Limit(p.Partition, *d.Replicas); a.To > max(limit, a.From) {
			return fmt.Errorf("partition: %s grows to %d pods, %d may be", a.Name, a.To, limit)
		}
	}
	return nil
}

// routed: no traffic is led to a canary Service without ready pods.
func (g *guard) routed(e *written) error {
	weight := int32(0)
	for _, rule := range e.after.routes[0].Rules {
		for _, ref := range rule.BackendRefs {
			if ref.Name == "web-canary" && ref.Weight != nil {
				weight = *ref.Weight
			}
		}
	}
	if weight == 0 || g.stale { // then the Service may select what was there once
		return nil
	}
	g.checked["traffic"]++
	for _, o := range e.after.services {
		if o.Name != "web-canary" {
			continue
		}
		for _, p := range e.after.pods {
			for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
				if hash := o.Selector[key]; hash != "" && p.Labels[key] == hash {
					return nil
				}
			}
		}
		if len(e.after.sets) > 0 {
			return nil // the last pod of a StatefulSet is gone before another of its name is there
		}
		return fmt.Errorf("traffic: %d%% is led to a Service that selects no pod: %v", weight, o.Selector)
	}
	return fmt.Errorf("traffic: %d%% is led to a Service that is not there", weight)
}
