// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// opaque are types whose inside has no exported field.
func opaque(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[rollout.IntOrPercent]()
}

// same returns the paths of the leaves, truths aside, that are equal in a and b and not zero.
func same(path string, a, b reflect.Value) (paths []string) {
	if a.Kind() == reflect.Bool || !a.IsValid() || !b.IsValid() || a.IsZero() {
		return nil
	}
	if a.Type() == reflect.TypeFor[[]byte]() || opaque(a.Type()) {
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			paths = append(paths, path)
		}
		return paths
	}
	switch a.Kind() {
	case reflect.Pointer:
		return same(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				paths = append(paths, same(path+"."+f.Name, a.Field(i), b.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			paths = append(paths, same(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))...)
		}
	default:
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// requireRead converts objects that differ in every field. Each field of the result must
// be set, but for those of notRead, and must follow its source, but for those of words,
// which are among the few that the API knows. Both say why.
func requireRead(t *testing.T, convert func(first int64) any, notRead, words map[string]string) {
	t.Helper()
	a, b := convert(1), convert(10_001)
	require.ElementsMatch(t, slices.Collect(maps.Keys(notRead)), total.Zeros(a, opaque))
	require.ElementsMatch(t, slices.Collect(maps.Keys(words)), same("", reflect.ValueOf(a), reflect.ValueOf(b)))
}

func filledReplicaSet(first int64) *appsv1.ReplicaSet {
	rs := filled[appsv1.ReplicaSet](first)
	rs.Namespace, rs.Labels[revision.LabelHash] = "shop", fmt.Sprint("hash", first)
	return &rs
}

func filledPod(first int64) *corev1.Pod {
	p := filled[corev1.Pod](first)
	p.Namespace = "shop"
	p.Status.Conditions[0].Type, p.Status.Conditions[0].Status = corev1.PodReady, corev1.ConditionTrue
	p.Status.InitContainerStatuses[0].Name = p.Spec.InitContainers[0].Name
	p.Spec.InitContainers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	return &p
}

func filledDeployment(first int64) *appsv1.Deployment {
	d := filled[appsv1.Deployment](first)
	d.Namespace, d.Spec.Strategy.Type = "shop", appsv1.RollingUpdateDeploymentStrategyType
	return &d
}

const (
	oneOfFew = "the API knows few words for it"
	kind     = "only of a ReplicationController"
	ownKind  = "of a kind of one's own, and what is converted is Kubernetes'"
	noUpdate = "the type of conditions is that of a Deployment's, and the API has none for a ReplicaSet"
)

func TestDeploymentFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		s, err := kube.Snapshot(filledDeployment(first), []*appsv1.ReplicaSet{filledReplicaSet(first)}, []*corev1.Pod{filledPod(first)})
		require.NoError(t, err)
		return s
	}, map[string]string{
		"Deployment.Partitioned": "asked for by an annotation, which deploy.PartitionedBy reads: a policy of the caller's",
		"Deployment.Kind":        ownKind, "Deployment.ReplicaSetKind": ownKind, "ReplicaSets[0].PodKind": ownKind,
		"ReplicaSets[0].Kind": kind, "ReplicaSets[0].APIVersion": kind,
		"ReplicaSets[0].Status.Conditions[0].LastUpdateTime": noUpdate,
	}, map[string]string{
		".Deployment.Strategy": oneOfFew,
	})
}

func TestReplicaSetFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		return kube.ReplicaSetSnapshot(filledReplicaSet(first), []*corev1.Pod{filledPod(first)}, []*appsv1.ReplicaSet{filledReplicaSet(first + 7)})
	}, map[string]string{
		"ReplicaSet.Kind": kind, "Siblings[0].Kind": kind, "ReplicaSet.APIVersion": kind, "Siblings[0].APIVersion": kind,
		"ReplicaSet.PodKind": ownKind, "Siblings[0].PodKind": ownKind,
		"ReplicaSet.Template": "this planner reads none, and an ID takes time", "Siblings[0].Template": "the same",
		"Expectations": "remembered by the caller, and in no object",
		"Written":      "remembered by the caller, and in no object",
		"Read":         "what the caller's caches say of themselves",
		"ReplicaSet.Status.Conditions[0].LastUpdateTime": noUpdate, "Siblings[0].Status.Conditions[0].LastUpdateTime": noUpdate,
		"Domains": "made of nodes by kube.Domains, if the caller wants to spread",
	}, map[string]string{})
}

func filledDaemonPod(first int64) *corev1.Pod {
	p := filledPod(first)
	text := func(s string) string { return fmt.Sprint(s, first) }
	p.Spec.ReadinessGates = append(p.Spec.ReadinessGates, corev1.PodReadinessGate{ConditionType: inplace.Gate})
	gate := p.Status.Conditions[0]
	gate.Type, gate.Reason, gate.Message = inplace.Gate, text("reason"), text("message")
	p.Status.Conditions = append(p.Status.Conditions, gate)
	p.Status.ContainerStatuses[0].Name = p.Spec.Containers[0].Name
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	p.Spec.Containers[0].Env = []corev1.EnvVar{
		{Name: "l", ValueFrom: field("metadata.labels['" + text("label") + "']")},
		{Name: "a", ValueFrom: field("metadata.annotations['" + text("note") + "']")},
		{Name: "KRUISE_CONTAINER_BARRIER", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{Key: text("p_")}}},
	}
	return p
}

func TestDaemonSetFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		ds := filled[appsv1.DaemonSet](first)
		ds.Namespace, ds.Spec.UpdateStrategy.Type = "shop", appsv1.RollingUpdateDaemonSetStrategyType
		a := filled[kubekruise.Advanced](first)
		a.RollingType = daemonset.Standard
		node, r := filled[corev1.Node](first), filled[appsv1.ControllerRevision](first)
		r.Namespace = "shop"
		s, err := kubekruise.AdvancedDaemonSetSnapshot(&ds, a, []*corev1.Node{&node}, []*corev1.Pod{filledDaemonPod(first)}, []*appsv1.ControllerRevision{&r})
		require.NoError(t, err)
		return s
	}, map[string]string{
		"DaemonSet.Kind":       ownKind,
		"DaemonSet.PodKind":    ownKind,
		"Nodes[0].Rank":        "the caller's: in which order nodes are updated",
		"Pods[0].PinnedNode":   "only of a pod without a node, see TestPinnedNode",
		"Pods[0].RuntimePlain": "compares hashes that only the node agent of OpenKruise computes",
		"Pods[0].RuntimeEnv":   "the same",
		"Revisions[0].Dump":    "only of decoded data, which objects from an API server have not",
		"Backoff":              "that of the previous plan",
		"Unseen":               "remembered by the caller, and in no object",
		"Written":              "remembered by the caller, and in no object",
		"Read":                 "what the caller's caches say of themselves",
	}, map[string]string{
		".DaemonSet.Namespace":       "that of the objects around it as well",
		".DaemonSet.Strategy":        oneOfFew,
		".DaemonSet.RollingType":     oneOfFew,
		".Pods[0].ReadinessGates[1]": "that of an update in place",
	})
}
