// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func anyOrder(t *rapid.T) podorder.Order {
	o := podorder.Order{Chain: pick(t, "chain", "", podorder.Current, podorder.Legacy, podorder.Legacy15), Now: pick(t, "now", t0, time.Time{})}
	o.Domains = podorder.Domains{"n1": "a", "n2": "a", "n3": "b"}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		o.Priority = pick(t, "priority", podorder.PriorityFirst, podorder.PriorityAnnotatedFirst, podorder.PriorityMissingAsZero, podorder.PriorityAfterHealth)
	case 1:
		o.Stages = []podorder.Stage{{Rule: podorder.RuleSpread}}
	case 2:
		o.Stages = append([]podorder.Stage{podorder.Specified("p1", "p3")}, podorder.Current.Stages()...)
	case 3:
		o.Protected = func(p *podorder.Pod) bool { return p.Restarts == 1 }
	case 4:
		o.Neighbours = podorder.Neighbours{"n1": 2, "n2": 1}
	case 5:
		o.Related = func(p *podorder.Pod) bool { return p.ControllerUID != "x" }
	}
	return o
}

func TestOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Choosing{Order: anyOrder(t)}
		for n := range rapid.IntRange(0, 8).Draw(t, "pods") {
			c.Pods = append(c.Pods, random.Pod(random.Rapid(t), n))
		}
		c.N = rapid.IntRange(-1, len(c.Pods)+1).Draw(t, "n")
		clean(t, &c)
	})
}

func TestPausePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Pausing{Order: podorder.New(t0, nil), State: pausepoint.State{Name: "web", UID: "u", ResourceVersion: "7", Revision: 2, Paused: rapid.Bool().Draw(t, "paused")}}
		for n := range rapid.IntRange(0, 6).Draw(t, "pods") {
			p := random.Pod(random.Rapid(t), n)
			p.Annotations = pick(t, "point", nil, map[string]string{pausepoint.Annotation: "before"}, map[string]string{pausepoint.Annotation: "after"})
			c.Pods = append(c.Pods, p)
		}
		token := pausepoint.Token{Revision: pick[int64](t, "revision", 1, 2)}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			token.Entries = append(token.Entries, pausepoint.Entry{Mode: pick(t, "mode", pausepoint.Before, pausepoint.After), UID: fmt.Sprint("u", rapid.IntRange(0, 5).Draw(t, "at"))})
		}
		if len(token.Entries) > 0 {
			c.State.Token = token.String()
		}
		c.State.IgnoreUnready = rapid.Bool().Draw(t, "unready")
		c.Downs = []pausepoint.ScaleDown{{Name: "old", N: rapid.IntRange(0, 6).Draw(t, "n"), Cause: pick(t, "cause", pausepoint.CauseRollout, pausepoint.CauseRollout, pausepoint.CauseScale)}}
		c.Plan = pausepoint.Decide(c.Order, c.Pods, c.Downs, c.State)
		clean(t, &c)
	})
}

func TestCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "0", "-0", "+10", "008", "-01", "-", "--1", "1 ", "2147483647", "2147483648", "-2147483648", "-2147483649", "1e3", "0x1", "1_0"}),
			rapid.StringMatching(`[-+]?[0-9]{0,11}[a-z]?`)).Draw(t, "text")
		cost, valid := podorder.DeletionCost(map[string]string{podorder.AnnotationDeletionCost: text})
		clean(t, &invariant.Costing{Text: text, Cost: cost, Valid: valid})
	})
}

