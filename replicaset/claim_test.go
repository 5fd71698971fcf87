// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// selecting returns a ReplicaSet web whose selector is app=web.
func selecting(rs *replicaset.ReplicaSet) {
	rs.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
}

func labelled(app string) func(*podorder.Pod) {
	return func(p *podorder.Pod) { p.Labels = map[string]string{"app": app} }
}

var orphan = owner("", "", "")

func actionTexts(p replicaset.Plan) string {
	var texts []string
	for _, a := range p.Actions {
		texts = append(texts, a.String())
	}
	return strings.Join(texts, ", ")
}

// TestClaim has a table of the claims of pods, for a ReplicaSet that is being deleted or not.
func TestClaim(t *testing.T) {
	for _, c := range []struct {
		why                   string
		pod                   podorder.Pod
		counts, countsDeleted bool
		terminating           int32
		actions, v15Deleting  string
	}{
		{"owned and selected is kept", pod("p", labelled("web")), true, true, 0, "", ""},
		{"owned, selected and being deleted is counted apart", pod("p", labelled("web"), terminating), false, false, 1, "", ""},
		{"owned and finished is left alone", pod("p", labelled("web"), phase(podorder.Failed)), false, false, 0, "", ""},
		{"owned and not selected is released", pod("p", labelled("x")), false, false, 0, "Released pod: p (NoMatch)", "Released pod: p (NoMatch)"},
		{"one without labels as well", pod("p"), false, false, 0, "Released pod: p (NoMatch)", "Released pod: p (NoMatch)"},
		{"unless it is being deleted", pod("p", labelled("x"), terminating), false, false, 0, "", ""},
		{"or finished", pod("p", labelled("x"), phase(podorder.Succeeded)), false, false, 0, "", ""},
		{"an orphan that is selected is adopted", pod("p", labelled("web"), orphan), true, false, 0, "Adopted pod: p (Orphan)", ""},
		{"unless it is being deleted", pod("p", labelled("web"), orphan, terminating), false, false, 0, "", ""},
		{"or finished", pod("p", labelled("web"), orphan, phase(podorder.Failed)), false, false, 0, "", ""},
		{"an orphan that is not selected is left alone", pod("p", labelled("x"), orphan), false, false, 0, "", ""},
		{"another's pod is left alone", pod("p", labelled("web"), owner("ReplicaSet", "web", "other")), false, false, 0, "", ""},
		{"our UID under another name", pod("p", labelled("web"), owner("ReplicaSet", "x", "web-uid")), true, true, 0, "", ""},
		{"our UID under another kind", pod("p", labelled("web"), owner("Job", "web", "web-uid")), true, true, 0, "", ""},
		{"only the UID is given", pod("p", labelled("web"), owner("", "", "web-uid")), true, true, 0, "", ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			want := int32(0)
			if c.counts {
				want = 1
			}
			s := replicaset.Snapshot{ReplicaSet: web(want, selecting), Pods: []podorder.Pod{c.pod}}
			p := reconcile(t, s, replicaset.Options{})
			require.Equal(t, c.actions, actionTexts(p), c.why)
			require.Equal(t, want, p.Status.Replicas, c.why)
			require.Equal(t, c.terminating, *p.Status.TerminatingReplicas, c.why)
			require.Equal(t, strings.HasPrefix(c.actions, "Adopted"), p.LiveCheck, "adoption needs a live check")

			s.ReplicaSet.DeletionTimestamp = t0
			p = reconcile(t, s, replicaset.Options{})
			require.Empty(t, p.Actions, "a ReplicaSet that is being deleted claims nothing")
			require.Equal(t, c.countsDeleted, p.Status.Replicas == 1, c.why)
			require.Equal(t, c.v15Deleting, actionTexts(reconcile(t, s, replicaset.Options{Dialect: replicaset.Kubernetes15})), c.why)
		})
	}
}

