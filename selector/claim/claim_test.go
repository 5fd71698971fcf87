// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// replicaSet is the owner of the worked example.
func replicaSet(t testing.TB) claim.Owner {
	return claim.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "ns", Name: "rs", UID: "u1", Selector: parse(t, "a=b")}
}

func labelsA(v string) map[string]string { return map[string]string{"a": v} }

// child returns a child in namespace ns with the label a, controlled by uid, if
// that is not empty.
func child(name, a, uid string) claim.Child {
	c := claim.Child{Namespace: "ns", Name: name, UID: "uid-" + name, Labels: labelsA(a)}
	if uid != "" {
		c.ControllerKind, c.ControllerName, c.ControllerUID = "ReplicaSet", "rs", uid
	}
	return c
}

func at(children []claim.Child) func(int) claim.Child {
	return func(i int) claim.Child { return children[i] }
}

// The decision table, each row in all its variations.
func TestDecide(t *testing.T) {
	const any = 2
	tests := []struct {
		row                                             int
		why                                             string
		ref                                             string
		match, ownerDeleting, childDeleting, otherSpace int // 0, 1 or any
		want                                            claim.Decision
	}{
		{1, "someone else's", "other", any, any, any, any, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonOwnedByOther}},
		{2, "ours, and matches", "u1", 1, any, any, any, claim.Decision{Verdict: claim.Keep, Reason: claim.ReasonOwned}},
		{3, "ours, no match, owner being deleted", "u1", 0, 1, any, any, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonControllerDeleting}},
		{4, "ours, no match", "u1", 0, 0, any, any, claim.Decision{Verdict: claim.Release, Reason: claim.ReasonNoMatch}},
		{5, "orphan, owner being deleted", "", any, 1, any, any, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonControllerDeleting}},
		{6, "orphan, no match", "", 0, 0, any, any, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonNoMatch}},
		{7, "orphan that is being deleted", "", 1, 0, 1, any, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonObjectDeleting}},
		{8, "orphan elsewhere", "", 1, 0, 0, 1, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonOtherNamespace}},
		{9, "orphan", "", 1, 0, 0, 0, claim.Decision{Verdict: claim.Adopt, Reason: claim.ReasonOrphan}},
	}
	covered := 0
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			for bits := range 16 {
				match, ownerDeleting, childDeleting, other := bits&1, bits>>1&1, bits>>2&1, bits>>3&1
				fits := func(want, is int) bool { return want == any || want == is }
				if !fits(tt.match, match) || !fits(tt.ownerDeleting, ownerDeleting) || !fits(tt.childDeleting, childDeleting) || !fits(tt.otherSpace, other) {
					continue
				}
				covered++
				o := replicaSet(t)
				o.Deleting = ownerDeleting == 1
				c := child("p", []string{"x", "b"}[match], tt.ref)
				c.Deleting = childDeleting == 1
				c.Namespace = []string{"ns", "elsewhere"}[other]
				require.Equal(t, tt.want, claim.Decide(&o, &c), "row %d, variation %b", tt.row, bits)
				require.Equal(t, tt.want.Verdict == claim.Adopt, tt.want.String() == "Adopt (Orphan)")
			}
		})
	}
	require.Equal(t, 3*16, covered, "every combination is in one row")
}

func TestDecide_more(t *testing.T) {
	tests := []struct {
		why    string
		change func(o *claim.Owner, c *claim.Child)
		want   claim.Decision
	}{
		{"only the UID counts", func(o *claim.Owner, c *claim.Child) {
			c.ControllerKind, c.ControllerName, c.ControllerUID = "Job", "other", "u1"
		}, claim.Decision{Verdict: claim.Keep, Reason: claim.ReasonOwned}},
		{"a cluster-scoped owner adopts everywhere", func(o *claim.Owner, c *claim.Child) { o.Namespace = "" }, claim.Decision{Verdict: claim.Adopt, Reason: claim.ReasonOrphan}},
		{"a finished orphan is adopted: phase is none of this business", func(o *claim.Owner, c *claim.Child) { c.Finished = true }, claim.Decision{Verdict: claim.Adopt, Reason: claim.ReasonOrphan}},
		{"a finished child is released", func(o *claim.Owner, c *claim.Child) {
			c.Finished, c.ControllerUID, c.Labels = true, "u1", labelsA("x")
		}, claim.Decision{Verdict: claim.Release, Reason: claim.ReasonNoMatch}},
		{"a condition of the caller releases an owned child", func(o *claim.Owner, c *claim.Child) { c.Rejected, c.ControllerUID = true, "u1" }, claim.Decision{Verdict: claim.Release, Reason: claim.ReasonRejected}},
		{"and keeps an orphan out", func(o *claim.Owner, c *claim.Child) { c.Rejected = true }, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonRejected}},
		{"it is not asked if the selector does not match", func(o *claim.Owner, c *claim.Child) { c.Rejected, c.Labels = true, nil }, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonNoMatch}},
		{"a nil selector releases all", func(o *claim.Owner, c *claim.Child) { o.Selector, c.ControllerUID = selector.Nothing(), "u1" }, claim.Decision{Verdict: claim.Release, Reason: claim.ReasonNoMatch}},
		{"an empty one adopts all", func(o *claim.Owner, c *claim.Child) { o.Selector, c.Labels = selector.Everything(), nil }, claim.Decision{Verdict: claim.Adopt, Reason: claim.ReasonOrphan}},
		{"a controller without UID is a controller", func(o *claim.Owner, c *claim.Child) { c.ControllerName = "x" }, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonOwnedByOther}},
		{"an owner without UID owns no orphan", func(o *claim.Owner, c *claim.Child) { o.UID, c.Labels = "", nil }, claim.Decision{Verdict: claim.Ignore, Reason: claim.ReasonNoMatch}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			o, c := replicaSet(t), child("p", "b", "")
			tt.change(&o, &c)
			require.Equal(t, tt.want, claim.Decide(&o, &c))
		})
	}
}

