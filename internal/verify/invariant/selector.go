// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/kplan-go/kplan/selector/claim"
)

// selectors returns the invariants of selectors, claims and revisions.
func selectors() []Invariant {
	selecting := func(f func(*Selecting) []string) []check { return []check{on[Selecting](f)} }
	claiming := func(f func(*Claiming) []string) []check { return []check{on[Claiming](f)} }
	versioning := func(f func(*Versioning) []string) []check { return []check{on[Versioning](f)} }
	property := []string{"selector: TestAnalysis_invariants"}
	claim := []string{"selector: TestClaim_invariants"}
	return []Invariant{
		{Name: "selector text round trip", Title: "the text of a selector reads back as the same selector", Source: "kubernetes#38718", Elsewhere: []string{"selector: TestString"}, checks: selecting(selectorTextRoundTrip)},
		{Name: "selector semantics", Title: "a selector selects the objects that meet its requirements", Source: "upstream: Requirement.Matches", Elsewhere: []string{"internal/verify/conformance: functions_selector_test.go"}, checks: selecting(selectorSemantics)},
		{Name: "opposite operators", Title: "In and NotIn, Exists and DoesNotExist are opposites", Source: "upstream: Requirement.Matches", checks: selecting(oppositeOperators)},
		{Name: "nil and empty selector", Title: "nil selects nothing, and empty everything", Source: "kubernetes#19654", Elsewhere: []string{"selector: TestNilAndEmpty"}, checks: selecting(nilAndEmptySelector)},
		{Name: "overlap and implication examples", Title: "overlap and implication have examples that prove them", Source: "kubernetes#19830", Elsewhere: property, checks: selecting(overlapAndImplicationExamples)},
		{Name: "claim decision", Title: "each child is claimed, released or ignored, with the correct reason", Source: "upstream: ClaimObject", Elsewhere: claim, checks: claiming(claimDecision)},
		{Name: "claim settles", Title: "after a claim is carried out, nothing is left to claim", Source: "upstream: ClaimObject", Elsewhere: claim, checks: claiming(claimSettles)},
		{Name: "no stealing", Title: "nothing is taken from another controller", Source: "kubernetes#24152", Elsewhere: claim, checks: claiming(noStealing)},
		{Name: "template hash", Title: "equal templates have equal hashes, and ReplicaSets are identified by template", Source: "kubernetes#29735",
			Elsewhere: []string{"revision: TestHash"}, checks: []check{on[Hashing](templateHash), on[DeploymentPass](templateHashPass)}},
		{Name: "next revision", Title: "a new revision is one more than the highest", Source: "upstream: MaxRevision", Elsewhere: []string{"revision: TestMaxLastOracle"},
			checks: append(versioning(nextRevision), on[DaemonSetPass](nextRevisionPass))},
		{Name: "revisions in use stay", Title: "revisions in use are not cut from the history", Source: "upstream: truncateHistory", Elsewhere: []string{"revision: TestTruncateBounded"}, checks: versioning(revisionsInUseStay)},
		{Name: "order of revisions", Title: "revisions are ordered by number, creation and name", Source: "upstream: SortControllerRevisions", Elsewhere: []string{"revision: TestSortTotal"}, checks: versioning(orderOfRevisions)},
	}
}

// A Selecting is two selectors and some labels. The functions are the functions under test; nil
// means the ones of package selector.
type Selecting struct {
	A, B   *selector.LabelSelector
	Labels []map[string]string

	Compile func(*selector.LabelSelector) (selector.Selector, error)
	Parse   func(string) (selector.Selector, error)
	Matches func(selector.Selector, map[string]string) bool
	Overlap func(a, b selector.Selector) (map[string]string, bool)
	Implies func(a, b selector.Selector) (map[string]string, bool)
}

func (c *Selecting) compile(s *selector.LabelSelector) (selector.Selector, error) {
	if c.Compile != nil {
		return c.Compile(s)
	}
	return selector.FromLabelSelector(s)
}

func (c *Selecting) matches(s selector.Selector, labels map[string]string) bool {
	if c.Matches != nil {
		return c.Matches(s, labels)
	}
	return s.Matches(labels)
}

