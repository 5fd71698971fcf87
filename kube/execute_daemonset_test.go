// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
)

func daemon() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "agent", UID: "s1", ResourceVersion: "4"}}
}

func named(name string) daemonset.Object {
	return daemonset.Object{Name: name, UID: "u", ResourceVersion: "1"}
}

// Pods that could not be created keep none from being deleted, but stop further creations.
func TestExecuteDaemonSet(t *testing.T) {
	s := &server{answer: func(r kube.Request, n int) error {
		if r.Verb == kube.VerbCreate && n > 3 {
			return forbidden
		}
		return nil
	}}
	p := daemonset.Plan{Actions: daemonset.Actions{daemonset.RelabelPod{Object: named("r"), To: "h"}}}
	for i := range 9 {
		p.Actions = append(p.Actions, daemonset.CreatePod{Node: fmt.Sprint("n", i), Hash: "h"})
	}
	p.Actions = append(p.Actions, daemonset.DeletePod{Object: named("a")}, daemonset.DeletePod{Object: named("b")},
		daemonset.DeleteRevision{Object: named("rev")})
	before := p.Expect(expect.Expectations{}, time.Unix(1, 0))
	require.Equal(t, int64(9), before.Creations)
	require.Equal(t, []string{"a", "b"}, before.Pending)

	r := execute(s).DaemonSet(t.Context(), daemon(), nil, p)
	got := answers(r.Outcomes)
	require.Equal(t, []kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.Done}, slices.DeleteFunc(slices.Clone(got[:4]), func(a kplan.ServerAnswer) bool { return a == kplan.Failed }))
	require.Equal(t, 1, count(got, kplan.Failed))
	require.Equal(t, 7, count(got, kplan.ServerAnswer("")), "skipped: six pods, and the revision, as upstream does after a pod that failed")
	require.Equal(t, []kplan.ServerAnswer{kplan.Done, kplan.Done, ""}, got[10:])

	r.Expectations = before
	result := daemonset.Pass{Plan: p}.Finish(r)
	require.ErrorContains(t, result.Err, "exceeded quota")
	require.Equal(t, int64(2), result.Expectations.Creations)
	require.Equal(t, []string{"a", "b"}, result.Expectations.Pending)
}

func TestExecuteDaemonSetStops(t *testing.T) {
	for name, a := range map[string]daemonset.Action{
		"revision": daemonset.UpdateRevision{Object: named("rev"), To: 2},
		"adoption": daemonset.AdoptPod{Object: named("a")},
		"unknown":  daemonset.UpdatePod{},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{answer: func(kube.Request, int) error { return conflict }}
			r := execute(s).DaemonSet(t.Context(), daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{a, daemonset.DeletePod{Object: named("b")}}})
			require.NotEqual(t, kplan.Done, r.Outcomes[0].Answer)
			require.NotContains(t, s.lines(false), "delete pods/b")
		})
	}
}

// A revision whose name is taken is there already, or has the hash of another template.
func TestExecuteDaemonSetRevisionTaken(t *testing.T) {
	for name, c := range map[string]struct {
		data       string
		collisions *int32
	}{
		"there already": {`{"spec":1}`, nil},
		"collision":     {`{"spec":2}`, ptr.To(int32(1))},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{
				answer: func(r kube.Request, _ int) error {
					if r.Verb == kube.VerbCreate && r.Resource() == "controllerrevisions" {
						return exists
					}
					return nil
				},
				get: func(o kube.Object) error {
					if r, ok := o.(*appsv1.ControllerRevision); ok {
						r.Data = runtime.RawExtension{Raw: []byte(c.data)}
					}
					return nil
				},
			}
			r := execute(s).DaemonSet(t.Context(), daemon(), nil, daemonset.Plan{Actions: daemonset.Actions{
				daemonset.CreateRevision{Name: "rev", Data: []byte(`{"spec":1}`)}, daemonset.CreatePod{Node: "n"},
			}})
			require.Equal(t, c.collisions, r.Collisions)
			require.Equal(t, c.collisions == nil, r.Outcomes[0].Answer == kplan.Done)
			require.Equal(t, c.collisions == nil, r.Outcomes[1].Answer == kplan.Done)
		})
	}
}

func TestDaemonSetStatusRequest(t *testing.T) {
	ds := daemon()
	ds.Status.Conditions = []appsv1.DaemonSetCondition{{Type: "kept"}}
	r := kube.DaemonSetStatusRequest(ds, daemonset.Status{NumberReady: 2})
	require.Equal(t, "update daemonsets/agent status", r.String())
	written := r.Object.(*appsv1.DaemonSet)
	require.Equal(t, int32(2), written.Status.NumberReady)
	require.Equal(t, ds.Status.Conditions, written.Status.Conditions)
	require.NotNil(t, kube.DaemonSetStatusRequest(nil, daemonset.Status{}).Object)
}

// A revision that was adopted has another version by the time that it is renumbered, or
// deleted.
func TestExecuteDaemonSetAdoptsRevisionFirst(t *testing.T) {
	var version string // that the last write is for
	s := &server{
		get: func(o kube.Object) error {
			o.SetUID("s1")
			return nil
		},
		answer: func(r kube.Request, _ int) error {
			if version = r.Object.GetResourceVersion(); r.Options.Preconditions != nil {
				version = *r.Options.Preconditions.ResourceVersion
			}
			return nil
		},
	}
	stored := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "rev", ResourceVersion: "1"}}
	for _, a := range []daemonset.Action{daemonset.UpdateRevision{Object: named("rev"), To: 2}, daemonset.DeleteRevision{Object: named("rev")}} {
		for want, p := range map[string]daemonset.Plan{
			"1":        {Actions: daemonset.Actions{a}},
			"answered": {Actions: daemonset.Actions{daemonset.AdoptRevision{Object: named("rev")}, a}},
		} {
			execute(s).DaemonSet(t.Context(), daemon(), []*appsv1.ControllerRevision{nil, stored}, p)
			require.Equal(t, want, version, "%s", p.Actions)
		}
	}
}

// A revision is adopted as it was read. A plan that follows at once, because another one was
// gone, writes it with its new owner, though the caller's list has it without.
func TestExecuteDaemonSetAdoptsRevisionAsRead(t *testing.T) {
	s := &server{get: func(o kube.Object) error { o.SetUID("s1"); return nil }}
	list := []*appsv1.ControllerRevision{{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "rev", ResourceVersion: "1"}}}
	execute(s).DaemonSet(t.Context(), daemon(), list, daemonset.Plan{Actions: daemonset.Actions{daemonset.AdoptRevision{Object: named("rev")}}})
	require.Len(t, s.requests, 1)
	require.Contains(t, string(s.requests[0].Patch.Data), `"resourceVersion":"1"`)

	execute(s).DaemonSet(t.Context(), daemon(), list, daemonset.Plan{Actions: daemonset.Actions{daemonset.UpdateRevision{Object: named("rev"), To: 2}}})
	require.Len(t, s.requests, 2)
	require.True(t, metav1.IsControlledBy(s.requests[1].Object, daemon()))
	require.Empty(t, list[0].OwnerReferences)
}