// What becomes of the pods of a ReplicaSet.
func TestDecideReplica(t *testing.T) {
	const ignored = "Ignore (Inactive)"
	tests := []struct {
		why             string
		change          func(c *claim.Child)
		alive, deleting string // by the state of the ReplicaSet
	}{
		{"owned, matching, active", func(c *claim.Child) { c.ControllerUID = "u1" }, "Keep (Owned)", "Keep (Owned)"},
		{"owned, matching, terminating", func(c *claim.Child) { c.ControllerUID, c.Deleting = "u1", true }, "Ignore (Terminating)", "Ignore (Terminating)"},
		{"owned, matching, finished", func(c *claim.Child) { c.ControllerUID, c.Finished = "u1", true }, ignored, ignored},
		{"owned, matching, finished and being deleted", func(c *claim.Child) { c.ControllerUID, c.Finished, c.Deleting = "u1", true, true }, ignored, ignored},
		{"owned, not matching, active", func(c *claim.Child) { c.ControllerUID, c.Labels = "u1", nil }, "Release (NoMatch)", "Ignore (ControllerDeleting)"},
		{"owned, not matching, terminating", func(c *claim.Child) { c.ControllerUID, c.Labels, c.Deleting = "u1", nil, true }, ignored, ignored},
		{"owned, not matching, finished", func(c *claim.Child) { c.ControllerUID, c.Labels, c.Finished = "u1", nil, true }, ignored, ignored},
		{"orphan, matching, active", func(c *claim.Child) { c.ControllerKind, c.ControllerName = "", "" }, "Adopt (Orphan)", "Ignore (ControllerDeleting)"},
		{"orphan, matching, terminating", func(c *claim.Child) { c.ControllerKind, c.ControllerName, c.Deleting = "", "", true }, ignored, ignored},
		{"orphan, matching, finished", func(c *claim.Child) { c.ControllerKind, c.ControllerName, c.Finished = "", "", true }, ignored, ignored},
		{"orphan, not matching", func(c *claim.Child) { c.ControllerKind, c.ControllerName, c.Labels = "", "", nil }, "Ignore (NoMatch)", "Ignore (ControllerDeleting)"},
		{"orphan elsewhere", func(c *claim.Child) { c.ControllerKind, c.ControllerName, c.Namespace = "", "", "x" }, "Ignore (OtherNamespace)", "Ignore (OtherNamespace)"},
		{"owned by another", func(c *claim.Child) { c.ControllerUID = "z" }, "Ignore (OwnedByOther)", "Ignore (OwnedByOther)"},
		{"our UID under another name is ours", func(c *claim.Child) { c.ControllerUID, c.ControllerName = "u1", "x" }, "Keep (Owned)", "Keep (Owned)"},
		{"our UID under another kind is ours", func(c *claim.Child) { c.ControllerUID, c.ControllerKind = "u1", "x" }, "Keep (Owned)", "Keep (Owned)"},
		{"ours, elsewhere", func(c *claim.Child) { c.ControllerUID, c.Namespace = "u1", "x" }, "Ignore (OtherNamespace)", "Ignore (OtherNamespace)"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			o, c := replicaSet(t), child("p", "b", "to be changed")
			c.ControllerUID = ""
			tt.change(&c)
			require.Equal(t, tt.alive, claim.DecideActive(&o, &c).String())
			o.Deleting = true
			require.Equal(t, tt.deleting, claim.DecideActive(&o, &c).String())
		})
	}
}

