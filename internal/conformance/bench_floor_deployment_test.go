// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// rollOnce is the floor of a pass of a Deployment with two ReplicaSets: of each it reads owner,
// label, template, sizes and annotations, and it makes the plan, in which all but two numbers and
// the name is known beforehand.
func rollOnce(s *deploy.Snapshot, now time.Time) deploy.Plan {
	d := &s.Deployment
	var newest *replicaset.ReplicaSet
	var sum replicaset.Status
	desired, highest := 0, 0
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		if rs.ControllerUID != d.UID || rs.Labels["app"] != d.Selector.MatchLabels["app"] {
			continue
		}
		if rs.Template.ID == d.Template.ID {
			newest = rs
		}
		number, _ := strconv.Atoi(rs.Annotations[revision.AnnotationRevision])
		size, _ := strconv.Atoi(rs.Annotations[revision.AnnotationDesired])
		highest, desired = max(highest, number), max(desired, size)
		sum.Replicas += rs.Status.Replicas
		sum.ReadyReplicas += rs.Status.ReadyReplicas
		sum.AvailableReplicas += rs.Status.AvailableReplicas
	}
	if newest == nil || desired != int(*d.Replicas) || len(d.Status.Conditions) > 0 {
		panic("not what is measured")
	}
	replicas := *d.Replicas
	to := *newest.Replicas + replicas + 1 - sum.Replicas
	return deploy.Plan{
		Actions: deploy.Actions{
			deploy.AnnotateDeployment{Set: map[string]string{revision.AnnotationRevision: strconv.Itoa(highest)}, Reason: deploy.ReasonRevision},
			deploy.ScaleReplicaSet{
				Name: newest.Name, UID: newest.UID, From: *newest.Replicas, To: to, Reason: deploy.ReasonRolloutUp,
				Set: map[string]string{revision.AnnotationDesired: strconv.Itoa(int(replicas)), revision.AnnotationMax: strconv.Itoa(int(replicas) + 1)},
			},
		},
		Status: deploy.Status{
			ObservedGeneration: d.Generation, Replicas: sum.Replicas, UpdatedReplicas: newest.Status.Replicas, TerminatingReplicas: new(int32),
			ReadyReplicas: sum.ReadyReplicas, AvailableReplicas: sum.AvailableReplicas,
			Conditions: []deploy.Condition{
				{Type: "Available", Status: selector.ConditionFalse, Reason: "MinimumReplicasUnavailable", Message: "Deployment does not have minimum availability.", LastUpdateTime: now, LastTransitionTime: now},
				{Type: "Progressing", Status: selector.ConditionTrue, Reason: "ReplicaSetUpdated", Message: "ReplicaSet " + strconv.Quote(newest.Name) + " is progressing.", LastUpdateTime: now, LastTransitionTime: now},
			},
		},
		Budget:    rollout.Budget{Replicas: replicas, Surge: 1, Unavailable: 1},
		RecheckAt: now.Add(time.Duration(*d.ProgressDeadlineSeconds)*time.Second + 1),
		Events: []deploy.Event{{
			Action: 1, Type: "Normal", Reason: "ScalingReplicaSet",
			Message: "Scaled up replica set " + newest.Name + " from " + strconv.Itoa(int(*newest.Replicas)) + " to " + strconv.Itoa(int(to)),
		}},
	}
}

// The floor makes the plan of the planner.
func TestDeploymentFloor(t *testing.T) {
	for _, containers := range []int{0, 1, 5} {
		c := benchDeployment(2, containers)
		s := must(kube.Snapshot(c.Deployment, c.ReplicaSets, nil))
		require.Equal(t, must(deploy.Reconcile(s, benchNow, deploy.Options{})), rollOnce(&s, benchNow))
	}
}
