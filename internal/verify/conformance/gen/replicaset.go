// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"maps"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const hashLabel = "pod-template-hash"

// A ReplicaSetCase is the input of the ReplicaSet controller for one pass.
type ReplicaSetCase struct {
	ReplicaSet *appsv1.ReplicaSet
	Siblings   []*appsv1.ReplicaSet // the others of the namespace
	Pods       []*corev1.Pod
	Burst      int
	// Controllers is set if ReplicaSet and Siblings are ReplicationControllers, in the form of
	// ReplicaSets, see [AsController].
	Controllers bool
}

// ReplicaSet draws a ReplicaSet, up to three others and up to 15 pods, 3 % of the time up to 59. In
// a sixth of the cases a pod becomes available about now.
//
// 70 % of the ReplicaSets belong to the Deployment "d", and 10 % have a selector with expressions,
// none, or an invalid one. Of the pods 72 % belong to the ReplicaSet, 8 % are orphans that match, 5
// % no longer match, 8 % belong to another ReplicaSet, and 7 % belong to no ReplicaSet and match
// nothing, except for 1 % that match another ReplicaSet. The size is the number of active pods give
// or take three, 15 % any, and 1 % negative; 8 % are being deleted. The status is correct in 40 %
// of the cases, and the burst is 500 or, for 20 %, a few.
func ReplicaSet(t random.Source, now time.Time) *ReplicaSetCase {
	c := &ReplicaSetCase{ReplicaSet: simpleSet(t, "a"), Burst: 500}
	rs := c.ReplicaSet
	for i := range random.Below(t, "siblings", 4) {
		c.Siblings = append(c.Siblings, simpleSet(t, string(rune('b'+i))))
	}
	n := random.Below(t, "pods", 16)
	if random.Percent(t, "many pods", 3) {
		n = 16 + random.Below(t, "pods more", 44)
	}
	alike := random.OneIn(t, "alike", 3)
	for i := range n {
		p := Pod(t, now, i)
		if alike {
			makeHealthy(p)
		}
		c.own(t, p)
		c.Pods = append(c.Pods, p)
	}
	rs.Spec.MinReadySeconds = random.OneOf[int32](t, "min ready", 0, 0, 0, 5, 60, 3600, 1<<31-1)
	if n > 0 && random.OneIn(t, "at the boundary", 6) {
		at := now.Add(random.OneOf(t, "offset", 0, 1, -1, time.Second) - time.Duration(rs.Spec.MinReadySeconds)*time.Second)
		for i := range c.Pods[0].Status.Conditions {
			c.Pods[0].Status.Conditions[i].LastTransitionTime = metav1.NewTime(at)
		}
	}
	active := int32(0)
	for _, p := range c.Pods {
		if metav1.IsControlledBy(p, rs) && p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded {
			active++
		}
	}
	size := max(0, active+int32(random.Below(t, "surplus", 7))-3)
	switch random.Weighted(t, "size class", 84, 10, 5, 1) {
	case 1:
		size = int32(random.Below(t, "size", 7))
	case 2:
		size = random.Size(t, "size")
	case 3:
		size = -1
	}
	rs.Spec.Replicas = &size
	if random.Percent(t, "deleting", 8) {
		rs.DeletionTimestamp = new(metav1.NewTime(now))
	}
	if random.Percent(t, "burst", 20) {
		c.Burst = 1 + random.Below(t, "burst size", 4)
	}
	c.status(t, now, active)
	return c
}

