// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
)

// The tests of this file show for each intended difference a case that needs it. An
// entry that nothing needs any more has to go.

// rolloutCase is a Deployment of three replicas with a new template, and its old
// ReplicaSets by revision, oldest first.
func rolloutCase(now time.Time, change func(*appsv1.Deployment), revisions ...string) *gen.DeploymentCase {
	d := limits{new(intstr.FromInt32(1)), new(intstr.FromInt32(1)), 3}.deployment()
	d.Namespace, d.Name, d.UID, d.Generation = gen.Namespace, "web", "d", 2
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	d.Spec.Template = podTemplate("new")
	d.Spec.ProgressDeadlineSeconds, d.Spec.RevisionHistoryLimit = new(int32(600)), new(int32(10))
	d.Annotations = map[string]string{}
	change(d)
	c := &gen.DeploymentCase{Deployment: d}
	for i, text := range revisions {
		c.ReplicaSets = append(c.ReplicaSets, oldSet(d, "web-"+strconv.Itoa(i), now.Add(time.Duration(i-100)*time.Hour), text))
	}
	return c
}

func podTemplate(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
}

// oldSet returns a ReplicaSet of two available pods.
func oldSet(d *appsv1.Deployment, name string, created time.Time, number string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: gen.Namespace, Name: name, UID: types.UID(name), Generation: 1, CreationTimestamp: at(created),
			Labels:      map[string]string{"app": "web"},
			Annotations: map[string]string{revision.AnnotationRevision: number, revision.AnnotationDesired: "3", revision.AnnotationMax: "4"},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment")),
			},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Template: podTemplate(name)},
		Status: appsv1.ReplicaSetStatus{
			Replicas: 2, ReadyReplicas: 2, AvailableReplicas: 2, ObservedGeneration: 1, TerminatingReplicas: new(int32(0)),
		},
	}
}

var deploymentExamples = map[string]func(*upstream.Deployments, time.Time) *gen.DeploymentCase{
	"unusable limit rejected": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		return rolloutCase(now, func(d *appsv1.Deployment) {
			d.Spec.Paused, d.Spec.Strategy.RollingUpdate.MaxSurge = true, new(intstr.FromString("5"))
		}, "1")
	},
	"unset surge is 0 for the new ReplicaSet as well": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		return rolloutCase(now, func(d *appsv1.Deployment) { d.Spec.Strategy.RollingUpdate.MaxSurge = nil }, "1")
	},
	"no size below 0": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) { *d.Spec.Replicas = 5 }, "1", "2")
		c.ReplicaSets = append(c.ReplicaSets, oldSet(c.Deployment, "new", now, "3"))
		// Six times the second one, its share of six of six, wraps around.
		*c.ReplicaSets[0].Spec.Replicas, *c.ReplicaSets[1].Spec.Replicas = math.MaxInt32, 500_000_000
		for _, rs := range c.ReplicaSets {
			rs.Annotations[revision.AnnotationMax] = "6"
		}
		return c
	},
	"the new ReplicaSet not scaled below 0": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) {
			*d.Spec.Replicas, d.Spec.Strategy.RollingUpdate.MaxSurge = math.MaxInt32-10, new(intstr.FromInt32(0))
		}, "1")
		c.ReplicaSets = append(c.ReplicaSets, oldSet(c.Deployment, "new", now, "3"))
		for _, rs := range c.ReplicaSets {
			rs.Annotations[revision.AnnotationDesired] = "2147483637"
		}
		*c.ReplicaSets[0].Spec.Replicas, c.ReplicaSets[0].Status.AvailableReplicas = math.MaxInt32, math.MaxInt32
		*c.ReplicaSets[1].Spec.Replicas, c.ReplicaSets[1].Status = 1, appsv1.ReplicaSetStatus{ObservedGeneration: 1}
		return c
	},
	takenByReleased: func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(*appsv1.Deployment) {}, "1")
		rs := oldSet(c.Deployment, "new", now, "2")
		rs.Name = "web-" + controller.ComputeHash(&c.Deployment.Spec.Template, nil)
		rs.Labels = nil
		c.ReplicaSets = append(c.ReplicaSets, rs)
		return c
	},
	"percentages beyond the precision of a float": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) {
			*d.Spec.Replicas, d.Spec.Strategy.RollingUpdate.MaxSurge = math.MaxInt32, new(intstr.FromInt32(0))
			d.Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromString("2147483647%"))
		}, "1")
		rs := c.ReplicaSets[0]
		rs.Annotations[revision.AnnotationDesired] = "2147483647"
		*rs.Spec.Replicas, rs.Status.Replicas, rs.Status.AvailableReplicas = math.MaxInt32, math.MaxInt32, math.MaxInt32
		return c
	},
	"negative number rejected": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		return rolloutCase(now, func(d *appsv1.Deployment) { *d.Spec.RevisionHistoryLimit = -1 }, "1")
	},
	"unknown strategy rejected at once": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		return rolloutCase(now, func(d *appsv1.Deployment) { d.Spec.Paused, d.Spec.Strategy.Type = true, "Canary" }, "1")
	},
	"ReplicaSet without UID rejected at once": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(*appsv1.Deployment) {}, "1", "2")
		c.ReplicaSets[0].UID, c.ReplicaSets[1].OwnerReferences = "", nil
		return c
	},
	"nothing released without a selector": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		return rolloutCase(now, func(d *appsv1.Deployment) { d.Spec.Selector = nil }, "1")
	},
	uidDecides: func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}, "1")
		rs := c.ReplicaSets[0]
		*rs.Spec.Replicas, rs.Status = 0, appsv1.ReplicaSetStatus{ObservedGeneration: 1}
		pod := healthyPod(now.Add(-time.Hour), 0)
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "StatefulSet", Name: rs.Name, UID: rs.UID, Controller: new(true)}}
		c.Pods = []*corev1.Pod{pod}
		return c
	},
	"cyclic order of revisions broken": func(_ *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) {
			*d.Spec.Replicas, *d.Spec.RevisionHistoryLimit = 0, 1
			d.Status.ObservedGeneration = d.Generation // complete, so that history is cleaned up
		}, "3", "bad", "1")
		for _, rs := range c.ReplicaSets {
			*rs.Spec.Replicas, rs.Status = 0, appsv1.ReplicaSetStatus{ObservedGeneration: 1}
		}
		return c
	},
	noRecheck: func(dc *upstream.Deployments, now time.Time) *gen.DeploymentCase {
		c := rolloutCase(now, func(d *appsv1.Deployment) { d.Spec.Template = podTemplate("web-0") }, "1")
		rs := c.ReplicaSets[0]
		*rs.Spec.Replicas, rs.Status.Replicas = 3, 3
		c.Deployment.Status.Conditions = []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", LastUpdateTime: at(now),
		}}
		return afterPass(dc, afterPass(dc, c))
	},
}