// each calls f with the valid selectors.
func (c *Selecting) each(f func(s *selector.LabelSelector, compiled selector.Selector) []string) (lines []string) {
	for _, s := range []*selector.LabelSelector{c.A, c.B} {
		if compiled, err := c.compile(s); err == nil {
			lines = append(lines, f(s, compiled)...)
		}
	}
	return lines
}

func selectorTextRoundTrip(c *Selecting) []string {
	parse := c.Parse
	if parse == nil {
		parse = selector.Parse
	}
	return c.each(func(s *selector.LabelSelector, compiled selector.Selector) []string {
		text := compiled.String()
		if s == nil {
			return nil // its text is empty, like the text of a selector of everything
		}
		back, err := parse(text)
		if err != nil {
			return []string{fmt.Sprintf("%q: %v", text, err)}
		}
		l := list(nil)
		again, err := parse(back.String()) // repeated values are dropped
		l.addIf(err != nil || again.String() != back.String(), "%q is read as %q, and that as %q", text, back.String(), again.String())
		for _, labels := range c.Labels {
			l.addIf(compiled.Matches(labels) != back.Matches(labels), "%q and what it is read as differ about %v", text, labels)
		}
		return l
	})
}

func selectorSemantics(c *Selecting) []string {
	return c.each(func(s *selector.LabelSelector, compiled selector.Selector) []string {
		l := list(nil)
		for _, labels := range c.Labels {
			got, want := c.matches(compiled, labels), says(s, labels)
			l.addIf(got != want, "%q selects %v: %v, not %v", compiled.String(), labels, got, want)
		}
		return l
	})
}

// opposite returns the operator that selects exactly the other labels.
func opposite(o selector.Operator) selector.Operator {
	switch o {
	case selector.In:
		return selector.NotIn
	case selector.NotIn:
		return selector.In
	case selector.Exists:
		return selector.DoesNotExist
	}
	return selector.Exists
}

func oppositeOperators(c *Selecting) []string {
	l := list(nil)
	for _, s := range []*selector.LabelSelector{c.A, c.B} {
		if s == nil {
			continue
		}
		for _, e := range s.MatchExpressions {
			not := e
			not.Operator = opposite(e.Operator)
			a, err := c.compile(&selector.LabelSelector{MatchExpressions: []selector.Expression{e}})
			b, err2 := c.compile(&selector.LabelSelector{MatchExpressions: []selector.Expression{not}})
			if err != nil || err2 != nil {
				continue
			}
			for _, labels := range c.Labels {
				l.addIf(c.matches(a, labels) == c.matches(b, labels), "%q and %q agree about %v", a.String(), b.String(), labels)
			}
		}
	}
	return l
}

func nilAndEmptySelector(c *Selecting) []string {
	l := list(nil)
	none, err := c.compile(nil)
	all, err2 := c.compile(&selector.LabelSelector{})
	l.addIf(err != nil || err2 != nil, "nil or empty is an error: %v, %v", err, err2)
	for _, labels := range append([]map[string]string{nil}, c.Labels...) {
		l.addIf(c.matches(none, labels), "nil selects %v", labels)
		l.addIf(!c.matches(all, labels), "empty does not select %v", labels)
	}
	return l
}

func overlapAndImplicationExamples(c *Selecting) []string {
	a, err := c.compile(c.A)
	b, err2 := c.compile(c.B)
	if err != nil || err2 != nil {
		return nil
	}
	overlap, implies := c.Overlap, c.Implies
	if overlap == nil {
		overlap = algebra.Overlap
	}
	if implies == nil {
		implies = algebra.Implies
	}
	l := list(nil)
	example, common := overlap(a, b)
	l.addIf(common && !(says(c.A, example) && says(c.B, example)), "%q and %q do not both select %v", a.String(), b.String(), example)
	counter, implied := implies(a, b)
	l.addIf(!implied && (!says(c.A, counter) || says(c.B, counter)), "%v does not tell %q from %q", counter, a.String(), b.String())
	for _, labels := range c.Labels {
		inA, inB := says(c.A, labels), says(c.B, labels)
		l.addIf(inA && inB && !common, "%q and %q are said to have nothing in common, but %v", a.String(), b.String(), labels)
		l.addIf(inA && !inB && implied, "%q is said to imply %q, but %v", a.String(), b.String(), labels)
	}
	return l
}

