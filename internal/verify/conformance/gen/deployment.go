// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A DeploymentCase is the input of the Deployment controller for one pass.
type DeploymentCase struct {
	Deployment  *appsv1.Deployment
	ReplicaSets []*appsv1.ReplicaSet // all in the namespace
	Pods        []*corev1.Pod
}

// A scene is the state of the rollout in a case.
type scene int

const (
	rolling  scene = iota // in the middle of a rollout, sizes near the desired ones
	complete              // only the new ReplicaSet has pods
	chaotic               // anything
)

// draft is a case that is being drawn.
type draft struct {
	t     random.Source
	now   time.Time
	scene scene
	c     *DeploymentCase
}

// Deployment draws a Deployment, up to six ReplicaSets of its own, 2 % of the time up to 21, up to
// two other ReplicaSets, and up to four pods.
//
// Half of the cases look like a rollout, 15 % like a complete one, the rest are arbitrary. 15 % use
// Recreate, 12 % are paused, 4 % are being deleted. Half of the statuses are true, the others are
// older or newer than the spec. A tenth of the Deployments has a selector with expressions; 8 % of
// the ReplicaSets are orphans and 5 % no longer match. A few percent ask for a rollback. About 1 %
// of the cases each have an unusable limit, a negative number, an unknown strategy, an odd
// selector, a ReplicaSet without UID, or another ReplicaSet with the name of the new one; 10 %
// leave out defaults of the API server.
func Deployment(t random.Source, now time.Time) *DeploymentCase {
	g := &draft{t: t, now: now, c: &DeploymentCase{}}
	g.scene = []scene{rolling, complete, chaotic}[random.Weighted(t, "scene", 50, 15, 35)]
	g.deployment()
	n := random.Below(t, "own sets", 7)
	if random.Percent(t, "long history", 2) {
		n += 8 + random.Below(t, "more sets", 8)
	}
	for i := range n {
		g.ownSet(i)
	}
	g.otherReplicaSets()
	g.ownership()
	g.status()
	g.pods()
	g.damage()
	return g.c
}

func (g *draft) deployment() {
	t := g.t
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: Namespace, Name: "web", UID: "d", ResourceVersion: "1", Generation: 1 + int64(random.Below(t, "generation", 4)),
		Annotations: annotations(t, "annotations"),
	}}
	if random.Percent(t, "long name", 3) {
		d.Name = strings.Repeat("w", 240+random.Below(t, "name length", 14))
	}
	if random.Percent(t, "has revision", 70) {
		d.Annotations["deployment.kubernetes.io/revision"] = strconv.Itoa(1 + random.Below(t, "d revision", 7))
	}
	if len(d.Annotations) == 0 && random.OneIn(t, "no annotations", 2) {
		d.Annotations = nil
	}
	d.Spec = appsv1.DeploymentSpec{
		Replicas:                new(random.Size(t, "replicas")),
		Selector:                &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		Template:                bare(0, map[string]string{"app": "web"}),
		MinReadySeconds:         random.OneOf[int32](t, "min ready", 0, 0, 0, 10, 60),
		ProgressDeadlineSeconds: new(random.OneOf[int32](t, "deadline", 600, 600, 60, 1, 1<<31-1, 1<<31-2, 0)),
		RevisionHistoryLimit:    new(random.OneOf[int32](t, "history limit", 10, 2, 1, 0, 3, 1<<31-1)),
		Paused:                  random.Percent(t, "paused", 12),
	}
	if random.Percent(t, "recreate", 15) {
		d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	} else {
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
			MaxSurge: goodLimit(t, "surge"), MaxUnavailable: goodLimit(t, "unavailable"),
		}
	}
	if random.Percent(t, "deleting", 4) {
		d.DeletionTimestamp = new(metav1.NewTime(g.now))
	}
	g.c.Deployment = d
}