func TestDeploymentDifferences(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		dc, err := upstream.NewDeployments()
		require.NoError(t, err)
		for _, d := range deploymentDifferences {
			example, ok := deploymentExamples[d.name]
			require.True(t, ok, "the difference %q has no example", d.name)
			p := passDeployment(dc, example(dc, now), now)
			names, diff := explain(deploymentDifferences, &p)
			require.Equal(t, []string{d.name}, names, diff)
		}
		if upstream.Minor >= newest {
			require.Len(t, deploymentExamples, len(deploymentDifferences))
		}
	})
}

// podsCase is a ReplicaSet of one replica and ready pods of it on the nodes given,
// all of them an hour old.
func podsCase(now time.Time, nodes ...string) *gen.ReplicaSetCase {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "web-a", UID: "a", Generation: 1},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(1)), Template: podTemplate("a"),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		},
	}
	rs.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "d", UID: "d", Controller: new(true)}}
	c := &gen.ReplicaSetCase{ReplicaSet: rs, Burst: 500}
	for i, node := range nodes {
		p := healthyPod(now.Add(-time.Hour), i)
		p.Spec.NodeName = node
		p.Labels = map[string]string{"app": "web"}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: rs.Name, UID: rs.UID, Controller: new(true)}}
		c.Pods = append(c.Pods, p)
	}
	return c
}

func healthyPod(since time.Time, i int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: gen.Namespace, Name: "p" + strconv.Itoa(i), UID: types.UID(strconv.Itoa(i)), CreationTimestamp: at(since),
	}}
	p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at(since)}}
	return p
}