// TestClaimLabelsOfTemplate: a pod that has all labels of the template is not selected for that
// alone.
func TestClaimLabelsOfTemplate(t *testing.T) {
	set := web(1, selecting)
	set.TemplateLabels = map[string]string{"app": "web"}
	set.Selector = &selector.LabelSelector{
		MatchLabels:      set.TemplateLabels,
		MatchExpressions: []selector.Expression{{Key: "track", Operator: selector.NotIn, Values: []string{"old"}}},
	}
	old := pod("p")
	old.Labels = map[string]string{"app": "web", "track": "old"}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: set, Pods: []podorder.Pod{old}}, replicaset.Options{})
	require.Equal(t, "Released pod: p (NoMatch), Created 1 pods (TooFew)", actionTexts(p))
}

// TestClaimTogether: claims come first, sorted by name. The number of pods to create or delete is
// the difference to the wanted pods after the claims.
func TestClaimTogether(t *testing.T) {
	pods := []podorder.Pod{
		pod("p8", labelled("web"), owner("ReplicaSet", "z", "z")), pod("p4", labelled("x")), pod("p3", labelled("web")),
		pod("p2", labelled("x"), orphan), pod("p1", labelled("web"), orphan), pod("p6", labelled("web"), orphan), pod("p7", labelled("web")),
	}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(6, selecting), Pods: pods}, replicaset.Options{})
	reference := claim.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "web-uid", Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}
	requireEqual(t, "with preconditions", replicaset.Actions{
		replicaset.AdoptPod{Name: "p1", UID: "p1-uid", Reference: reference, Reason: reason.Orphan},
		replicaset.ReleasePod{Name: "p4", UID: "p4-uid", OwnerUID: "web-uid", Reason: reason.NoMatch},
		replicaset.AdoptPod{Name: "p6", UID: "p6-uid", Reference: reference, Reason: reason.Orphan},
		replicaset.CreatePods{Count: 2, Reason: reason.TooFew},
	}, p.Actions)
	require.Equal(t, int32(4), p.Status.Replicas)
	require.JSONEq(t, `{"metadata":{"uid":"p4-uid","ownerReferences":[{"$patch":"delete","uid":"web-uid"}]}}`, string(p.Actions[1].(replicaset.ReleasePod).Patch()))
	require.Contains(t, string(p.Actions[0].(replicaset.AdoptPod).Patch()), `"blockOwnerDeletion":true`)

	p = reconcile(t, replicaset.Snapshot{ReplicaSet: web(3, selecting), Pods: pods}, replicaset.Options{})
	require.Equal(t, "Adopted pod: p1 (Orphan), Released pod: p4 (NoMatch), Adopted pod: p6 (Orphan), Deleted pod: p1 (TooMany)", actionTexts(p),
		"an adopted pod may be the one that is deleted")
	p = reconcile(t, replicaset.Snapshot{ReplicaSet: web(3, selecting), Pods: pods}, replicaset.Options{Dialect: replicaset.Kubernetes15})
	require.Nil(t, p.Actions[0].(replicaset.AdoptPod).Reference.BlockOwnerDeletion)
	require.False(t, p.LiveCheck, "1.5 does not look twice")
}

// TestKindIsFreeText: pods with the UID of the ReplicaSet under another kind are its own.
// If they were not, others would be created in their place in each pass.
func TestKindIsFreeText(t *testing.T) {
	for _, with := range []func(*replicaset.ReplicaSet){selecting, func(*replicaset.ReplicaSet) {}} {
		s := replicaset.Snapshot{ReplicaSet: web(5, with)}
		for i := range 5 {
			s.Pods = append(s.Pods, pod(fmt.Sprint("p", i), labelled("web"), owner("Group", "web", "web-uid")))
		}
		p := reconcile(t, s, replicaset.Options{})
		require.Equal(t, "nothing to do", p.String())
		require.Equal(t, int32(5), p.Status.Replicas)
	}
	group := web(2, selecting, func(rs *replicaset.ReplicaSet) { rs.Kind, rs.APIVersion = "Group", "example.com/v1" })
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: group, Pods: []podorder.Pod{
		pod("a", labelled("web"), owner("Group", "web", "web-uid")), pod("b", labelled("web"), orphan), pod("c", labelled("web"), terminating),
	}}, replicaset.Options{})
	require.Equal(t, "Adopted pod: b (Orphan)", actionTexts(p), "a kind of one's own")
	reference := p.Actions[0].(replicaset.AdoptPod).Reference
	require.Equal(t, "example.com/v1 Group web", strings.Join([]string{reference.APIVersion, reference.Kind, reference.Name}, " "))
	require.Equal(t, int32(1), *p.Status.TerminatingReplicas, "all else is as for a ReplicaSet")
}

