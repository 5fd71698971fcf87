// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
)

var uncollected = replicaset.Options{Dialect: replicaset.Kubernetes15WithoutGarbageCollector}

// Without the garbage collector of 1.5 a pod belongs to a ReplicaSet that selects it, with any
// controller. No pod is adopted or released.
func TestWithoutGarbageCollector(t *testing.T) {
	foreign := owner("ReplicaSet", "old", "old-uid")
	for _, c := range []struct {
		why    string
		pod    podorder.Pod
		counts bool
	}{
		{"its own", pod("p", labelled("web")), true},
		{"that of another controller", pod("p", labelled("web"), foreign), true},
		{"an orphan", pod("p", labelled("web"), orphan), true},
		{"its own, not selected", pod("p", labelled("x")), false},
		{"an orphan that is not selected", pod("p", labelled("x"), orphan), false},
		{"one that is being deleted", pod("p", labelled("web"), foreign, terminating), false},
		{"one that has ended", pod("p", labelled("web"), phase(podorder.Failed)), false},
	} {
		s := replicaset.Snapshot{ReplicaSet: web(1, selecting), Pods: []podorder.Pod{c.pod}}
		p := reconcile(t, s, uncollected)
		if c.counts {
			require.Equal(t, "", actionTexts(p), c.why)
			require.Equal(t, int32(1), p.Status.Replicas, c.why)
		} else {
			require.Equal(t, replicaset.Actions{replicaset.CreatePods{Count: 1, Initial: 1, Reason: reason.TooFew, WithoutController: true}}, p.Actions, c.why)
			require.Equal(t, int32(0), p.Status.Replicas, c.why)
		}
		require.Nil(t, p.Status.TerminatingReplicas, "as in 1.5")

		s.ReplicaSet.DeletionTimestamp = t0
		p = reconcile(t, s, uncollected)
		require.Empty(t, p.Actions, "one that is being deleted only counts")
		require.Equal(t, c.counts, p.Status.Replicas == 1, c.why)
	}

	s := replicaset.Snapshot{ReplicaSet: web(1, selecting), Pods: []podorder.Pod{
		pod("a", labelled("web"), readyAgo(time.Hour)), pod("b", labelled("web"), foreign, readyAgo(time.Minute)), pod("c", labelled("web"), orphan, terminating),
	}}
	require.Equal(t, "Deleted pod: b (TooMany)", actionTexts(reconcile(t, s, uncollected)), "another's pod goes first if it is the younger")
	wait := uncollected
	wait.Terminating = replicaset.ReplaceTerminated
	s.ReplicaSet.Replicas = ptr.To(int32(3))
	require.Equal(t, "held back: Terminating (1 of 1)", reconcile(t, s, wait).String(), "pods that end count as well")

	require.Equal(t, "held back: BadSelector", reconcile(t, replicaset.Snapshot{ReplicaSet: web(1)}, uncollected).String(), "without a selector there is no end of creations")
}

// The next plan counts pods that were created without a controller.
func TestWithoutGarbageCollectorCreates(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(2, selecting)}
	s.ReplicaSet.TemplateLabels = map[string]string{"app": "web"}
	after, err := reconcile(t, s, uncollected).Apply(s, t0)
	require.NoError(t, err)
	require.Len(t, after.Pods, 2)
	for _, p := range after.Pods {
		require.Empty(t, p.ControllerUID+p.ControllerName+p.ControllerKind)
	}
	require.Equal(t, "held back: NotReady (0 of 2)", reconcile(t, after, uncollected).String())
}

