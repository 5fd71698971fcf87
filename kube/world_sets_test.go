// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// db is a StatefulSet of two pods, of which the last one is of a new template, and has no image.
const db = `
{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: db, uid: s, generation: 2}, spec: {
  replicas: 2, selector: {matchLabels: {app: db}}, podManagementPolicy: Parallel, updateStrategy: {rollingUpdate: {partition: 1}},
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:2"}]}}},
  status: {observedGeneration: 2, replicas: 2, currentRevision: db-old, updateRevision: db-new}}
---
{apiVersion: apps/v1, kind: ControllerRevision, metadata: {namespace: shop, name: db-old, ownerReferences: [{kind: StatefulSet, name: db, uid: s, controller: true}]},
  revision: 1, data: {spec: {template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:1", readinessProbe: {initialDelaySeconds: 40}}]}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: db-0, uid: p0, labels: {app: db, controller-revision-hash: db-old}, ownerReferences: [{kind: StatefulSet, name: db, uid: s, controller: true}]},
  spec: {nodeName: n, containers: [{name: db}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: db-1, uid: p1, labels: {app: db, controller-revision-hash: db-new}, ownerReferences: [{kind: StatefulSet, name: db, uid: s, controller: true}]},
  spec: {nodeName: n, containers: [{name: db}]}, status: {phase: Pending, containerStatuses: [{name: db, state: {waiting: {reason: ImagePullBackOff}}}]}}
`

// A StatefulSet has its pods, believed as they are seen, and the templates of its revisions.
func TestWorldOfStatefulSet(t *testing.T) {
	s, err := kube.World(read(t, db))
	require.NoError(t, err)
	require.Len(t, s.Sets, 1)
	set := s.Sets[0]
	require.Equal(t, []any{"shop/db", "s", true, int32(1)}, []any{set.Name, set.UID, set.Parallel, set.Partition.OfUp(2)})
	require.Equal(t, []string{"db-old", "db-new", "new"}, []string{set.StableRevision, set.UpdateRevision, set.Template.Hash})
	require.Equal(t, 40*time.Second, s.Templates["old"].ReadyAfter, "of the revision")
	require.True(t, s.Templates["new"].NeverStarts, "no pod of it is ready, and one is broken")
	require.Equal(t, map[string]cluster.PodHold{"shop/db-1": {Unready: true}}, s.Held)
	require.Equal(t, "1 pod in ImagePullBackOff stays so", s.Believed[0].String())
	require.Empty(t, s.Unseen)

	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, int32(1), w.View().Set("shop/db").Status.ReadyReplicas)
	require.True(t, w.Delete(sim.KindPod, "shop/db-0"))
	at := w.Now()
	require.NoError(t, w.Run(at.Add(39*time.Second)))
	require.False(t, w.View().Pod("shop/db-0").Ready, "it is created of the old template again, which takes 40 seconds")
	_, err = w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, w.View().Pod("shop/db-0").Ready)
	require.Equal(t, "db-old", w.View().Pod("shop/db-0").Labels[workload.LabelControllerRevision], "the partition keeps it")
}

