// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// rollout checks the writes of the controllers of a Rollout and of its batches.
func (g *guard) rollout(e *Write) error {
	switch {
	case e.By.Role == RolloutController && e.Verb == UpdateStatus && e.Kind == KindRollout:
		return g.stepped(e)
	case e.By.Role == BatchController && e.Kind == KindSet:
		return g.batched(e)
	case e.By.Role == BatchController && e.Kind == KindDeployment:
		return g.released(e)
	case e.Kind == KindReplicaSet && e.By.Role == DeploymentController:
		return g.partitioned(e)
	case e.Kind == KindRoute && e.By.Role == RolloutController:
		return g.routed(e)
	}
	return nil
}

// stepped: a manual pause never ends by itself, and steps go on one by one unless
// a person asks for another one.
func (g *guard) stepped(e *Write) error {
	before, after := rolloutOf(&e.Before), rolloutOf(&e.After)
	if before == nil || after == nil || before.Status.Sub == nil || after.Status.Sub == nil {
		return nil
	}
	b, a := before.Status.Sub, after.Status.Sub
	if b.Revision != a.Revision || b.RolloutHash != a.RolloutHash || b.CurrentStepState == "" {
		return nil // another release, or other steps
	}
	if b.CurrentStepIndex == a.CurrentStepIndex && b.CurrentStepState == kruise.StatePaused && a.CurrentStepState == kruise.StateReady {
		g.checked["pause"]++
		if kind, due := kruise.PauseOf(before.Rollout, b.CurrentStepIndex, b.LastUpdateTime, workload.RepairAll); kind == kruise.PauseManual {
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

func rolloutOf(s *State) *Rollout {
	if len(s.Rollouts) == 0 {
		return nil
	}
	return s.Rollouts[0]
}

func deploymentNamed(s *State, name string) *Deployment {
	for _, d := range s.Deployments {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// released: no batch lowers the partition of a Deployment, or resumes one that has
// another template than the one that is released, as far as it can see.
func (g *guard) released(e *Write) error {
	before, after := deploymentNamed(&e.Before, e.Name), deploymentNamed(&e.After, e.Name)
	if before == nil || after == nil {
		return nil
	}
	for _, br := range e.Before.BatchReleases {
		plan := &br.ReleasePlan
		if !e.Fresh || !before.Paused || after.Paused || plan.BatchPartition == nil || !br.DeletionTimestamp.IsZero() {
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
func (g *guard) partitioned(e *Write) error {
	a, ok := e.Action.(deploy.ScaleReplicaSet)
	if !ok || a.Reason != deploy.ReasonRolloutUp {
		return nil
	}
	for _, rs := range e.After.ReplicaSets {
		if rs.Name != a.Name {
			continue
		}
		d := deploymentNamed(&e.After, rs.ControllerName)
		p := deploy.PartitionedBy(d.Deployment)
		if p == nil || total(&e.Before, d) == int64(a.From) { // one that is alone gets all
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
func (g *guard) routed(e *Write) error {
	weight := int32(0)
	for _, rule := range e.After.Routes[0].Rules {
		for _, ref := range rule.BackendRefs {
			if ref.Name == "web-canary" && ref.Weight != nil {
				weight = *ref.Weight
			}
		}
	}
	if weight == 0 {
		return nil
	}
	g.checked["traffic"]++
	for _, o := range e.After.Services {
		if o.Name != "web-canary" {
			continue
		}
		for _, p := range e.After.Pods {
			for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
				if hash := o.Selector[key]; hash != "" && p.Labels[key] == hash {
					return nil
				}
			}
		}
		if len(e.After.Sets) > 0 {
			return nil // the last pod of a StatefulSet is gone before another of its name is there
		}
		return fmt.Errorf("traffic: %d%% is led to a Service that selects no pod: %v", weight, o.Selector)
	}
	return fmt.Errorf("traffic: %d%% is led to a Service that is not there", weight)
}