// In 1.5 an adoption that fails is logged, and the pass goes on without that pod: the others are
// adopted, pods are created in place of it, and the status is written. A failed release ends the pass.
func TestAdoptionFailsIn15(t *testing.T) {
	v15 := replicaset.Options{Dialect: replicaset.Kubernetes15}
	s := replicaset.Snapshot{ReplicaSet: web(3, selecting), Pods: []podorder.Pod{
		pod("a", labelled("web"), orphan), pod("b", labelled("web"), orphan), pod("c", labelled("web"), orphan), pod("d", labelled("x")),
	}}
	s.ReplicaSet.TemplateLabels = map[string]string{"app": "web"}
	require.Equal(t, "Adopted pod: a (Orphan), Adopted pod: b (Orphan), Adopted pod: c (Orphan), Released pod: d (NoMatch)", actionTexts(reconcile(t, s, v15)))
	gone, changed := kplan.Outcome{Answer: kplan.NotFound}, kplan.Outcome{Answer: kplan.Changed}
	well := kplan.Outcome{Answer: kplan.Done}

	r := finish(t, s, replicaset.Report{Claims: []kplan.Outcome{failed(errOther), gone, well, well}}, v15)
	require.ErrorIs(t, r.Err, errOther, "for the log")
	require.Len(t, r.Errs, 2)
	require.EqualError(t, r.Errs[1], "pod b: what was to be adopted is gone")
	require.False(t, r.WriteStatus, "the second half of the pass writes it")
	require.NotNil(t, r.Again)
	p := reconcile(t, *r.Again, v15)
	require.Equal(t, "Created 2 pods (TooFew)", actionTexts(p), "only c is there")
	r = finish(t, *r.Again, replicaset.Report{Creates: done("e", "f")}, v15)
	require.NoError(t, r.Err, "the pass has not failed")
	require.True(t, r.WriteStatus)
	require.Equal(t, int32(1), r.Status.Replicas)

	r = finish(t, s, replicaset.Report{Claims: []kplan.Outcome{changed, well, well, failed(errOther)}}, v15)
	require.Nil(t, r.Again)
	require.False(t, r.WriteStatus)
	require.ErrorIs(t, r.Err, errOther, "the release has failed, and so has the pass")
	require.Len(t, r.Errs, 2, "the adoption is for the log")

	r = finish(t, s, replicaset.Report{Claims: []kplan.Outcome{failed(errOther), gone, well, well}}, replicaset.Options{})
	require.Nil(t, r.Again, "since 1.6 a failed adoption ends the pass")
	require.Len(t, r.Errs, 1)
}

// Property: in 1.5 a pass whose adoptions fail goes on as if those pods were not there, unless a
// release fails.
func TestPropertyAdoptionFailsIn15(t *testing.T) {
	lost := 0
	property := func(t *rapid.T) {
		s, opts := anything(t), options(t)
		opts.Dialect, opts.Order, opts.Spread, s.Written = replicaset.Kubernetes15, podorder.Order{}, false, expect.Versions{}
		r, want, unreleased := replicaset.Report{}, s, false
		want.Pods = slices.Clone(s.Pods)
		plan := mustPlan(t, s, opts)
		failed := 0
		for _, a := range plan.Actions {
			answer := rapid.SampledFrom([]kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.NotFound, kplan.Changed, kplan.Invalid, kplan.Failed}).Draw(t, "answer")
			o := kplan.Outcome{Answer: answer, ResourceVersion: "9"}
			switch a := a.(type) {
			case replicaset.AdoptPod:
				if answer != kplan.Done {
					failed++
				}
				want.Pods = claimed(want.Pods, a.Name, answer != kplan.Done, "web-uid")
			case replicaset.ReleasePod:
				unreleased = unreleased || o.Released() != nil
				want.Pods = claimed(want.Pods, a.Name, answer == kplan.NotFound, "")
			default:
				continue
			}
			r.Claims = append(r.Claims, o)
		}
		result := replicaset.FinishPlan(s, plan, r, t0, opts)
		if (result.Again != nil) != (failed > 0 && !unreleased) || (failed > 0 || unreleased) && result.Err == nil {
			t.Fatalf("%d adoptions failed, a release: %v, and the result is %+v", failed, unreleased, result)
		}
		if result.Again != nil {
			lost++
			if diff := cmp.Diff(mustPlan(t, want, opts), mustPlan(t, *result.Again, opts)); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	for range 5 { // one in twenty cases has a lost adoption
		rapid.Check(t, property)
	}
	require.NotZero(t, lost)
}

// claimed returns the pods with another owner of one, or without it if it is lost.
func claimed(pods []podorder.Pod, name string, lost bool, uid string) []podorder.Pod {
	i := slices.IndexFunc(pods, func(p podorder.Pod) bool { return p.Name == name })
	if lost {
		return slices.Delete(pods, i, i+1)
	}
	pods[i].ControllerUID, pods[i].ResourceVersion = uid, "9"
	return pods
}