// A revision that the status does not name yet is known by its template, and one that nobody knows by the
// template of its pods, without the volumes that each has for itself.
func TestWorldOfRevisions(t *testing.T) {
	const set = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: db, uid: s, generation: 2}, spec: {
  replicas: 1, selector: {matchLabels: {app: db}}, volumeClaimTemplates: [{metadata: {name: data}}],
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:2"}]}}}, status: {observedGeneration: 1, updateRevision: db-old}}
`
	const named = `---
{apiVersion: apps/v1, kind: ControllerRevision, metadata: {namespace: shop, name: db-new, ownerReferences: [{kind: StatefulSet, name: db, uid: s, controller: true}]},
  revision: 2, data: {spec: {template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:2"}]}}}}}
`
	const pod = `---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: db-0, uid: p0, labels: {app: db, controller-revision-hash: db-old}, ownerReferences: [{kind: StatefulSet, name: db, uid: s, controller: true}]},
  spec: {nodeName: n, terminationGracePeriodSeconds: 7, containers: [{name: db}], volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: shop, name: data-db-0}, spec: {accessModes: [ReadWriteOnce]}}
`
	objects := read(t, set+named+pod)
	revision := objects[1].(*appsv1.ControllerRevision)
	revision.Data.Raw = templateOf(t, objects[0].(*appsv1.StatefulSet))
	s, err := kube.World(objects)
	require.NoError(t, err)
	require.Equal(t, "new", s.Sets[0].Template.Hash)
	old := s.Templates["old"]
	require.Equal(t, 7*time.Second, old.EndWithin)
	require.Empty(t, old.Claims)
	require.Equal(t, []string{"volumes of volume claim templates"}, s.Unseen)

	s, err = kube.World(read(t, set))
	require.NoError(t, err)
	require.Equal(t, s.Sets[0].Template.Hash, kube.Template(&kube.Default(objects[0].(*appsv1.StatefulSet)).Spec.Template, nil).Hash, "nobody knows it")
}

// What Rollouts read of a Deployment is kept, with references by their whole name; of others nothing is.
func TestWorldOfMeta(t *testing.T) {
	s, err := kube.World(read(t, `
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web, uid: d, labels: {app: web, rollouts.kruise.io/stable-revision: a}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web-x, uid: e, creationTimestamp: "2026-05-01T12:00:00Z", labels: {rollouts.kruise.io/canary-deployment: web},
  finalizers: [finalizer.rollouts.kruise.io/batch-release], ownerReferences: [{kind: BatchRelease, name: web, uid: b, controller: true}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: other, uid: o, labels: {app: other}}}
`))
	require.NoError(t, err)
	require.Equal(t, []cluster.Meta{
		{Kind: "Deployment", Name: "shop/web", Labels: map[string]string{"app": "web", workload.LabelStableRevision: "a"}},
		{
			Kind: "Deployment", Name: "shop/web-x", Labels: map[string]string{workload.LabelCanaryDeployment: "shop/web"}, Finalizers: []string{workload.FinalizerCanaryDeployment},
			ControllerUID: "b", CreationTimestamp: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		},
	}, s.Meta)
}

// templateOf is the data of a revision of a StatefulSet.
func templateOf(t *testing.T, s *appsv1.StatefulSet) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{"spec": map[string]any{"template": kube.Default(s).Spec.Template}})
	require.NoError(t, err)
	return data
}

// Of two sets of pods with one name, of different kinds, a world has one.
func TestWorldOfSetsWithOneName(t *testing.T) {
	s, err := kube.World(append(read(t, db), &gameServers{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}}))
	require.NoError(t, err)
	require.Len(t, s.Sets, 1)
	require.Equal(t, []string{"one of two sets of pods with the same name"}, s.Unseen)
}

func ExampleStatefulSet() {
	s, err := kube.StatefulSet(&appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db"}, Status: appsv1.StatefulSetStatus{Replicas: 3, UpdateRevision: "db-6d4f"},
	})
	fmt.Println(s.Ref, s.Status.Replicas, s.UpdateRevision, err)
	// Output: {apps/v1 StatefulSet db} 3 db-6d4f <nil>
}

// gameServers are a set of pods of an API of one's own.
type gameServers struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (g *gameServers) DeepCopyObject() runtime.Object {
	return &gameServers{g.TypeMeta, *g.ObjectMeta.DeepCopy()}
}

func (g *gameServers) WorldSet() (cluster.Set, *corev1.PodTemplateSpec, error) {
	return cluster.Set{Workload: workload.Workload{Ref: workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: g.Name}}}, &corev1.PodTemplateSpec{}, nil
}

// A set of pods of another API is one that says itself what a world has of it.
func ExampleWorldSet() {
	s, err := kube.World([]kube.Object{&gameServers{ObjectMeta: metav1.ObjectMeta{Namespace: "games", Name: "chess"}}})
	fmt.Println(s.Sets[0].Kind, s.Sets[0].Name, err)
	// Output: CloneSet games/chess <nil>
}

// A note is an object of an API of one's own, which is not about pods.
type note struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (n *note) DeepCopyObject() runtime.Object { return &note{n.TypeMeta, *n.ObjectMeta.DeepCopy()} }

func (n *note) AddToWorld(s *cluster.Snapshot) error {
	s.Objects = append(s.Objects, cluster.Object{Kind: "Note", Name: n.Namespace + "/" + n.Name})
	return nil
}

func ExampleWorldObject() {
	s, err := kube.World([]kube.Object{&note{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "freeze"}}})
	fmt.Println(s.Objects[0].Kind, s.Objects[0].Name, err)
	// Output: Note shop/freeze <nil>
}
