// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
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
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/selector"
)

// reports draws what became of a plan: anything may have failed or be missing, and in
// some reports nothing has.
func reports(t *rapid.T, s replicaset.Snapshot, opts replicaset.Options) (r replicaset.Report) {
	answers := []kplan.ServerAnswer{
		kplan.Done, kplan.Done, kplan.Done, kplan.Failed, kplan.NotFound, kplan.Invalid, kplan.Changed, kplan.NamespaceTerminating,
	}
	some := func(n int, name string) (list []kplan.Outcome) {
		missing, answers := rapid.IntRange(0, 3).Draw(t, name+" missing") == 0, answers
		if rapid.Bool().Draw(t, name+" went well") {
			missing, answers = false, answers[:1]
		}
		for range n {
			o := kplan.Outcome{Answer: rapid.SampledFrom(answers).Draw(t, name)}
			if o.Answer == kplan.Failed {
				o.Err = errors.New(rapid.SampledFrom([]string{"old", "new"}).Draw(t, name))
			}
			list = append(list, o)
		}
		if missing && n > 0 {
			list = list[:n-1]
		}
		return list
	}
	claims, deletes := 0, 0
	p, err := replicaset.Reconcile(s, t0, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case replicaset.AdoptPod, replicaset.ReleasePod:
			claims++
		case replicaset.DeletePod:
			deletes++
		case replicaset.CreatePods:
			r.Creates = some(int(min(a.Count, 8)), "create")
		}
	}
	r.Claims, r.Deletes = some(claims, "claim"), some(deletes, "delete")
	if rapid.IntRange(0, 9).Draw(t, "live check") == 0 {
		r.LiveCheck = errors.New("another UID")
	}
	return r
}

// A single is a pass that the property of single repairs looks at: its input, and what
// comes of it by default.
type single struct {
	s    replicaset.Snapshot
	r    replicaset.Report
	opts replicaset.Options
	kept passed
}

func (c single) failureCondition() (kplan.Condition, bool) {
	for _, f := range c.s.ReplicaSet.Status.Conditions {
		if f.Type == "ReplicaFailure" {
			return f, true
		}
	}
	return kplan.Condition{}, false
}

func (c single) badSelector() bool {
	s := c.s.ReplicaSet.Selector
	return s != nil && slices.ContainsFunc(s.MatchExpressions, func(e selector.Expression) bool { return e.Operator == "Near" })
}

// claimFails reports whether an adoption or release of the plan was not answered as it
// has to be: syncReplicaSet returns the error of claimPods before it manages pods.
func (c single) claimFails() bool {
	i := 0
	for _, a := range c.kept.Plan.Actions {
		answer := kplan.ServerAnswer("")
		if i < len(c.r.Claims) {
			answer = c.r.Claims[i].Answer
		}
		switch a.(type) {
		case replicaset.AdoptPod:
			if c.r.LiveCheck != nil || answer != kplan.Done {
				return true
			}
		case replicaset.ReleasePod:
			if !slices.Contains([]kplan.ServerAnswer{kplan.Done, kplan.NotFound, kplan.Invalid}, answer) {
				return true
			}
		default:
			return false // claims come first
		}
		i++
	}
	return false
}

// managing returns the condition that a pass sets if creating or deleting has failed.
func (c single) managing() (want kplan.Condition, failed bool) {
	if c.claimFails() || c.kept.First == "<nil>" || c.kept.First == "" {
		return want, false
	}
	want = kplan.Condition{Type: "ReplicaFailure", Status: "True", Reason: "FailedDelete", Message: c.kept.First}
	if len(c.r.Deletes) == 0 && len(c.r.Creates) > 0 {
		want.Reason = "FailedCreate"
	}
	return want, true
}