// A Claiming is a controller, with its selector in API form, and children that it may claim.
type Claiming struct {
	Owner    claim.Owner
	Selector *selector.LabelSelector
	Children []claim.Child
	// Classify is the function under test; nil means the one of package selector/claim.
	Classify func(o *claim.Owner, n int, child func(i int) claim.Child) claim.Claim
}

func (c *Claiming) classify(children []claim.Child) claim.Claim {
	f := c.Classify
	if f == nil {
		f = claim.Classify
	}
	o := c.Owner
	o.Selector, _ = selector.FromLabelSelector(c.Selector)
	return f(&o, len(children), func(i int) claim.Child { return children[i] })
}

// verdict is the truth table of claims: keep, adopt, release or "".
func (c *Claiming) verdict(child *claim.Child) string {
	matches := says(c.Selector, child.Labels) && !child.Rejected
	switch {
	case child.ControllerUID == "" && child.ControllerKind == "" && child.ControllerName == "":
		if matches && !c.Owner.Deleting && !child.Deleting && (c.Owner.Namespace == "" || c.Owner.Namespace == child.Namespace) {
			return "adopt"
		}
	case child.ControllerUID == c.Owner.UID && matches:
		return "keep"
	case child.ControllerUID == c.Owner.UID && !c.Owner.Deleting:
		return "release"
	}
	return ""
}

func claimDecision(c *Claiming) []string {
	claim, l := c.classify(c.Children), list(nil)
	got := map[int][]string{}
	for verdict, indices := range map[string][]int{"keep": claim.Keep, "adopt": claim.Adopt, "release": claim.Release} {
		for _, i := range indices {
			got[i] = append(got[i], verdict)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(got)) {
		l.addIf(i < 0 || i >= len(c.Children), "there is no child %d", i)
		l.addIf(len(got[i]) > 1, "child %d gets %d verdicts", i, len(got[i]))
	}
	for i := range c.Children {
		verdict := ""
		if len(got[i]) > 0 {
			verdict = got[i][0]
		}
		want := c.verdict(&c.Children[i])
		l.addIf(verdict != want, "child %s: verdict %q, not %q", c.Children[i].Name, verdict, want)
	}
	return l
}

// carriedOut returns the children after a claim.
func (c *Claiming) carriedOut(claim claim.Claim) []claim.Child {
	children := slices.Clone(c.Children)
	for _, i := range claim.Adopt {
		children[i].ControllerKind, children[i].ControllerName, children[i].ControllerUID = c.Owner.Kind, c.Owner.Name, c.Owner.UID
	}
	for _, i := range claim.Release {
		children[i].ControllerKind, children[i].ControllerName, children[i].ControllerUID = "", "", ""
	}
	return children
}

func (c *Claiming) bad(claim claim.Claim) bool {
	return slices.ContainsFunc(slices.Concat(claim.Keep, claim.Adopt, claim.Release), func(i int) bool { return i < 0 || i >= len(c.Children) })
}

func claimSettles(c *Claiming) []string {
	claim := c.classify(c.Children)
	if c.bad(claim) {
		return []string{"a child does not exist"}
	}
	again, l := c.classify(c.carriedOut(claim)), list(nil)
	l.addIf(len(again.Adopt)+len(again.Release) > 0, "%d children are adopted and %d released again", len(again.Adopt), len(again.Release))
	claimed := slices.Concat(claim.Keep, claim.Adopt)
	slices.Sort(claimed)
	l.addIf(!slices.Equal(claimed, again.Keep), "%v are claimed, and then %v", claimed, again.Keep)
	return l
}

func noStealing(c *Claiming) []string {
	claim, l := c.classify(c.Children), list(nil)
	for _, i := range slices.Concat(claim.Keep, claim.Adopt, claim.Release) {
		if i >= 0 && i < len(c.Children) {
			uid := c.Children[i].ControllerUID
			l.addIf(uid != "" && uid != c.Owner.UID, "%s belongs to %s", strconv.Quote(c.Children[i].Name), uid)
		}
	}
	return l
}