// TestNoSelector: without a selector the pods of a ReplicaSet are the pods that it controls.
func TestNoSelector(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(2), Pods: []podorder.Pod{pod("a", labelled("web")), pod("b", labelled("web"), orphan)}}
	require.Equal(t, "Created 1 pods (TooFew)", actionTexts(reconcile(t, s, replicaset.Options{})))
	s.ReplicaSet.Selector = &selector.LabelSelector{}
	require.Equal(t, "Adopted pod: b (Orphan)", actionTexts(reconcile(t, s, replicaset.Options{})), "the empty selector selects everything")
}

// TestBadSelector: with an invalid selector upstream never does anything; with the repair Reconcile
// returns an error.
func TestBadSelector(t *testing.T) {
	rs := web(3, func(rs *replicaset.ReplicaSet) {
		rs.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Near", Values: []string{"web"}}}}
		rs.Status = replicaset.Status{ObservedGeneration: 2, Replicas: 9, TerminatingReplicas: ptr.To(int32(4)), Conditions: []kplan.Condition{{Type: "A"}}}
	})
	s := replicaset.Snapshot{ReplicaSet: rs, Pods: pods(1)}
	p := reconcile(t, s, replicaset.Options{})
	require.Equal(t, "held back: BadSelector", p.String())
	requireEqual(t, "the status is left as it is", rs.Status, p.Status)
	r := replicaset.FinishPlan(s, p, replicaset.Report{}, t0, replicaset.Options{})
	require.False(t, r.WriteStatus, "and not even the generation is written")
	require.NoError(t, r.Err)

	_, err := replicaset.Reconcile(s, t0, replicaset.Options{Repair: quirk.All})
	require.ErrorContains(t, err, `ReplicaSet.Selector`)
	require.ErrorContains(t, err, `"Near" is not a valid label selector operator`)
	require.ErrorIs(t, err, kplan.ErrInvalid)
}

func TestReplicationController(t *testing.T) {
	rc := web(1, selecting, func(rs *replicaset.ReplicaSet) { rs.Kind, rs.ControllerUID = replicaset.KindController, "someone" })
	own := owner("ReplicationController", "web", "web-uid")
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: rc, Pods: []podorder.Pod{
		pod("a", labelled("web"), own, on("n2")), pod("b", labelled("web"), own), pod("c", labelled("web"), own), pod("d", labelled("web")),
		pod("e", labelled("web"), orphan), pod("f", labelled("web"), own, terminating),
	}}, replicaset.Options{})
	require.Equal(t, "Adopted pod: e (Orphan), Deleted pod: a (TooMany), Deleted pod: b (TooMany), Deleted pod: c (TooMany), Deleted pod: d (TooMany)", actionTexts(p),
		"it has no neighbours, and the UID of d is its own, whatever the kind")
	require.Equal(t, "v1", p.Actions[0].(replicaset.AdoptPod).Reference.APIVersion)
	require.Nil(t, p.Status.TerminatingReplicas)
	_, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1, func(rs *replicaset.ReplicaSet) { rs.Kind = "Group" })}, t0, replicaset.Options{})
	require.EqualError(t, err, `ReplicaSet.APIVersion: "": must be set, because the kind is not one of Kubernetes`)
}

