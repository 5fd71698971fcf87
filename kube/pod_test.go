// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

func wantPod(name string) podorder.Pod {
	return podorder.Pod{
		Name: name, UID: "uid-of-" + name, ResourceVersion: "34",
		Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"a": "1"},
		ControllerKind: "ReplicaSet", ControllerName: "web-1", ControllerUID: "uid-of-web-1",
		CreationTimestamp: createdUTC, DeletionTimestamp: readyUTC,
		NodeName: "node-1", Phase: podorder.Running,
		Ready: true, ReadySince: readyUTC, Restarts: 3, SidecarRestarts: 5,
	}
}

func wantReplicaSet(rs *appsv1.ReplicaSet) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{
		Name: rs.Name, UID: string(rs.UID), ResourceVersion: "12", Generation: 3, Annotations: map[string]string{"a": "1"},
		Labels: rs.Labels, Selector: kube.LabelSelector(rs.Spec.Selector),
		ControllerKind: "Deployment", ControllerName: "web", ControllerUID: "uid-of-web",
		CreationTimestamp: createdUTC, DeletionTimestamp: readyUTC,
		Replicas: ptr.To(int32(4)), MinReadySeconds: 5,
		Template:       revision.Template{ID: kube.TemplateID(&rs.Spec.Template), Hash: "abc"},
		TemplateLabels: map[string]string{"app": "x", "pod-template-hash": "abc"},
		Status: replicaset.Status{
			ObservedGeneration: 2, Replicas: 9, FullyLabeledReplicas: 8, ReadyReplicas: 7, AvailableReplicas: 6,
			TerminatingReplicas: ptr.To(int32(5)),
			Conditions: []kplan.Condition{
				{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "m", LastTransitionTime: readyUTC},
				{Type: "Other", Status: "False"},
			},
		},
	}
}

func TestPod(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(p *corev1.Pod, want *podorder.Pod)
	}{
		{"everything", func(*corev1.Pod, *podorder.Pod) {}},
		{"the first Ready condition decides", func(p *corev1.Pod, want *podorder.Pod) {
			p.Status.Conditions[1].Status = corev1.ConditionUnknown
			p.Status.Conditions[2].Status = corev1.ConditionTrue
			want.Ready, want.ReadySince = false, time.Time{}
		}},
		{"no condition", func(p *corev1.Pod, want *podorder.Pod) {
			p.Status.Conditions = nil
			want.Ready, want.ReadySince = false, time.Time{}
		}},
		{"no time", func(p *corev1.Pod, want *podorder.Pod) {
			p.Status.Conditions[1].LastTransitionTime.Reset()
			want.ReadySince = time.Time{}
		}},
		{"an orphan", func(p *corev1.Pod, want *podorder.Pod) {
			p.OwnerReferences[0].Controller = ptr.To(false)
			want.ControllerKind, want.ControllerName, want.ControllerUID = "", "", ""
		}},
		{"a phase of its own", func(p *corev1.Pod, want *podorder.Pod) { p.Status.Phase, want.Phase = "Odd", "Odd" }},
		{"no restarts", func(p *corev1.Pod, want *podorder.Pod) {
			p.Status.ContainerStatuses, p.Status.InitContainerStatuses = nil, nil
			want.Restarts, want.SidecarRestarts = 0, 0
		}},
		{"statuses without containers", func(p *corev1.Pod, want *podorder.Pod) {
			p.Spec.InitContainers = nil
			want.SidecarRestarts = 0
		}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			p, want := pod("web-1-a"), wantPod("web-1-a")
			tt.change(p, &want)
			before := p.DeepCopy()
			require.Empty(t, cmp.Diff(want, kube.Pod(p)))
			require.Empty(t, cmp.Diff(before, p), "the object must not change")
		})
	}
}