// ownSet draws the i-th ReplicaSet of the Deployment. The first one has the
// Deployment's template in three of four cases, the others in one of ten.
func (g *draft) ownSet(i int) {
	t, d := g.t, g.c.Deployment
	k := 1 + random.Below(t, "template", templates-1)
	if i == 0 && !random.OneIn(t, "no new set", 4) || i > 0 && random.OneIn(t, "same template", 10) {
		k = 0
	}
	name := "web-" + string(rune('a'+random.Below(t, "set name", 20))) + strconv.Itoa(i)
	labels := map[string]string{"app": "web", hashLabel: name}
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: name, UID: types.UID("rs-" + strconv.Itoa(i)), ResourceVersion: "1",
			Generation: 1 + int64(random.Below(t, "set generation", 3)), Labels: labels, CreationTimestamp: Time(t, g.now, "set created"),
			OwnerReferences: []metav1.OwnerReference{owner("Deployment", d.Name, "d")},
		},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: bare(k, labels),
			MinReadySeconds: d.Spec.MinReadySeconds,
		},
	}
	if random.Percent(t, "set min ready", 5) {
		rs.Spec.MinReadySeconds = 7
	}
	if random.Percent(t, "owner kind", 5) {
		rs.OwnerReferences[0].Kind, rs.OwnerReferences[0].Name = "Rollout", "former"
	}
	if random.Percent(t, "watched", 5) {
		rs.OwnerReferences = append([]metav1.OwnerReference{{Kind: "Watcher", Name: "w", UID: "w"}}, rs.OwnerReferences...)
	}
	if random.Percent(t, "set deleting", 3) {
		rs.DeletionTimestamp = new(metav1.NewTime(g.now))
	}
	rs.Spec.Replicas = new(g.setSize(i))
	g.setAnnotations(rs)
	g.setStatus(rs)
	g.c.ReplicaSets = append(g.c.ReplicaSets, rs)
}

// setSize draws the size of the i-th ReplicaSet.
func (g *draft) setSize(i int) int32 {
	t, replicas := g.t, *g.c.Deployment.Spec.Replicas
	switch {
	case g.scene == complete && i == 0:
		return replicas
	case g.scene == complete:
		return 0
	case g.scene == chaotic:
		return random.Size(t, "set size")
	}
	switch random.Weighted(t, "set size class", 35, 20, 20, 15, 10) {
	case 0:
		return 0
	case 1:
		return replicas
	case 2:
		return replicas / 2
	case 3:
		return int32(random.Below(t, "set size", 7))
	}
	return replicas / 3
}

func (g *draft) setAnnotations(rs *appsv1.ReplicaSet) {
	t, replicas := g.t, *g.c.Deployment.Spec.Replicas
	m := map[string]string{}
	put := func(key, text string, present bool) {
		if present {
			m["deployment.kubernetes.io/"+key] = text
		}
	}
	desired, hasDesired := random.SizeText(t, "desired", replicas)
	put("desired-replicas", desired, hasDesired)
	largest, hasLargest := random.SizeText(t, "max", replicas+replicas/4)
	put("max-replicas", largest, hasLargest)
	if g.scene != chaotic && hasDesired && !random.OneIn(t, "scaled", 8) {
		put("desired-replicas", strconv.Itoa(int(replicas)), true)
	}
	number, hasNumber := random.Revision(t, "revision")
	put("revision", number, hasNumber)
	if random.Percent(t, "has history", 30) {
		history, hasHistory := random.History(t, "history")
		put("revision-history", history, hasHistory)
	}
	if random.Percent(t, "copied", 15) {
		m["kubernetes.io/change-cause"] = random.OneOf(t, "cause", "new image", "old image")
	}
	if len(m) > 0 || !random.OneIn(t, "no set annotations", 2) {
		rs.Annotations = m
	}
}

// setStatus draws the status of a ReplicaSet: half of the time the true one, else too low, too
// high, or anything.
func (g *draft) setStatus(rs *appsv1.ReplicaSet) {
	t, size, s := g.t, *rs.Spec.Replicas, &rs.Status
	class := random.Weighted(t, "status class", 50, 20, 10, 10, 10)
	if g.scene == complete && class != 4 {
		class = 0
	}
	switch class {
	case 0:
		s.Replicas, s.ReadyReplicas, s.AvailableReplicas = size, size, size
	case 1:
		s.Replicas = size
		s.ReadyReplicas = max(0, size-int32(random.Below(t, "not ready", 4)))
		s.AvailableReplicas = max(0, s.ReadyReplicas-int32(random.Below(t, "not available", 3)))
	case 2:
		s.Replicas, s.ReadyReplicas = size/2, size/2
	case 3:
		ahead := size/2 + int32(random.Below(t, "ahead", 4))
		s.Replicas, s.ReadyReplicas, s.AvailableReplicas = size+min(ahead, 1<<31-1-size), size, size+min(ahead, 1<<31-1-size)
	default:
		s.Replicas, s.ReadyReplicas, s.AvailableReplicas = random.Size(t, "has"), random.Size(t, "ready"), random.Size(t, "available")
	}
	s.ObservedGeneration = max(0, rs.Generation-int64(random.Weighted(t, "behind", 80, 10, 5, 5)))
	s.TerminatingReplicas = random.OneOf(t, "terminating", new(int32(0)), new(int32(2)), new(int32(1<<31-1)), nil)
	if !random.OneIn(t, "reports terminating", 3) {
		s.TerminatingReplicas = new(int32(0))
	}
	for range random.Weighted(t, "set conditions", 85, 10, 5) {
		s.Conditions = append(s.Conditions, appsv1.ReplicaSetCondition{
			Type:   random.OneOf(t, "set condition", appsv1.ReplicaSetReplicaFailure, "Custom"),
			Status: random.OneOf(t, "set condition status", corev1.ConditionTrue, corev1.ConditionFalse),
			Reason: random.OneOf(t, "set condition reason", "FailedCreate", "FailedDelete"), Message: "quota", LastTransitionTime: Time(t, g.now, "failed"),
		})
	}
}

