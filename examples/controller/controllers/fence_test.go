// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
)

// grows returns a Deployment whose ReplicaSet web-1 grows in the next pass, and holds a
// record.
func grows(t *testing.T, r growth) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	d, rs := deployment(limits(1, 0))
	d.Annotations["deployment.kubernetes.io/revision"] = "1"
	d.Spec.Template = rs.Spec.Template
	rs.Spec.Replicas, rs.Status = new(int32(1)), appsv1.ReplicaSetStatus{}
	rs.Annotations[AnnotationClass] = "kplan"
	if r != nil {
		var err error
		d, err = recording(d, r, metav1.Time{})
		require.NoError(t, err)
	}
	return d, rs
}

// fencing returns a reconciler with the fence, over a cache with these objects.
func fencing(cached ...client.Object) (*deploymentReconciler, *writer) {
	b, w := newBase(0, cached...)
	b.fenced = true
	return &deploymentReconciler{b}, w
}

// What the cache of the tests gives to all objects.
const first = "999"

// The growth is recorded before it is made, with what was seen.
func TestGrowthIsRecorded(t *testing.T) {
	d, rs := grows(t, nil)
	d.Annotations["deployment.kubernetes.io/revision"], rs.Annotations["deployment.kubernetes.io/revision"] = "2", "2"
	more := func(name string, replicas int32) *appsv1.ReplicaSet {
		_, more := grows(t, nil)
		more.Name, more.UID, more.Spec.Replicas = name, types.UID("u-"+name), &replicas
		more.Spec.Template.Spec.NodeName = name // another template
		return more
	}
	stranger := more("web-4", 1)
	stranger.OwnerReferences, stranger.Labels = nil, map[string]string{"app": "other"}
	r, w := fencing(d, rs, more("web-2", 2), more("web-3", 0), stranger)
	_, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, []string{"update deploymentsstatus", "patch replicasets"}, w.lines)
	g, err := recorded(w.objects[0].(*appsv1.Deployment))
	require.NoError(t, err)
	require.ElementsMatch(t, growth{{Name: "web-1", UID: "r1", Version: first, Size: 1, To: 2}, {Name: "web-2", UID: "u-web-2", Version: first, Size: 2}}, g)
	require.Equal(t, first, w.objects[0].GetResourceVersion(), "over the Deployment as it was read")
}

// A record that cannot be written, because another process was faster, leaves everything as
// it is.
func TestNothingGrowsWithoutARecord(t *testing.T) {
	d, rs := grows(t, nil)
	r, w := fencing(d, rs)
	w.refuse = "update deploymentsstatus"
	_, err := r.Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Equal(t, []string{"update deploymentsstatus"}, w.lines)
}

// A new ReplicaSet is created without pods, which is no event, and needs no record.
func TestFenceCreatesEmpty(t *testing.T) {
	d, _ := deployment(limits(1, 0))
	d.Spec.ProgressDeadlineSeconds = new(int32(60))
	r, w := fencing(d)
	_, err := r.Reconcile(t.Context(), theWeb)
	require.NoError(t, err)
	require.Equal(t, []string{"create replicasets", "update deploymentsstatus"}, w.lines)
	require.Zero(t, *w.objects[0].(*appsv1.ReplicaSet).Spec.Replicas)
	require.Empty(t, r.recorded())
	require.Equal(t, "NewReplicaSetCreated", w.objects[1].(*appsv1.Deployment).Status.Conditions[0].Reason)
}

// What stands in the way of a growth, and what does not.
func TestFence(t *testing.T) {
	mine := observedSet{Name: "web-1", UID: "r1", Version: first, Size: 1, To: 2}
	other := observedSet{Name: "web-2", UID: "r2", Version: first, Size: 1, To: 2}
	at := func(s observedSet, version string, to int32) observedSet { s.Version, s.To = version, to; return s }
	_, second := grows(t, nil)
	second.Name, second.UID, second.OwnerReferences = "web-2", "r2", nil
	second.Labels = map[string]string{"app": "other"}
	for name, c := range map[string]struct {
		record growth
		live   types.UID // of web-2 at the API server, "" if it is gone
		goes   bool
	}{
		"nothing recorded":                  {nil, "", true},
		"what was seen is seen":             {growth{at(mine, first, 0)}, "", true},
		"what was seen is older":            {growth{at(mine, "9", 0)}, "", true},
		"what was seen is newer":            {growth{at(mine, "1000", 0)}, "", false},
		"the same growth may still arrive":  {growth{mine}, "", true},
		"it has arrived, or never will":     {growth{at(mine, "998", 2)}, "", true},
		"two growths may still arrive":      {growth{mine, other}, "r2", false},
		"another growth may still arrive":   {growth{other}, "r2", false},
		"another has arrived":               {growth{at(other, "998", 2)}, "r2", true},
		"the other is gone":                 {growth{at(other, "998", 2), {Name: "web-3", UID: "r3", Version: "7", Size: 1, To: 2}}, "", true},
		"the other's name has another":      {growth{{Name: "web-3", UID: "r3", Version: "7", Size: 1}}, "r9", true},
		"the cache does not have the other": {growth{{Name: "web-3", UID: "r3", Version: "7", Size: 1}}, "r3", false},
	} {
		t.Run(name, func(t *testing.T) {
			d, rs := grows(t, c.record)
			r, w := fencing(d, rs, second)
			w.live = c.live
			result, err := r.Reconcile(t.Context(), theWeb)
			require.NoError(t, err)
			if c.goes {
				require.Equal(t, []string{"update deploymentsstatus", "patch replicasets"}, w.lines)
				return
			}
			require.Empty(t, w.lines)
			require.Equal(t, behindDelay, result.RequeueAfter)
		})
	}
}

