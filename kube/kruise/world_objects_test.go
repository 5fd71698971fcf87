// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

func read[T any](t *testing.T, text string) *T {
	t.Helper()
	o := new(T)
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), o))
	return o
}

// release is a release of a CloneSet of four pods in steps of a half, of which the first has begun: its
// second pod is on its way, and the route leads nothing to it yet.
func release(t *testing.T, short bool) (objects []kube.Object) {
	rollout := read[kubekruise.RolloutObject](t, `
metadata: {namespace: shop, name: web, uid: r, generation: 1, finalizers: [rollouts.kruise.io/rollout]}
spec:
  workloadRef: {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web}
  strategy:
    canary:
      steps: [{replicas: 50%, traffic: 20%, pause: {duration: 60}}, {replicas: 100%, pause: {duration: 0}}]
      trafficRoutings: [{service: web, gateway: {httpRouteName: web}}]
status:
  observedGeneration: 1
  phase: Progressing
  conditions: [{type: Progressing, status: "True", reason: InRolling}]
  canaryStatus: {observedWorkloadGeneration: 2, observedRolloutID: new, stableRevision: old, podTemplateHash: new, canaryRevision: new, currentStepIndex: 1, nextStepIndex: 2, currentStepState: StepUpgrade}
  currentStepIndex: 1
  currentStepState: StepUpgrade
`)
	hash := kruise.StrategyHash(kubekruise.Rollout(rollout))
	rollout.Annotations, rollout.Status.CanaryStatus.RolloutHash = map[string]string{workload.AnnotationHash: hash}, hash
	batches := read[kubekruise.BatchReleaseObject](t, `
metadata: {namespace: shop, name: web, uid: b, generation: 1, finalizers: [rollouts.kruise.io/batch-release-finalizer]}
spec:
  workloadRef: {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web}
  releasePlan: {batches: [{canaryReplicas: 50%}, {canaryReplicas: 100%}], batchPartition: 0, rolloutID: new}
status: {observedGeneration: 1, phase: Progressing, stableRevision: web-old, updateRevision: web-new, observedRolloutID: new, observedWorkloadReplicas: 4, canaryStatus: {batchState: Verifying}}
`)
	batches.Status.ObservedReleasePlanHash = kubekruise.BatchRelease(batches).ReleasePlan.Hash()
	set := read[kubekruise.CloneSetObject](t, `
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {namespace: shop, name: web, uid: c, generation: 2, annotations: {rollouts.kruise.io/in-progressing: "{}"}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:2"}]}}
  updateStrategy: {partition: 50%, maxUnavailable: 1}
status: {observedGeneration: 2, replicas: 4, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 2, updatedReadyReplicas: 1, currentRevision: web-old, updateRevision: web-new}
`)
	set.Annotations["batchrelease.rollouts.kruise.io/control-info"] = workload.ControlInfo("web", "b")
	objects = append(objects, rollout, batches, set, read[kubekruise.HTTPRouteObject](t, `
metadata: {namespace: shop, name: web}
spec: {rules: [{backendRefs: [{name: web, port: 80}]}]}
`), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}})
	for i, revision := range []string{"old", "old", "new", "new"} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: fmt.Sprintf("web-%d", i), UID: types.UID(fmt.Sprint("p", i)),
			Labels:          map[string]string{"app": "web", workload.LabelControllerRevision: "web-" + revision, workload.LabelPodTemplateHash: revision},
			OwnerReferences: []metav1.OwnerReference{{Kind: "CloneSet", Name: "web", UID: "c", Controller: ptr.To(true)}},
		}}
		if short {
			p.Labels[workload.LabelControllerRevision] = revision
		}
		p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
		if i < 3 {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		objects = append(objects, p)
	}
	return objects
}