// own draws the owner and the labels of p.
func (c *ReplicaSetCase) own(t random.Source, p *corev1.Pod) {
	rs := c.ReplicaSet
	switch random.Weighted(t, "owner", 72, 8, 5, 2, 8, 5) {
	case 1:
		if len(c.Siblings) == 0 {
			p.Labels = map[string]string{"app": "other"}
			return
		}
		rs = random.OneOf(t, "sibling", c.Siblings...)
	case 2:
		p.Labels = map[string]string{"app": "other"}
		return
	case 3:
		if len(c.Siblings) > 0 && random.OneIn(t, "bare", 2) {
			p.Labels = maps.Clone(c.Siblings[0].Labels)
		}
		p.OwnerReferences = []metav1.OwnerReference{owner("StatefulSet", "a", "else")}
		return
	case 4:
		p.Labels = orElse(rs.Spec.Template.Labels, map[string]string{"app": "web", hashLabel: "a"})
		if random.OneIn(t, "watched orphan", 4) {
			p.OwnerReferences = []metav1.OwnerReference{owner("ReplicaSet", rs.Name, string(rs.UID))}
			p.OwnerReferences[0].Controller = random.OneOf(t, "orphan flag", nil, new(false))
		}
		return
	case 5:
		p.Labels = random.OneOf(t, "stray labels", map[string]string{"app": "former"}, nil)
		p.OwnerReferences = []metav1.OwnerReference{owner("ReplicaSet", rs.Name, string(rs.UID))}
		return
	}
	p.Labels = orElse(rs.Labels, nil)
	if !random.OneIn(t, "tier", 5) {
		p.Labels["tier"] = "x"
	}
	p.OwnerReferences = []metav1.OwnerReference{owner("ReplicaSet", rs.Name, string(rs.UID))}
	if random.Percent(t, "second owner", 10) {
		watcher := owner("Watcher", "w", "w")
		watcher.Controller = random.OneOf(t, "watcher", nil, new(false))
		p.OwnerReferences = append([]metav1.OwnerReference{watcher}, p.OwnerReferences...)
	}
	if random.Percent(t, "other kind", 3) {
		p.OwnerReferences[len(p.OwnerReferences)-1].Kind = "StatefulSet"
	} else if random.Percent(t, "other name", 3) {
		p.OwnerReferences[len(p.OwnerReferences)-1].Name = "former"
	}
}

// orElse returns a copy of m, or of other if m is empty.
func orElse(m, other map[string]string) map[string]string {
	if len(m) == 0 {
		return maps.Clone(other)
	}
	return maps.Clone(m)
}

// simpleSet returns a ReplicaSet without pods.
func simpleSet(t random.Source, name string) *appsv1.ReplicaSet {
	labels := map[string]string{"app": "web", hashLabel: name}
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: "web-" + name, UID: types.UID("rs-" + name), ResourceVersion: "1",
			Generation: 1 + int64(random.Below(t, "generation", 3)), Labels: labels,
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: bare(0, maps.Clone(labels)),
		},
	}
	switch random.Weighted(t, "template labels", 60, 30, 10) {
	case 1:
		rs.Spec.Template.Labels["tier"] = "x"
	case 2:
		rs.Spec.Template.Labels = nil
	}
	if random.Percent(t, "odd selector", 10) {
		rs.Spec.Selector = Selector(t, hashLabel, name)
		if random.OneIn(t, "unusual", 3) {
			rs.Spec.Selector = oddSelector(t)
		}
	}
	switch random.Weighted(t, "set owner", 70, 20, 10) {
	case 0:
		rs.OwnerReferences = []metav1.OwnerReference{owner("Deployment", "d", "d")}
	case 1:
		rs.OwnerReferences = []metav1.OwnerReference{owner("Deployment", "e", "e")}
	}
	return rs
}

// status draws the last reported status of the ReplicaSet.
func (c *ReplicaSetCase) status(t random.Source, now time.Time, active int32) {
	s := &c.ReplicaSet.Status
	s.ObservedGeneration = c.ReplicaSet.Generation - int64(random.Below(t, "behind", 2))
	s.Replicas = active
	if random.Below(t, "status class", 5) < 2 {
		s.ReadyReplicas, s.AvailableReplicas, s.FullyLabeledReplicas = active, active, active
		s.TerminatingReplicas = new(int32(0))
	} else {
		s.ReadyReplicas, s.AvailableReplicas = int32(random.Below(t, "reported ready", 6)), int32(random.Below(t, "reported available", 6))
		s.TerminatingReplicas = random.OneOf(t, "reported terminating", nil, new(int32(0)), new(int32(2)))
	}
	for i := range random.Weighted(t, "conditions", 60, 25, 10, 5) {
		s.Conditions = append(s.Conditions, appsv1.ReplicaSetCondition{
			Type:   random.OneOf(t, "type", appsv1.ReplicaSetReplicaFailure, appsv1.ReplicaSetReplicaFailure, "Custom"),
			Status: random.OneOf(t, "status", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
			Reason: random.OneOf(t, "reason", "FailedCreate", "FailedDelete", ""), Message: "m" + strconv.Itoa(i),
			LastTransitionTime: Time(t, now, "failed"),
		})
	}
}