// present counts the pods that the ReplicaSet controls and selects, whatever becomes of
// orphans.
func (c single) present() replicaset.Status {
	rs := c.s.ReplicaSet
	want := replicaset.Status{ObservedGeneration: rs.Generation, TerminatingReplicas: ptr.To(int32(0)), Conditions: rs.Status.Conditions}
	if c.opts.Dialect != "" || c.opts.OmitTerminating || rs.Kind == replicaset.KindController {
		want.TerminatingReplicas = nil
	}
	for _, p := range c.s.Pods {
		alive := p
		alive.DeletionTimestamp = time.Time{}
		switch {
		case p.ControllerUID != rs.UID && !c.anyones() || !c.counts(alive): // not one that would count if it were not deleted
		case !p.DeletionTimestamp.IsZero():
			if want.TerminatingReplicas != nil {
				*want.TerminatingReplicas++
			}
		default:
			want.Replicas++
			full := true
			for key, value := range rs.TemplateLabels {
				full = full && p.Labels[key] == value
			}
			if full {
				want.FullyLabeledReplicas++
			}
			if !p.Ready {
				continue
			}
			want.ReadyReplicas++
			at := p.ReadySince.Add(time.Duration(rs.MinReadySeconds) * time.Second)
			due := t0.After(at) || t0.Equal(at) && c.opts.Dialect == ""
			if rs.MinReadySeconds == 0 || !p.ReadySince.IsZero() && due {
				want.AvailableReplicas++
			}
		}
	}
	return want
}

// shows says whether a quirk shows, by what upstream reads.
func (c single) shows(name string) bool {
	if c.anyones() && c.s.ReplicaSet.Selector == nil {
		return false // nothing is planned
	}
	if c.badSelector() {
		return name == "UnusableSelectorIgnored"
	}
	old, told := c.failureCondition()
	switch name {
	case "FailureConditionNotRefreshed":
		want, fails := c.managing()
		want.LastTransitionTime = t0
		if old.Status == "True" {
			want.LastTransitionTime = old.LastTransitionTime
		}
		return told && fails && want != old
	case "WaitingRemovesFailure":
		return told && c.expects()
	case "TerminatingNamespaceRaisesExpectations":
		return !c.claimFails() && slices.ContainsFunc(c.r.Creates, func(o kplan.Outcome) bool { return o.Answer == kplan.NamespaceTerminating })
	case "RecheckWithoutReadyTime":
		return c.waitsForever()
	case "FailedClaimHidesStatus":
		return c.claimFails() && replicaset.NeedsWrite(c.s.ReplicaSet, c.present())
	}
	return false
}

// expects reports whether the pass waits for pods of an earlier one.
func (c single) expects() bool {
	e := c.s.Expectations
	return e.Creations > 0 && !t0.After(e.At.Add(5*time.Minute))
}

// waitsForever reports whether a ready pod has no ready time, and nothing else is waited
// for: neither a pod that has one nor, for a shorter time, expectations.
func (c single) waitsForever() (timeless bool) {
	wait := time.Duration(c.s.ReplicaSet.MinReadySeconds) * time.Second
	for _, p := range c.s.Pods {
		switch {
		case wait == 0 || !p.Ready || !c.counts(p):
		case p.ReadySince.IsZero():
			timeless = true
		case p.ReadySince.Add(wait).After(t0) || c.opts.Dialect != "" && p.ReadySince.Add(wait).Equal(t0):
			return false
		}
	}
	return timeless && !(c.expects() && t0.Add(wait).After(c.s.Expectations.At.Add(5*time.Minute)))
}

// spared is what a repair must leave as it is, whether its quirk shows or not.
func (p passed) spared(name string) passed {
	switch name {
	case "FailureConditionNotRefreshed":
		p.Result.Status.Conditions, p.Result.WriteStatus = nil, false
	case "WaitingRemovesFailure":
		p.Plan.Status.Conditions, p.Result.Status.Conditions, p.Result.WriteStatus = nil, nil, false
	case "TerminatingNamespaceRaisesExpectations":
		p.Result.Expectations = expect.Expectations{}
	case "RecheckWithoutReadyTime":
		p.Plan.RecheckAt, p.Result.RecheckAt = time.Time{}, time.Time{}
	case "FailedClaimHidesStatus":
		p.Result.Status, p.Result.WriteStatus = replicaset.Status{Conditions: p.Result.Status.Conditions}, false
	case "UnusableSelectorIgnored":
		return passed{}
	}
	return p
}