// A growth that has not arrived for a while is made impossible: nobody waits for a process
// that has died.
func TestFenceDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := observedSet{Name: "web-2", UID: "r2", Version: first, Size: 1, To: 2}
		d, rs := grows(t, growth{lost})
		_, second := grows(t, nil)
		second.Name, second.UID, second.Labels, second.OwnerReferences = "web-2", "r2", map[string]string{"app": "other"}, nil
		r, w := fencing(d, rs, second)
		look := passes(t, r)
		for range behindLimit / behindDelay {
			require.Equal(t, behindDelay, look().RequeueAfter)
			require.Empty(t, w.lines)
			time.Sleep(behindDelay)
		}
		look()
		require.Equal(t, []string{"patch replicasets"}, w.lines)
		require.JSONEq(t, `{"metadata":{"uid":"r2","resourceVersion":"999","annotations":{"kplan-go.github.io/fence":"999"}}}`, string(w.patches[0].Data))

		second.ResourceVersion, second.Annotations = "", map[string]string{AnnotationFence: first}
		require.NoError(t, r.cache.(client.Client).Update(t.Context(), second))
		look()
		require.Equal(t, []string{"patch replicasets", "update deploymentsstatus", "patch replicasets"}, w.lines)
	})
}

// A record that cannot be read is no record, but an error that somebody must see.
func TestUnreadableRecord(t *testing.T) {
	d, rs := grows(t, growth{})
	d.Status.Conditions[0].Message = "["
	r, w := fencing(d, rs)
	_, err := r.Reconcile(t.Context(), theWeb)
	require.ErrorIs(t, err, reconcile.TerminalError(nil))
	require.ErrorContains(t, err, ConditionGrowth)
	require.Empty(t, w.lines)
}

// A plan is carried out as far as the versions of what grows are known beforehand.
func TestStepwise(t *testing.T) {
	event := func(action int) kplan.Event { return kplan.Event{Action: action, Reason: string(rune('a' + action))} }
	annotate := func(name string) deploy.Action { return deploy.AnnotateReplicaSet{Name: name} }
	up := func(name string) deploy.Action { return deploy.ScaleReplicaSet{Name: name, From: 1, To: 2} }
	down := func(name string) deploy.Action { return deploy.ScaleReplicaSet{Name: name, From: 2, To: 1} }
	for name, c := range map[string]struct{ actions, want deploy.Actions }{
		"others are written":   {deploy.Actions{annotate("a"), down("b"), up("c")}, deploy.Actions{annotate("a"), down("b"), up("c")}},
		"annotated and grown":  {deploy.Actions{annotate("a"), up("a"), down("b")}, deploy.Actions{annotate("a")}},
		"annotated and shrunk": {deploy.Actions{annotate("a"), down("a")}, deploy.Actions{annotate("a"), down("a")}},
		"adopted and grown":    {deploy.Actions{deploy.AdoptReplicaSet{Name: "a"}, up("a")}, deploy.Actions{deploy.AdoptReplicaSet{Name: "a"}}},
		"created": {deploy.Actions{down("b"), deploy.CreateReplicaSet{Name: "a", Replicas: 2}, down("c")},
			deploy.Actions{down("b"), deploy.CreateReplicaSet{Name: "a"}}},
		"created empty": {deploy.Actions{deploy.CreateReplicaSet{Name: "a"}, down("c")}, deploy.Actions{deploy.CreateReplicaSet{Name: "a"}, down("c")}},
	} {
		p := deploy.Plan{Actions: c.actions, Events: []kplan.Event{event(0), event(1), event(2)}}
		got := stepwise(p)
		require.Equal(t, c.want, got.Actions, name)
		if name == "created" {
			require.Equal(t, []kplan.Event{event(0)}, got.Events, "nothing is scaled up")
		}
		require.Len(t, p.Events, 3, "the plan stays as it is")
	}
}

// The record reads as it was written, whatever other conditions there are.
func TestRecord(t *testing.T) {
	d := &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: "Progressing"}}}}
	for _, g := range []growth{{{Name: "a", UID: "u", Version: "7", Size: 1, To: 2}}, {{Name: "b", UID: "v", Version: "8", Size: 1}}} {
		var err error
		d, err = recording(d, g, metav1.Now())
		require.NoError(t, err)
		require.Len(t, d.Status.Conditions, 2)
		got, err := recorded(d)
		require.NoError(t, err)
		require.Equal(t, g, got)
	}
	require.True(t, json.Valid([]byte(d.Status.Conditions[1].Message)))
}