// A release of OpenKruise that is under way goes on in a world where it stands: what it has done stays, and
// what it does next it does of its BatchRelease, pods and route. Some CloneSets write the end of the name of
// a revision alone.
func TestWorldOfRelease(t *testing.T) {
	for _, short := range []bool{false, true} {
		s, err := kube.World(release(t, short))
		require.NoError(t, err)
		require.Equal(t, []string{"shop/web", "shop/web", "shop/web", "shop/web", "shop/web", "shop/web"}, []string{
			s.Rollouts[0].Name, s.Rollouts[0].WorkloadRef.Name, s.Rollouts[0].Canary.TrafficRoutings[0].Service,
			*s.Rollouts[0].Canary.TrafficRoutings[0].Gateway.HTTPRouteName, s.Releases[0].WorkloadRef.Name, s.Routes[0].Rules[0].BackendRefs[0].Name,
		})
		require.Equal(t, kruise.StrategyHash(s.Rollouts[0]), s.Rollouts[0].Status.Sub.RolloutHash)
		require.Equal(t, kruise.StrategyHash(s.Rollouts[0]), s.Rollouts[0].Annotations[workload.AnnotationHash])
		created, deleted := 0, 0
		w, err := sim.New(s, sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}, Observe: func(c sim.Change) {
			switch {
			case c.By != "set controller":
			case c.Verb == sim.Create:
				created++
			case c.Verb == sim.Delete:
				deleted++
			}
		}})
		require.NoError(t, err)
		require.NoError(t, w.Run(w.Now().Add(30*time.Second)))
		now := w.Snapshot()
		require.Equal(t, []any{int32(1), kruise.StatePaused}, []any{now.Rollouts[0].Status.CurrentStepIndex, now.Rollouts[0].Status.CurrentStepState})
		require.Equal(t, "b", now.Releases[0].UID, "the one that was there")
		require.Zero(t, created+deleted, "two new pods are there already")
		require.Len(t, now.Routes[0].Rules[0].BackendRefs, 2)
		require.Equal(t, int32(20), *now.Routes[0].Rules[0].BackendRefs[1].Weight)
		done, err := w.Settle(time.Hour)
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, kruise.PhaseHealthy, w.View().Rollouts()[0].Status.Phase)
		require.Equal(t, int32(4), w.View().Set("shop/web").Status.UpdatedReadyReplicas)
		require.Equal(t, []int{2, 2}, []int{created, deleted})
	}
}

// A Rollout knows the template of its Deployment by a revision of its own, which its status pairs with the
// label of the pods.
func TestWorldNamesRevision(t *testing.T) {
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}
	template.Spec.Containers = []corev1.Container{{Name: "c", Image: "web:2"}}
	d := kube.Default(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "d"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template,
	}})
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-a1", UID: "rs", Labels: map[string]string{"pod-template-hash": "a1"}}}
	rs.Spec.Template = d.Spec.Template
	for reason, want := range map[string]string{"InRolling": "b2", "Initializing": kube.Template(&d.Spec.Template, nil).Hash} {
		r := read[kubekruise.RolloutObject](t, `
metadata: {namespace: shop, name: web}
spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {steps: [{replicas: 50%}]}}}
status: {phase: Progressing, conditions: [{type: Progressing, status: "True", reason: `+reason+`}], canaryStatus: {canaryRevision: b2, podTemplateHash: a1}}
`)
		s, err := kube.World([]kube.Object{r, d, rs})
		require.NoError(t, err)
		require.Equal(t, want, s.Deployments[0].Template.Hash, reason)
	}
}

// Rollouts of the older version are those of the newer one.
func TestWorldOfV1alpha1(t *testing.T) {
	s, err := kube.World([]kube.Object{
		read[kubekruise.RolloutObjectV1alpha1](t, `
metadata: {namespace: shop, name: web}
spec: {objectRef: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}, strategy: {canary: {steps: [{replicas: 1}], trafficRoutings: [{service: web, ingress: {name: i}}]}}}
`),
		read[kubekruise.BatchReleaseObjectV1alpha1](t, `
metadata: {namespace: shop, name: web}
spec: {targetReference: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}, releasePlan: {batches: [{canaryReplicas: 1}]}}
`),
		(*kubekruise.RolloutObject)(nil),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"shop/web", "shop/web", "shop/i"}, []string{s.Rollouts[0].WorkloadRef.Name, s.Releases[0].WorkloadRef.Name, s.Rollouts[0].Canary.TrafficRoutings[0].Ingress.Name})
}

