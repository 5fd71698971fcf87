// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A rolled holds the values on which the plan of a pass in the middle of a rollout depends; the
// rest of the plan is known beforehand.
type rolled struct {
	name, uid string // of the new ReplicaSet
	from      int32  // its size
	sum       replicaset.Status
	updated   int32
	highest   int // revision
	desired   int
}

// rollOnce is the floor of a pass of a Deployment with two ReplicaSets: it checks the labels of the
// selector and the numbers; of each ReplicaSet it reads owner, these labels, template, sizes,
// annotations and whether it has failed, and finds that they are two; it reads the annotations of
// the Deployment, which the new one may have to follow; and it makes the plan.
func rollOnce(s *deploy.Snapshot, now time.Time) deploy.Plan {
	d := &s.Deployment
	var r rolled
	key, value := onlyLabel(d.Selector.MatchLabels)
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		if rs.ControllerUID != d.UID || rs.Labels[key] != value {
			continue
		}
		if rs.Template.ID == d.Template.ID {
			r.name, r.uid, r.from, r.updated = rs.Name, rs.UID, *rs.Replicas, rs.Status.Replicas
			r.follows(d.Annotations, rs.Annotations)
		}
		r.count(rs.Annotations, &rs.Status)
	}
	if a, b := &s.ReplicaSets[0], &s.ReplicaSets[1]; a.Name == b.Name || a.UID == b.UID || len(d.Status.Conditions) > 0 {
		panic("not what is measured")
	}
	return r.plan(*d.Replicas, *d.ProgressDeadlineSeconds, d.Generation, now)
}

// rollObjectsOnce is [rollOnce] for objects of the API, as any adapter has to read them.
func rollObjectsOnce(c *gen.DeploymentCase, now time.Time) deploy.Plan {
	d := c.Deployment
	var r rolled
	key, value := onlyLabel(d.Spec.Selector.MatchLabels)
	for _, rs := range c.ReplicaSets {
		if metav1.GetControllerOfNoCopy(rs).UID != d.UID || rs.Labels[key] != value {
			continue
		}
		if sameImages(&rs.Spec.Template.Spec, &d.Spec.Template.Spec) {
			r.name, r.uid, r.from, r.updated = rs.Name, string(rs.UID), *rs.Spec.Replicas, rs.Status.Replicas
			r.follows(d.Annotations, rs.Annotations)
		}
		r.count(rs.Annotations, &replicaset.Status{
			Replicas: rs.Status.Replicas, ReadyReplicas: rs.Status.ReadyReplicas, AvailableReplicas: rs.Status.AvailableReplicas,
		})
	}
	if a, b := c.ReplicaSets[0], c.ReplicaSets[1]; a.Name == b.Name || a.UID == b.UID || len(d.Status.Conditions) > 0 {
		panic("not what is measured")
	}
	return r.plan(*d.Spec.Replicas, *d.Spec.ProgressDeadlineSeconds, d.Generation, now)
}

// onlyLabel returns the only label of a selector, which is not known beforehand.
func onlyLabel(labels map[string]string) (key, value string) {
	for key, value = range labels {
		if selector.ValidateKey(key) != nil || selector.ValidateValue(value) != nil {
			panic("not what is measured")
		}
	}
	if len(labels) != 1 {
		panic("not what is measured")
	}
	return key, value
}

// sameImages compares the fields that the measured templates have.
func sameImages(a, b *corev1.PodSpec) bool {
	if a.NodeName != b.NodeName || len(a.Containers) != len(b.Containers) {
		return false
	}
	for i := range a.Containers {
		if a.Containers[i].Name != b.Containers[i].Name || a.Containers[i].Image != b.Containers[i].Image {
			return false
		}
	}
	return true
}

// follows compares the annotations that the new ReplicaSet copies from the Deployment: it has them.
func (r *rolled) follows(deployment, replicaSet map[string]string) {
	for key, value := range deployment {
		if replicaSet[key] != value {
			panic("not what is measured")
		}
	}
}

func (r *rolled) count(annotations map[string]string, s *replicaset.Status) {
	number, _ := strconv.Atoi(annotations[revision.AnnotationRevision])
	size, _ := strconv.Atoi(annotations[revision.AnnotationDesired])
	r.highest, r.desired = max(r.highest, number), max(r.desired, size)
	r.sum.Replicas += s.Replicas
	r.sum.ReadyReplicas += s.ReadyReplicas
	r.sum.AvailableReplicas += s.AvailableReplicas
	if len(s.Conditions) > 0 {
		panic("not what is measured")
	}
}

func (r *rolled) plan(replicas, deadline int32, generation int64, now time.Time) deploy.Plan {
	if r.name == "" || r.uid == "" || replicas < 0 || deadline < 0 || r.from < 0 || r.desired != int(replicas) {
		panic("not what is measured")
	}
	to := r.from + replicas + 1 - r.sum.Replicas
	return deploy.Plan{
		Actions: deploy.Actions{
			deploy.AnnotateDeployment{Set: map[string]string{revision.AnnotationRevision: strconv.Itoa(r.highest)}, Reason: reason.Revision},
			deploy.ScaleReplicaSet{
				Name: r.name, UID: r.uid, From: r.from, To: to, Reason: reason.RolloutUp,
				Set: map[string]string{revision.AnnotationDesired: strconv.Itoa(int(replicas)), revision.AnnotationMax: strconv.Itoa(int(replicas) + 1)},
			},
		},
		Status: deploy.Status{
			ObservedGeneration: generation, Replicas: r.sum.Replicas, UpdatedReplicas: r.updated, TerminatingReplicas: new(int32),
			ReadyReplicas: r.sum.ReadyReplicas, AvailableReplicas: r.sum.AvailableReplicas,
			Conditions: []kplan.Condition{
				{Type: "Available", Status: kplan.ConditionFalse, Reason: "MinimumReplicasUnavailable", Message: "Deployment does not have minimum availability.", LastUpdateTime: now, LastTransitionTime: now},
				{Type: "Progressing", Status: kplan.ConditionTrue, Reason: "ReplicaSetUpdated", Message: "ReplicaSet " + strconv.Quote(r.name) + " is progressing.", LastUpdateTime: now, LastTransitionTime: now},
			},
		},
		Budget:    rollout.Budget{Replicas: replicas, Surge: 1, Unavailable: 1},
		RecheckAt: now.Add(time.Duration(deadline)*time.Second + 1),
		Events: []kplan.Event{{
			Action: 1, Type: "Normal", Reason: "ScalingReplicaSet",
			Message: "Scaled up replica set " + r.name + " from " + strconv.Itoa(int(r.from)) + " to " + strconv.Itoa(int(to)),
		}},
	}
}

// The floors make the plan of the planner.
func TestDeploymentFloor(t *testing.T) {
	for _, containers := range []int{0, 1, 5} {
		c := benchDeployment(2, containers)
		s := must(kube.Snapshot(c.Deployment, c.ReplicaSets, nil))
		plan := must(deploy.Reconcile(s, benchNow, deploy.Options{}))
		require.Equal(t, plan, rollOnce(&s, benchNow))
		require.Equal(t, plan, rollObjectsOnce(c, benchNow))
	}
}