// TestRelatedBySelector: neighbours are the pods that this ReplicaSet or one with the same
// controller selects; the controller of the pods does not matter.
func TestRelatedBySelector(t *testing.T) {
	deployed := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "deployment" }
	selects := func(name, app, controller string) replicaset.ReplicaSet {
		return replicaset.ReplicaSet{Name: name, UID: name, ControllerUID: controller, Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": app}}}
	}
	bad := selects("bad", "x", "deployment")
	bad.Selector.MatchExpressions = []selector.Expression{{Key: "", Operator: "In"}}
	siblings := []replicaset.ReplicaSet{selects("old", "old", "deployment"), selects("foreign", "foreign", "other"), bad,
		{Name: "bare", UID: "bare", ControllerUID: "deployment"}}
	own := []podorder.Pod{pod("a", labelled("web")), pod("b", labelled("web"), on("n2"))}
	extra := func(change ...func(*podorder.Pod)) []podorder.Pod {
		return append([]podorder.Pod{pod("z", append([]func(*podorder.Pod){on("n2"), owner("Job", "j", "j")}, change...)...)}, own...)
	}
	for _, c := range []struct {
		why    string
		pods   []podorder.Pod
		change func(*replicaset.ReplicaSet)
		want   string
	}{
		{"nobody else", own, deployed, "a"},
		{"a pod that a sibling selects, though another owns it", extra(labelled("old")), deployed, "b"},
		{"a bare pod that a sibling selects", extra(labelled("old"), orphan), deployed, "b"},
		{"a pod that this one selects and does not own", extra(labelled("web")), deployed, "b"},
		{"one that is not active", extra(labelled("old"), terminating), deployed, "a"},
		{"one that a stranger selects", extra(labelled("foreign")), deployed, "a"},
		{"one that a selector selects that cannot be used", extra(labelled("x")), deployed, "a"},
		{"one of a sibling without a selector, which selects nothing", extra(owner("ReplicaSet", "bare", "bare")), deployed, "a"},
		{"no controller, no neighbours", extra(labelled("old")), func(*replicaset.ReplicaSet) {}, "a"},
	} {
		more := siblings // with many selectors they are looked up
		for i := range 9 {
			more = append(more, selects(fmt.Sprint("old", i), fmt.Sprint("old", i), "deployment"))
		}
		for _, siblings := range [][]replicaset.ReplicaSet{siblings, more} {
			p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1, selecting, c.change), Pods: c.pods, Siblings: siblings}, replicaset.Options{})
			require.Equal(t, "Deleted pod: "+c.want+" (TooMany)", actionTexts(p), c.why)
		}
	}
}

func TestPolicies(t *testing.T) {
	zones := podorder.Domains{"n1": "a", "n2": "a", "n3": "b"}
	spread := []podorder.Pod{pod("a"), pod("b", on("n2")), pod("c", on("n3")), pod("d", on("n3"), readyAgo(time.Second))}
	for _, c := range []struct {
		why  string
		s    replicaset.Snapshot
		opts replicaset.Options
		want string
	}{
		{"upstream takes the youngest", replicaset.Snapshot{ReplicaSet: web(2), Pods: spread}, replicaset.Options{}, "Deleted pod: d (TooMany), Deleted pod: a (TooMany)"},
		{"spread keeps one in each zone", replicaset.Snapshot{ReplicaSet: web(2), Pods: append([]podorder.Pod{pod("e", on("n2"))}, spread...), Domains: zones},
			replicaset.Options{Spread: true}, "Deleted pod: a (TooMany), Deleted pod: d (TooMany), Deleted pod: b (TooMany)"},
		{"behind what comes before neighbours: an unscheduled one goes first", replicaset.Snapshot{ReplicaSet: web(2), Pods: []podorder.Pod{pod("a"), pod("b", on("n2")), pod("c", on(""))}, Domains: zones},
			replicaset.Options{Spread: true}, "Deleted pod: c (TooMany)"},
		{"the legacy chain spreads as well", replicaset.Snapshot{ReplicaSet: web(3), Pods: spread[:3], Domains: zones}, replicaset.Options{Spread: true, Dialect: replicaset.Kubernetes15}, ""},
		{"in order of zones, in the dialect of 1.5", replicaset.Snapshot{ReplicaSet: web(2), Pods: spread[:3], Domains: zones}, replicaset.Options{Spread: true, Dialect: replicaset.Kubernetes15}, "Deleted pod: a (TooMany)"},
		{"the order's own domains win", replicaset.Snapshot{ReplicaSet: web(2), Pods: spread[:3], Domains: zones},
			replicaset.Options{Spread: true, Order: podorder.Order{Domains: podorder.Domains{"n2": "x", "n3": "x"}}}, "Deleted pod: b (TooMany)"},
		{"stages of the caller", replicaset.Snapshot{ReplicaSet: web(3), Pods: spread}, replicaset.Options{Spread: true, Order: podorder.Order{Stages: []podorder.Stage{podorder.Specified("c")}}}, "Deleted pod: c (TooMany)"},
		{"protected pods stay, and the plan says so", replicaset.Snapshot{ReplicaSet: web(0), Pods: spread[:2]},
			replicaset.Options{Order: podorder.Order{Protected: func(p *podorder.Pod) bool { return p.Name == "a" }}}, "Deleted pod: b (TooMany), held back: Protected (1 of 2)"},
		{"all of them protected", replicaset.Snapshot{ReplicaSet: web(0), Pods: spread[:1]},
			replicaset.Options{Order: podorder.Order{Protected: func(p *podorder.Pod) bool { return true }}}, "held back: Protected (1 of 1)"},
		{"terminating pods are replaced at once", replicaset.Snapshot{ReplicaSet: web(3), Pods: []podorder.Pod{pod("a"), pod("b", terminating)}}, replicaset.Options{}, "Created 2 pods (TooFew)"},
		{"or when they have ended", replicaset.Snapshot{ReplicaSet: web(3), Pods: []podorder.Pod{pod("a"), pod("b", terminating)}},
			replicaset.Options{Terminating: replicaset.ReplaceTerminated}, "Created 1 pods (TooFew), held back: Terminating (1 of 2)"},
		{"which may be all", replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{pod("a", terminating), pod("b", terminating)}},
			replicaset.Options{Terminating: replicaset.ReplaceTerminated}, "held back: Terminating (2 of 1)"},
		{"a surplus is deleted all the same", replicaset.Snapshot{ReplicaSet: web(0), Pods: []podorder.Pod{pod("a"), pod("b", terminating)}},
			replicaset.Options{Terminating: replicaset.ReplaceTerminated}, "Deleted pod: a (TooMany)"},
	} {
		p := reconcile(t, c.s, c.opts)
		text := strings.ReplaceAll(p.String(), "\n", ", ")
		if c.want == "" {
			c.want = "nothing to do"
		}
		require.Equal(t, c.want, text, c.why)
	}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1), Pods: pods(1)}, replicaset.Options{OmitTerminating: true})
	require.Nil(t, p.Status.TerminatingReplicas)
	_, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1)}, t0, replicaset.Options{Dialect: "v2", Terminating: "Never", InitialBatch: -1})
	require.EqualError(t, err, "Options.Dialect: \"v2\": must be empty, v1.5 or v1.5-without-garbage-collector\nOptions.InitialBatch: -1: must not be negative\nOptions.Terminating: \"Never\": must be empty or TerminationComplete")
}