// An Advanced StatefulSet has what one of Kubernetes has not.
func TestWorldOfAdvancedStatefulSet(t *testing.T) {
	s, err := kube.World([]kube.Object{read[kubekruise.AdvancedStatefulSetObject](t, `
metadata: {namespace: shop, name: db, uid: s}
spec: {replicas: 2, podManagementPolicy: Parallel, template: {}, updateStrategy: {rollingUpdate: {maxUnavailable: 2, podUpdatePolicy: InPlaceIfPossible, unorderedUpdate: {}}}}
`), read[kubekruise.CloneSetObject](t, `
metadata: {namespace: shop, name: web, uid: c}
spec: {template: {}, scaleStrategy: {maxUnavailable: 20%}, updateStrategy: {type: ReCreate}}
`)})
	require.NoError(t, err)
	db, web := s.Sets[0], s.Sets[1]
	require.Equal(t, []bool{true, true, true}, []bool{db.Parallel, db.InPlace, db.Unordered})
	require.False(t, web.InPlace)
	require.Equal(t, "20%", web.ScaleUnavailable.String())
	_, err = kube.World([]kube.Object{read[kubekruise.CloneSetObject](t, `
metadata: {namespace: shop, name: web}
spec: {template: {}, updateStrategy: {partition: many}}
`)})
	require.ErrorContains(t, err, "CloneSet shop/web: spec.updateStrategy.partition")
}

// Objects can be copied as those of Kubernetes, and the copy shares nothing.
func TestCopies(t *testing.T) {
	for _, o := range release(t, false)[:4] {
		c := o.DeepCopyObject()
		require.Equal(t, o, c)
		c.(metav1.Object).SetName("other")
		require.Equal(t, "web", o.GetName())
	}
	require.Equal(t, (*kubekruise.RolloutObject)(nil), (*kubekruise.RolloutObject)(nil).DeepCopyObject())
	for _, o := range []runtime.Object{&kubekruise.RolloutObjectV1alpha1{}, &kubekruise.BatchReleaseObjectV1alpha1{}, &kubekruise.AdvancedStatefulSetObject{}} {
		require.Equal(t, o, o.DeepCopyObject())
	}
}

// What a pass of a Rollout reads becomes a part of a world.
func ExampleAddToWorld() {
	var s cluster.Snapshot
	kubekruise.AddToWorld(&s, "shop", kruise.Snapshot{
		Rollout: kruise.Rollout{Name: "web", WorkloadRef: workload.Ref{Kind: "Deployment", Name: "web"}},
		Traffic: traffic.Objects{Stable: &traffic.Service{Name: "web"}},
	})
	fmt.Println(s.Rollouts[0].Name, s.Rollouts[0].WorkloadRef.Name, s.Services[0].Name)
	// Output: shop/web shop/web shop/web
}

// each reads a Rollout, a set or another object alone, and prints what the world has of it.
func each(o kube.WorldObject) {
	var s cluster.Snapshot
	err := o.AddToWorld(&s)
	for _, r := range s.Rollouts {
		fmt.Println("rollout", r.Name, err)
	}
	for _, r := range s.Releases {
		fmt.Println("release", r.Name, err)
	}
	for _, r := range s.Routes {
		fmt.Println("route", r.Name, err)
	}
}

func ExampleRolloutObject_AddToWorld() {
	each(&kubekruise.RolloutObject{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	// Output: rollout shop/web <nil>
}

func ExampleRolloutObjectV1alpha1_AddToWorld() {
	each(&kubekruise.RolloutObjectV1alpha1{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	// Output: rollout shop/web <nil>
}

func ExampleBatchReleaseObject_AddToWorld() {
	each(&kubekruise.BatchReleaseObject{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	// Output: release shop/web <nil>
}

func ExampleBatchReleaseObjectV1alpha1_AddToWorld() {
	each(&kubekruise.BatchReleaseObjectV1alpha1{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	// Output: release shop/web <nil>
}

func ExampleHTTPRouteObject_AddToWorld() {
	each(&kubekruise.HTTPRouteObject{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	// Output: route shop/web <nil>
}

func ExampleCloneSetObject_WorldSet() {
	o := &kubekruise.CloneSetObject{}
	o.Spec.UpdateStrategy.Type = "InPlaceIfPossible"
	s, _, err := o.WorldSet()
	fmt.Println(s.Kind, s.InPlace, err)
	// Output: CloneSet true <nil>
}

func ExampleAdvancedStatefulSetObject_WorldSet() {
	o := &kubekruise.AdvancedStatefulSetObject{}
	o.Spec.PodManagementPolicy = "Parallel"
	s, _, err := o.WorldSet()
	fmt.Println(s.Kind, s.Parallel, err)
	// Output: StatefulSet true <nil>
}