func TestReplicaSet(t *testing.T) {
	rs := replicaSet("web-1")
	before := rs.DeepCopy()
	require.Empty(t, cmp.Diff(wantReplicaSet(rs), kube.ReplicaSet(rs)))
	require.Empty(t, cmp.Diff(before, rs), "the object must not change")
	require.Equal(t, "", kube.ReplicaSet(&appsv1.ReplicaSet{}).Template.Hash)
}

func TestSnapshot(t *testing.T) {
	foreign, elsewhere := replicaSet("web-3"), pod("c")
	foreign.Namespace, elsewhere.Namespace = "other", "other"
	rss := []*appsv1.ReplicaSet{replicaSet("web-1"), nil, foreign, replicaSet("web-2")}
	pods := []*corev1.Pod{pod("a"), nil, elsewhere, pod("b")}

	s, err := kube.Snapshot(deployment(), rss, pods)
	require.NoError(t, err)
	require.Equal(t, "web", s.Deployment.Name)
	require.Empty(t, cmp.Diff([]replicaset.ReplicaSet{wantReplicaSet(rss[0]), wantReplicaSet(rss[3])}, s.ReplicaSets))
	require.Empty(t, cmp.Diff([]podorder.Pod{wantPod("a"), wantPod("b")}, s.Pods))

	_, err = kube.Snapshot(deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To(int32(-1)) }), rss, pods)
	require.ErrorIs(t, err, kplan.ErrInvalid)

	r := kube.ReplicaSetSnapshot(rss[0], pods, rss)
	require.Empty(t, cmp.Diff([]podorder.Pod{wantPod("a"), wantPod("b")}, r.Pods))
	require.Len(t, r.Siblings, 1)
	require.Equal(t, []string{"web-2", "uid-of-web"}, []string{r.Siblings[0].Name, r.Siblings[0].ControllerUID})
	want := wantReplicaSet(rss[0])
	want.Template = revision.Template{}
	require.Empty(t, cmp.Diff(want, r.ReplicaSet))
	require.Nil(t, kube.ReplicaSetSnapshot(foreign, pods[:1], nil).Pods)
}

// A pod's snapshot against a slow reading of the rules.
func TestPodProperties(t *testing.T) {
	type condition = corev1.PodCondition
	kinds := rapid.SampledFrom([]corev1.PodConditionType{corev1.PodReady, corev1.PodScheduled, corev1.ContainersReady})
	answers := rapid.SampledFrom([]corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown, ""})
	policies := rapid.SampledFrom([]*corev1.ContainerRestartPolicy{nil, ptr.To(corev1.ContainerRestartPolicyAlways), ptr.To(corev1.ContainerRestartPolicyNever)})
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		p := &corev1.Pod{}
		ready, restarts, sidecars := "", int32(0), int32(0)
		for range rapid.IntRange(0, 3).Draw(t, "conditions") {
			c := condition{Type: kinds.Draw(t, "type"), Status: answers.Draw(t, "status")}
			p.Status.Conditions = append(p.Status.Conditions, c)
			if c.Type == "Ready" && ready == "" {
				ready = "answered " + string(c.Status)
			}
		}
		always := map[string]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "containers") {
			c := corev1.Container{Name: names.Draw(t, "name"), RestartPolicy: policies.Draw(t, "policy")}
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
			always[c.Name] = always[c.Name] || c.RestartPolicy != nil && *c.RestartPolicy == "Always"
		}
		for range rapid.IntRange(0, 3).Draw(t, "statuses") {
			s := corev1.ContainerStatus{Name: names.Draw(t, "name"), RestartCount: rapid.Int32Range(0, 9).Draw(t, "restarts")}
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
			restarts = max(restarts, s.RestartCount)
			s.RestartCount = rapid.Int32Range(0, 9).Draw(t, "restarts")
			p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, s)
			if always[s.Name] {
				sidecars = max(sidecars, s.RestartCount)
			}
		}
		want := podorder.Pod{Ready: ready == "answered True", Restarts: restarts, SidecarRestarts: sidecars}
		if diff := cmp.Diff(want, kube.Pod(p)); diff != "" {
			t.Fatal(diff)
		}
	})
}