var replicaSetExamples = map[string]func(time.Time) *gen.ReplicaSetCase{
	"negative size rejected": func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n")
		*c.ReplicaSet.Spec.Replicas, c.ReplicaSet.DeletionTimestamp = -1, new(at(now))
		return c
	},
	"nothing released without a selector": func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n")
		c.ReplicaSet.Spec.Selector = nil
		return c
	},
	uidDecides: func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n")
		c.Pods[0].OwnerReferences[0].Name = "former"
		return c
	},
	"no panic over a pod created just now": func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n", "n")
		c.Pods[0].CreationTimestamp = at(now)
		return c
	},
	"adopted pods not listed last": func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n", "n")
		c.Pods[0].OwnerReferences = nil
		return c
	},
	"cycle among more than 12 pods": func(now time.Time) *gen.ReplicaSetCase {
		r := findCycle(now)
		c := podsCase(now)
		for _, p := range r.Pods {
			p.Labels, p.Spec.NodeName = map[string]string{"app": "web"}, "n"
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web-a", UID: "a", Controller: new(true)}}
		}
		c.Pods = r.Pods
		*c.ReplicaSet.Spec.Replicas = int32(len(r.Pods) - 1)
		for ; *c.ReplicaSet.Spec.Replicas > 0; *c.ReplicaSet.Spec.Replicas-- {
			if p := passReplicaSet(replicaSetSync(), c, now); !equal(&p.upstream, &p.ours) {
				break
			}
		}
		return c
	},
	"times centuries away are the same": func(now time.Time) *gen.ReplicaSetCase {
		c := podsCase(now, "n", "n")
		for i, p := range c.Pods {
			p.CreationTimestamp = at(now.Add(-time.Hour << (1 - i)))
			p.Status.Conditions[0].LastTransitionTime = at(time.Date(1600+i, 1, 1, 0, 0, 0, 0, time.UTC))
		}
		return c
	},
}

// findCycle searches for 13 healthy pods that upstream sorts in another way although
// they are in the planner's order.
func findCycle(now time.Time) ranked {
	draw := random.Custom(func(t random.T) ranked {
		return ranked{Now: at(now), Ranks: map[string]int{}, Pods: drawCircle(t, now)}
	})
	for seed := range 100_000 {
		r := draw.Example(seed)
		if d := decideSort(r); r.cycleOfMany() && !reflect.DeepEqual(d.upstream, d.ours) {
			return r
		}
	}
	panic("no cycle found")
}

func TestReplicaSetDifferences(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		sync := replicaSetSync()
		for _, d := range replicaSetDifferences {
			example, ok := replicaSetExamples[d.name]
			require.True(t, ok, "the difference %q has no example", d.name)
			p := passReplicaSet(sync, example(now), now)
			names, diff := explain(replicaSetDifferences, &p)
			require.Equal(t, []string{d.name}, names, diff)
		}
		require.Len(t, replicaSetExamples, len(replicaSetDifferences))
	})
}

// requireExamples checks that each difference explains its example alone.
func requireExamples[C any](t testing.TB, differences []difference[*decision[C], any], examples map[string]decision[C]) {
	for _, d := range differences {
		example, ok := examples[d.name]
		require.True(t, ok, "the difference %q has no example", d.name)
		names, diff := explain(differences, &example)
		require.Equal(t, []string{d.name}, names, diff)
	}
	require.Len(t, examples, len(differences))
}

func TestLimitDifferences(t *testing.T) {
	percent := func(text string) *intstr.IntOrString { return new(intstr.FromString(text)) }
	requireExamples(t, fencepostDifferences, map[string]decision[limits]{
		"percentages beyond the precision of a float": decideFenceposts(limits{percent("2147483647%"), nil, math.MaxInt32}),
		"percentage beyond 32 bits rejected":          decideFenceposts(limits{percent("4294967396%"), nil, 1}),
	})
	requireExamples(t, budgetDifferences, map[string]decision[limits]{
		"percentages beyond the precision of a float": decideBudget(limits{percent("2147483647%"), nil, math.MaxInt32}),
		"what must be available saturates":            decideBudget(limits{nil, new(intstr.FromInt32(-3)), math.MaxInt32}),
	})
}

func TestRevisionDifferences(t *testing.T) {
	h := historied{}
	for i, number := range []string{"3", "bad", "1"} {
		h.Sets = append(h.Sets, oldSet(&appsv1.Deployment{}, "web-"+strconv.Itoa(i), benchNow.Add(time.Duration(i)*time.Hour), number))
	}
	requireExamples(t, revisionDifferences, map[string]decision[historied]{"cyclic order of revisions broken": decideByRevision(h)})
}

func TestOrderDifferences(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		far := ranked{Pods: []*corev1.Pod{healthyPod(time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC), 0), healthyPod(time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), 1)}}
		requireExamples(t, sortDifferences, map[string]decision[ranked]{
			"cycle among more than 12 pods":     decideSort(findCycle(now)),
			"times centuries away are the same": decidePair(far),
		})
	})
}