func anySelector(t *rapid.T) *selector.LabelSelector {
	if seldom(t, "nil", 9) {
		return nil
	}
	s := &selector.LabelSelector{}
	key := rapid.SampledFrom([]string{"app", "tier", "x.io/env"})
	value := rapid.SampledFrom([]string{"", "web", "db", "7"})
	if rapid.Bool().Draw(t, "labels") {
		s.MatchLabels = map[string]string{key.Draw(t, "key"): value.Draw(t, "value")}
	}
	for range rapid.IntRange(0, 3).Draw(t, "expressions") {
		e := selector.Expression{Key: key.Draw(t, "key"), Operator: pick(t, "operator", selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist, "?")}
		e.Values = rapid.SliceOfN(value, 0, 2).Draw(t, "values")
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s
}

func anyLabels(t *rapid.T) map[string]string {
	return rapid.MapOfN(rapid.SampledFrom([]string{"app", "tier", "x.io/env"}), rapid.SampledFrom([]string{"", "web", "db", "7"}), 0, 3).Draw(t, "labels")
}

func TestSelectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Selecting{A: anySelector(t), B: anySelector(t)}
		for range rapid.IntRange(0, 5).Draw(t, "sets") {
			c.Labels = append(c.Labels, anyLabels(t))
		}
		clean(t, &c)
	})
}

func TestClaims(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Claiming{Selector: anySelector(t), Owner: claim.Owner{Kind: "ReplicaSet", Name: "web", UID: "u", Namespace: pick(t, "namespace", "", "a"), Deleting: seldom(t, "owner deleting", 4)}}
		if _, err := selector.FromLabelSelector(c.Selector); err != nil {
			return
		}
		for n := range rapid.IntRange(0, 6).Draw(t, "children") {
			child := claim.Child{Name: fmt.Sprint("c", n), UID: fmt.Sprint("c", n), Namespace: "a", Labels: anyLabels(t), Deleting: seldom(t, "deleting", 4), Rejected: seldom(t, "rejected", 6)}
			if often(t, "controlled", 2) {
				child.ControllerKind, child.ControllerName, child.ControllerUID = "ReplicaSet", "web", pick(t, "owner", "u", "u", "x")
			}
			c.Children = append(c.Children, child)
		}
		clean(t, &c)
	})
}

func TestVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Versioning{Limit: pick(t, "limit", nil, ptr.To(int32(0)), ptr.To(int32(2)), ptr.To(int32(-1)))}
		for n := range rapid.IntRange(0, 14).Draw(t, "revisions") {
			name := fmt.Sprint("r", n)
			c.Revisions = append(c.Revisions, revision.ControllerRevision{Name: name, UID: name, Revision: rapid.Int64Range(0, 9).Draw(t, "number"), CreationTimestamp: random.Instant(random.Rapid(t), "created")})
			if seldom(t, "live", 3) {
				c.Live = append(c.Live, name)
			}
		}
		clean(t, &c)
		count := func(name string) *int32 {
			return pick(t, name, nil, ptr.To(int32(0)), ptr.To(int32(1)), ptr.To(int32(-1)))
		}
		h := invariant.Hashing{DumpA: pick(t, "a", "", "x", "y"), DumpB: pick(t, "b", "", "x", "y"), CountA: count("count a"), CountB: count("count b")}
		h.HashA, h.HashB = revision.Hash(h.DumpA, h.CountA), revision.Hash(h.DumpB, h.CountB)
		clean(t, &h)
	})
}

// TestFairness: of pods of one bucket each is the first victim as often as any other,
// over all ways to give them UIDs.
func TestFairness(t *testing.T) {
	pods := zoned()[:3]
	first := map[string]int{}
	uids := []string{"1", "2", "3"}
	for i := range uids {
		for shift := range uids {
			list := append([]podorder.Pod(nil), pods...)
			for k := range list {
				list[k].NodeName, list[k].UID = "n", uids[(k*(1+i%2)+shift)%3]
			}
			first[list[podorder.New(t0, nil).Victims(list, nil, 1)[0]].Name]++
		}
	}
	if first["a"] != first["b"] || first["b"] != first["c"] {
		t.Fatalf("first victims: %v", first)
	}
}

// TestCollidingHashes: two templates with one hash are two templates.
func TestCollidingHashes(t *testing.T) {
	s := begun()
	s.ReplicaSets[0].Template.Hash = s.Deployment.Template.Hash
	rapid.Check(t, func(t *rapid.T) {
		p, ok := deploymentPass(t, s, deploymentOptions(t))
		if !ok {
			t.Fatal("rejected")
		}
		clean(t, &p)
	})
}