// otherReplicaSets draws ReplicaSets that do not belong to the Deployment: some with its labels and
// another owner, and some with other labels and no owner.
func (g *draft) otherReplicaSets() {
	for i := range random.Weighted(g.t, "strangers", 80, 15, 5) {
		rs := &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: Namespace, Name: "other-" + strconv.Itoa(i), UID: types.UID("other-" + strconv.Itoa(i)),
				Labels: map[string]string{"app": "other"}, CreationTimestamp: Time(g.t, g.now, "stranger created"),
				Annotations: map[string]string{"deployment.kubernetes.io/revision": "99"},
			},
			Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(3)), Template: bare(0, map[string]string{"app": "web"})},
		}
		if random.OneIn(g.t, "foreign", 2) {
			rs.Labels = map[string]string{"app": "web"}
			rs.OwnerReferences = []metav1.OwnerReference{owner("Deployment", "web", "another")}
		}
		g.c.ReplicaSets = append(g.c.ReplicaSets, rs)
	}
}

// status draws the last reported status of the Deployment: half of the time the sums of its
// ReplicaSets, else anything. Conditions come in any order, at times twice.
func (g *draft) status() {
	t, d := g.t, g.c.Deployment
	s := &d.Status
	s.ObservedGeneration = max(0, d.Generation+1-int64(random.Weighted(t, "observed", 10, 70, 15, 5)))
	if random.OneIn(t, "odd status", 2) && g.scene != complete {
		s.Replicas, s.UpdatedReplicas = random.Size(t, "d replicas"), random.Size(t, "d updated")
		s.ReadyReplicas, s.AvailableReplicas = random.Size(t, "d ready"), random.Size(t, "d available")
	} else {
		g.sums(s)
	}
	s.TerminatingReplicas = random.OneOf(t, "d terminating", nil, new(int32(0)))
	if random.Percent(t, "collisions", 10) {
		s.CollisionCount = new(int32(random.Below(t, "collision count", 3)))
	}
	for range random.Weighted(t, "conditions", 15, 25, 35, 15, 10) {
		s.Conditions = append(s.Conditions, Condition(t, g.now, *d.Spec.ProgressDeadlineSeconds))
	}
}

func (g *draft) sums(s *appsv1.DeploymentStatus) {
	for _, rs := range g.c.ReplicaSets {
		if owner := metav1.GetControllerOf(rs); owner == nil || owner.UID != "d" {
			continue
		}
		s.Replicas += rs.Status.Replicas
		s.ReadyReplicas += rs.Status.ReadyReplicas
		s.AvailableReplicas += rs.Status.AvailableReplicas
		if rs.Spec.Template.Spec.Containers[0].Image == "i:0" {
			s.UpdatedReplicas = rs.Status.Replicas
		}
	}
}

// pods draws pods for a Deployment with the strategy Recreate, and rarely for others.
func (g *draft) pods() {
	t := g.t
	if g.c.Deployment.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType && !random.OneIn(t, "pods", 20) {
		return
	}
	for i := range random.Below(t, "pods", 5) {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: "p" + strconv.Itoa(i), UID: types.UID("p" + strconv.Itoa(i)), Labels: map[string]string{"app": "web"},
		}}
		p.Status.Phase = random.OneOf(t, "phase", corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded, corev1.PodPending, corev1.PodUnknown, "")
		if random.Percent(t, "pod deleting", 20) {
			p.DeletionTimestamp = new(metav1.NewTime(g.now))
		}
		if len(g.c.ReplicaSets) > 0 && !random.OneIn(t, "bare pod", 6) {
			rs := random.OneOf(t, "pod owner", g.c.ReplicaSets...)
			p.OwnerReferences = []metav1.OwnerReference{owner("ReplicaSet", rs.Name, string(rs.UID))}
			switch random.Weighted(t, "pod owner detail", 84, 8, 8) {
			case 1:
				p.OwnerReferences[0].Kind = "StatefulSet"
			case 2:
				p.OwnerReferences[0].Name = "former"
			}
		}
		g.c.Pods = append(g.c.Pods, p)
	}
}