// workedExample is a controller with one child of each sort.
func workedExample() []claim.Child {
	return []claim.Child{
		child("p1", "b", ""), child("p2", "x", ""), child("p3", "b", "u1"), child("p4", "x", "u1"),
		child("p5", "b", "z"), child("p6", "b", ""), child("p7", "b", "u1"), child("p8", "b", "z"),
	}
}

func TestClaim_workedExample(t *testing.T) {
	o, children := replicaSet(t), workedExample()
	lists := claim.Classify(&o, len(children), at(children))
	want := claim.Claim{Keep: []int{2, 6}, Adopt: []int{0, 5}, Release: []int{3}}
	if diff := cmp.Diff(want, lists); diff != "" {
		t.Fatalf("claim (-want +got):\n%s", diff)
	}
	require.True(t, lists.NeedsLiveCheck())
	require.True(t, lists.Changes())

	r := claim.Resolve(&o, lists, at(children), claim.LiveCheck{OK: true})
	texts := []string{}
	for _, a := range r.Actions {
		texts = append(texts, a.String())
	}
	require.Equal(t, []string{"Adopted Pod ns/p1 (Orphan)", "Released Pod ns/p4 (NoMatch)", "Adopted Pod ns/p6 (Orphan)"}, texts)
	claimed, err := claim.ApplyOutcome(r, []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.Done}, {Answer: kplan.Done}})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 5, 6}, claimed, "in list order")

	r = claim.Resolve(&o, lists, at(children), claim.LiveCheck{Err: errors.New("boom")})
	require.Len(t, r.Actions, 1, "p4 is still released")
	claimed, err = claim.ApplyOutcome(r, []kplan.Outcome{{Answer: kplan.Done}})
	require.Equal(t, []int{2, 6}, claimed)
	require.EqualError(t, err, "[can't adopt Pod ns/p1 (uid-p1): boom, can't adopt Pod ns/p6 (uid-p6): boom]")

	o.Deleting = true
	lists = claim.Classify(&o, len(children), at(children))
	if diff := cmp.Diff(claim.Claim{Keep: []int{2, 6}}, lists); diff != "" {
		t.Fatalf("being deleted (-want +got):\n%s", diff)
	}
	require.False(t, lists.Changes())
	require.False(t, lists.NeedsLiveCheck())
	require.Empty(t, cmp.Diff(claim.Claim{}, claim.Classify(&o, 0, nil)), "no children")
	require.Empty(t, cmp.Diff(claim.Claim{}, claim.ClassifyActive(&o, 0, nil)))
}

func TestClassifyReplicas(t *testing.T) {
	o := replicaSet(t)
	children := append(workedExample(), child("p9", "b", "u1"))
	children[8].Deleting = true
	children[0].Finished = true
	want := claim.Claim{Keep: []int{2, 6}, Adopt: []int{5}, Release: []int{3}, Terminating: []int{8}}
	require.Empty(t, cmp.Diff(want, claim.ClassifyActive(&o, len(children), at(children))))
	require.True(t, want.Changes())
	require.True(t, claim.Claim{Adopt: []int{5}}.Changes())
	require.True(t, claim.Claim{Release: []int{3}}.Changes(), "a release alone is a write")
	require.False(t, claim.Claim{Keep: []int{2}}.Changes())
}

func TestCheckLive(t *testing.T) {
	o := replicaSet(t)
	deleted := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		why   string
		fresh claim.OwnerNow
		want  string
	}{
		{"still there", claim.OwnerNow{UID: "u1"}, ""},
		{"cannot be read", claim.OwnerNow{Err: errors.New("boom")}, "can't recheck DeletionTimestamp: boom"},
		{"another one", claim.OwnerNow{UID: "u2"}, "can't recheck DeletionTimestamp: original ReplicaSet ns/rs is gone: got uid u2, wanted u1"},
		{"being deleted", claim.OwnerNow{UID: "u1", DeletionTimestamp: deleted}, "ns/rs has just been deleted at 2024-01-02 03:04:05 +0000 UTC"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			live := claim.CheckLive(&o, tt.fresh)
			require.Equal(t, tt.want == "", live.OK)
			if tt.want != "" {
				require.EqualError(t, live.Err, tt.want)
			}
		})
	}
	cause := errors.New("boom")
	require.ErrorIs(t, claim.CheckLive(&o, claim.OwnerNow{Err: cause}).Err, cause)
}