// drawSingle draws a pass. A status is often right already, and a condition often says
// what fails now, so that there are passes in which a quirk just does not show.
func drawSingle(t *rapid.T) single {
	c := single{s: anything(t), opts: options(t)}
	c.opts.Repair = 0
	if rapid.Bool().Draw(t, "small") {
		c.s.ReplicaSet.Replicas = ptr.To(rapid.Int32Range(0, 12).Draw(t, "replicas"))
	}
	if rapid.IntRange(0, 3).Draw(t, "no ready times") == 0 {
		c.s.ReplicaSet.MinReadySeconds = 10
		for i := range c.s.Pods {
			c.s.Pods[i].ReadySince = time.Time{}
		}
	}
	if rapid.Bool().Draw(t, "status is right") {
		c.s.ReplicaSet.Status = c.present()
	}
	c.r = reports(t, c.s, c.opts)
	if rapid.IntRange(0, 9).Draw(t, "bad selector") == 0 {
		near(&c.s.ReplicaSet)
	}
	c.kept = pass(c.s, c.r, c.opts)
	if f, failed := c.managing(); failed && rapid.Bool().Draw(t, "has failed before") {
		f.LastTransitionTime = t0.Add(-time.Hour)
		f.Message = rapid.SampledFrom([]string{f.Message, "another"}).Draw(t, "message")
		f.Status = rapid.SampledFrom([]kplan.ConditionStatus{"True", "True", "False"}).Draw(t, "condition")
		c.s.ReplicaSet.Status.Conditions = rapid.Permutation([]kplan.Condition{f, {Type: "A"}}).Draw(t, "conditions")
		c.kept = pass(c.s, c.r, c.opts)
	}
	return c
}

// TestPropertySingleQuirk: a repair changes something if and only if its quirk shows,
// and only what the quirk is about.
func TestPropertySingleQuirk(t *testing.T) {
	changed, same := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 32 { // some quirks are rare
			c := drawSingle(t)
			for i, q := range quirk.Table() {
				opts := c.opts
				opts.Repair = quirk.Set(1) << i
				repaired := pass(c.s, c.r, opts)
				diff, shows := cmp.Diff(c.kept, repaired), c.shows(q.Name)
				if (diff != "") != shows {
					t.Fatalf("%s shows: %v, and its repair changes:\n%s", q.Name, shows, diff)
				}
				if diff := cmp.Diff(c.kept.spared(q.Name), repaired.spared(q.Name)); diff != "" {
					t.Fatalf("the repair of %s changes what it is not about:\n%s", q.Name, diff)
				}
				if shows {
					changed[q.Name]++
				} else {
					same[q.Name]++
				}
			}
		}
	})
	for _, q := range quirk.Table() {
		require.NotZero(t, changed[q.Name], q.Name)
		require.NotZero(t, same[q.Name], q.Name)
	}
}

// anyones reports whether pods count whoever controls them.
func (c single) anyones() bool {
	return c.opts.Dialect == replicaset.Kubernetes15WithoutGarbageCollector
}

// counts reports whether the plan treats the pod as one of its replicas.
func (c single) counts(p podorder.Pod) bool {
	s := c.s
	if s.ReplicaSet.Selector == nil {
		return p.ControllerUID == "web-uid" && p.Active()
	}
	sel, err := selector.FromLabelSelector(s.ReplicaSet.Selector)
	if err != nil || !sel.Matches(p.Labels) || !p.Active() {
		return false
	}
	return c.anyones() || p.ControllerUID == "web-uid" || p.ControllerUID == "" && s.ReplicaSet.DeletionTimestamp.IsZero()
}