func TestKubernetes15(t *testing.T) {
	v15 := replicaset.Options{Dialect: replicaset.Kubernetes15}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(7)}, v15)
	require.Equal(t, []int32{7}, p.Actions[0].(replicaset.CreatePods).Batches(), "all at once")
	require.Nil(t, p.Status.TerminatingReplicas)

	p = reconcile(t, replicaset.Snapshot{ReplicaSet: web(2), Pods: []podorder.Pod{pod("a", readyAgo(time.Hour+time.Second)), pod("b", readyAgo(time.Hour)), pod("c", readyAgo(time.Hour))}}, v15)
	require.Equal(t, "Deleted pod: b (TooMany)", actionTexts(p), "exact times, then the UID")

	at := func(ago time.Duration) replicaset.Plan {
		return reconcile(t, replicaset.Snapshot{ReplicaSet: web(1, minReady(10)), Pods: []podorder.Pod{pod("a", readyAgo(ago))}}, v15)
	}
	require.Equal(t, int32(0), at(10*time.Second).Status.AvailableReplicas, "not at the instant")
	require.Equal(t, t0.Add(1), at(10*time.Second).RecheckAt)
	require.Equal(t, int32(1), at(10*time.Second+1).Status.AvailableReplicas, "but after it")
}

func TestExplain(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{pod("a"), pod("b", unready), pod("c", on(""))}}
	got, err := replicaset.Explain(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Equal(t, "[c goes before a: Unassigned (no node, n1) b goes before a: NotReady (not ready, ready) a stays behind b: NotReady (ready, not ready)]", fmt.Sprint(got))
	s.ReplicaSet.Replicas = ptr.To(int32(3))
	got, err = replicaset.Explain(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Nil(t, got, "nothing is deleted")
	_, err = replicaset.Explain(s, time.Time{}, replicaset.Options{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
}