func TestResolve_unchecked(t *testing.T) {
	o, children := replicaSet(t), []claim.Child{child("p1", "b", "")}
	o.ChildKind = "ReplicaSet"
	r := claim.Resolve(&o, claim.Classify(&o, 1, at(children)), at(children), claim.LiveCheck{})
	require.Empty(t, r.Actions, "who skips the check must say so")
	_, err := claim.ApplyOutcome(r, nil)
	require.ErrorIs(t, err, claim.ErrNotChecked)
	require.ErrorContains(t, err, "can't adopt ReplicaSet ns/p1 (uid-p1): ")
	var failure claim.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 0, failure.Child)
}

// What follows from each answer of the API server.
func TestApplyOutcome(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		why     string
		adopt   bool
		outcome []kplan.Outcome
		claimed bool
		err     string
	}{
		{"adopted", true, []kplan.Outcome{{Answer: kplan.Done}}, true, ""},
		{"adopt: it is gone", true, []kplan.Outcome{{Answer: kplan.NotFound, Err: boom}}, false, ""},
		{"adopt: someone else has", true, []kplan.Outcome{{Answer: kplan.Invalid}}, false, "the API server answered Invalid"},
		{"adopt: with the server's words", true, []kplan.Outcome{{Answer: kplan.Invalid, Err: boom}}, false, "boom"},
		{"adopt: failed", true, []kplan.Outcome{{Answer: kplan.Failed, Err: boom}}, false, "boom"},
		{"adopt: failed without words", true, []kplan.Outcome{{Answer: kplan.Failed}}, false, "the API server answered Failed"},
		{"adopt: not executed", true, nil, false, "the action was not executed"},
		{"adopt: an answer that is none", true, []kplan.Outcome{{Answer: "?"}}, false, "the API server answered ?"},
		{"released", false, []kplan.Outcome{{Answer: kplan.Done}}, false, ""},
		{"release: it is gone", false, []kplan.Outcome{{Answer: kplan.NotFound}}, false, ""},
		{"release: no reference, or another object", false, []kplan.Outcome{{Answer: kplan.Invalid, Err: boom}}, false, ""},
		{"release: failed", false, []kplan.Outcome{{Answer: kplan.Failed, Err: boom}}, false, "boom"},
		{"release: not executed", false, nil, false, "the action was not executed"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			o := replicaSet(t)
			children := []claim.Child{child("p0", "b", "u1"), child("p1", "x", "u1")}
			if tt.adopt {
				children[1] = child("p1", "b", "")
			}
			r := claim.Resolve(&o, claim.Classify(&o, 2, at(children)), at(children), claim.LiveCheck{OK: true})
			claimed, err := claim.ApplyOutcome(r, tt.outcome)
			want := []int{0}
			if tt.claimed {
				want = []int{0, 1}
			}
			require.Equal(t, want, claimed)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.err)
		})
	}
}

// errors of all children, in list order, each text once; the rest goes on.
func TestApplyOutcome_collects(t *testing.T) {
	o := replicaSet(t)
	children := []claim.Child{child("p0", "x", "u1"), child("p1", "b", ""), child("p2", "b", ""), child("p3", "b", "")}
	r := claim.Resolve(&o, claim.Classify(&o, 4, at(children)), at(children), claim.LiveCheck{OK: true})
	boom, bang := errors.New("boom"), errors.New("bang")
	claimed, err := claim.ApplyOutcome(r, []kplan.Outcome{
		{Answer: kplan.Failed, Err: boom}, {Answer: kplan.Failed, Err: bang}, {Answer: kplan.Done}, {Answer: kplan.Failed, Err: boom},
	})
	require.Equal(t, []int{2}, claimed)
	require.EqualError(t, err, "[boom, bang]")
	require.ErrorIs(t, err, boom)
	require.ErrorIs(t, err, bang)
}

func TestClassify_allocatesPerListOnly(t *testing.T) {
	o, labels := replicaSet(t), labelsA("b")
	of := func(i int) claim.Child {
		c := claim.Child{Namespace: "ns", Labels: labels, ControllerUID: "u1"}
		if i%7 == 0 {
			c.ControllerUID = ""
		}
		return c
	}
	few := testing.AllocsPerRun(10, func() { claim.Classify(&o, 100, of) })
	many := testing.AllocsPerRun(10, func() { claim.Classify(&o, 10_000, of) })
	require.Equal(t, few, many)
	require.LessOrEqual(t, many, 5.0)
	c := of(1)
	require.Zero(t, testing.AllocsPerRun(10, func() { claim.Decide(&o, &c) }))
	require.Zero(t, testing.AllocsPerRun(10, func() { claim.DecideActive(&o, &c) }))
}
