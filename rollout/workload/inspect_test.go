// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/workload"
)

var (
	deployment  = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	cloneSet    = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	statefulSet = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}
	daemonSet   = workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "demo"}
	kruiseSet   = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "demo"}
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func template(name string) revision.Template { return revision.Template{ID: name, Hash: name} }

// When pods go back to what they were, and what a release is called.
func TestInspectRollbacks(t *testing.T) {
	for _, c := range []struct {
		why              string
		ref              workload.Ref
		stable, update   string
		replicas, behind int32
		want             bool
	}{
		{"CloneSet: equal, and not all updated", cloneSet, "web-1", "web-1", 4, 2, true}, {"CloneSet: all updated", cloneSet, "web-1", "web-1", 4, 4, false},
		{"CloneSet: another template", cloneSet, "web-1", "web-2", 4, 2, false}, {"StatefulSet: equal, and not all updated", statefulSet, "web-1", "web-1", 4, 2, true},
		{"StatefulSet: all updated", statefulSet, "web-1", "web-1", 4, 4, false}, {"a DaemonSet of OpenKruise never", kruiseSet, "web-1", "web-1", 4, 2, false},
	} {
		w := workload.Workload{Ref: c.ref, Replicas: &c.replicas, StableRevision: c.stable, UpdateRevision: c.update, Annotations: map[string]string{workload.AnnotationInProgress: "x"}}
		w.Status = workload.Status{Replicas: c.replicas, UpdatedReplicas: c.behind}
		require.Equal(t, c.want, workload.Inspect(workload.InspectSnapshot{Workload: w}).InRollback, c.why)
	}
	w := workload.Workload{Ref: deployment, Labels: map[string]string{workload.LabelStableRevision: "v2"}, Template: revision.Template{ID: "v2", Hash: "v2"}}
	sets := []workload.Set{{Name: "b", Template: template("v2"), Replicas: 1}}
	f := workload.Inspect(workload.InspectSnapshot{Workload: w, Sets: sets})
	require.Equal(t, "false  true", fmt.Sprintf("%v %s %v", f.InRollback, f.PodTemplateHash, f.Consistent), "a Deployment is not looked at so closely before it is in progress")
	behind := w
	behind.Generation = 2
	require.Equal(t, workload.State{Ref: deployment}, workload.Inspect(workload.InspectSnapshot{Workload: behind, Sets: sets}), "nothing else is known of one that is behind")

	for _, c := range []struct {
		labels map[string]string
		back   bool
		want   string
	}{
		{map[string]string{workload.LabelRolloutID: "7"}, false, "7"}, {map[string]string{workload.LabelRolloutID: "7"}, true, "7"}, {map[string]string{workload.LabelRolloutID: ""}, false, "v2"},
		{nil, false, "v2"}, {nil, true, "rollback-v2"},
	} {
		f := workload.State{Labels: c.labels, InRollback: c.back, CanaryRevision: "v2"}
		require.Equal(t, c.want, f.RolloutID(0))
	}
}

// quirk.DeadlineNotReported: the deadline is that of before a blue-green release made it infinite.
func TestInspectDeadline(t *testing.T) {
	for original, want := range map[string]int32{"": workload.InfiniteDeadline, "{}": workload.InfiniteDeadline, `{"progressDeadlineSeconds":60}`: 60} {
		w := workload.Workload{Ref: deployment, ProgressDeadlineSeconds: ptr.To(int32(workload.InfiniteDeadline)), Annotations: map[string]string{workload.AnnotationOriginalStrategy: original}}
		require.Equal(t, want, *workload.Inspect(workload.InspectSnapshot{Workload: w}).ProgressDeadlineSeconds, original)
	}
}

// What a workload tells.
func TestInspect(t *testing.T) {
	observed := func(w workload.Workload) workload.Workload {
		w.Replicas, w.Annotations = ptr.To(int32(4)), map[string]string{workload.AnnotationInProgress: "x"}
		w.Template = revision.Template{ID: "v2", Hash: "v2"}
		return w
	}
	sets := []workload.Set{
		{Name: "b", Template: template("v2"), Replicas: 1, CreationTimestamp: now}, {Name: "a", Template: template("v1"), Replicas: 3, CreationTimestamp: now.Add(-1)},
		{Name: "c", Template: template("v0"), CreationTimestamp: now.Add(-2)},
	}
	labels := map[string]string{workload.LabelStableRevision: "v1"}
	for _, c := range []struct {
		s    workload.InspectSnapshot
		want string // stable, canary, pod template hash, key, rollback
	}{
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment, Labels: labels}, Sets: sets}, "v1 v2 v2 pod-template-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment, Labels: map[string]string{workload.LabelStableRevision: "v2"}}, Sets: sets}, "v2 v2 v2 pod-template-hash true"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment}, Sets: sets, Style: workload.Canary, CanarySets: sets[:1]}, "v1 v2 v2 pod-template-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment}, Sets: sets[:1], Style: workload.Canary}, "v2 v2  pod-template-hash true"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment}, Style: workload.Canary}, "    false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: cloneSet, StableRevision: "web-1", UpdateRevision: "web-2"}}, "1 2 2 pod-template-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: cloneSet, StableRevision: "web-1", UpdateRevision: "web-1"}}, "1 1 1 pod-template-hash true"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: kruiseSet, StableRevision: "x", UpdateRevision: "web-2"}}, " 2 2 pod-template-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: statefulSet, StableRevision: "web-1", UpdateRevision: "web-2"}}, "web-1 web-2 web-2 controller-revision-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: daemonSet}, Revisions: []workload.DaemonSetRevision{{Revision: 1, Hash: "1"}, {Revision: 3, Hash: "3"}, {Revision: 2, Hash: "2"}}}, "2 3 3 controller-revision-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: daemonSet}, Revisions: []workload.DaemonSetRevision{{Revision: 1, Hash: "1"}}}, "1 1 1 controller-revision-hash false"},
		{workload.InspectSnapshot{Workload: workload.Workload{Ref: daemonSet}}, "   controller-revision-hash false"},
	} {
		c.s.Workload = observed(c.s.Workload)
		f := workload.Inspect(c.s)
		require.Equal(t, c.want, fmt.Sprintf("%s %s %s %s %v", f.StableRevision, f.CanaryRevision, f.PodTemplateHash, f.RevisionLabelKey, f.InRollback), c.s.Workload.Kind)
	}
	behind := workload.Inspect(workload.InspectSnapshot{Workload: workload.Workload{Ref: deployment, Generation: 2}})
	require.Equal(t, workload.State{Ref: deployment}, behind)
	require.Equal(t, "rollback-v1", (&workload.State{CanaryRevision: "v1", InRollback: true}).RolloutID(0))
}
