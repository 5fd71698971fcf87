// SPDX-License-Identifier: Apache-2.0

package selectortest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A Reader reads selectors. Set the functions to test: a nil function is replaced by the one
// of package selector or selector/algebra, which passes.
type Reader struct {
	Compile func(*selector.LabelSelector) (selector.Selector, error)
	Parse   func(string) (selector.Selector, error)
	Matches func(selector.Selector, map[string]string) bool
	// Overlap returns labels that both selectors select, if there are any.
	Overlap func(a, b selector.Selector) (map[string]string, bool)
	// Implies reports whether b selects everything that a selects, or returns labels that a
	// selects and b does not.
	Implies func(a, b selector.Selector) (map[string]string, bool)
}

// A Classifier decides which of n children an owner adopts, keeps and releases.
type Classifier = func(o *claim.Owner, n int, child func(i int) claim.Child) claim.Claim

var (
	selecting = properties.Decision{Package: "selectortest", Functions: map[string]string{"Selecting": "Readers"}}
	claims    = properties.Decision{Package: "selectortest", Functions: map[string]string{"Claiming": "Classifiers"}}
)

// Readers returns the suite for functions that read selectors.
func Readers() plantest.Suite[Reader] {
	return plantest.Suite[Reader]{Decision: selecting, Case: read}
}

// Classifiers returns the suite for functions that claim children.
func Classifiers() plantest.Suite[Classifier] {
	return plantest.Suite[Classifier]{Decision: claims, Case: classified}
}

var (
	keys   = []string{"app", "tier", "x.io/env"}
	values = []string{"", "web", "db", "7"}
)

// LabelSelectors draws selectors of up to three expressions on three keys, so that they often
// overlap: one in ten is nil, and some have an invalid operator.
func LabelSelectors() *rapid.Generator[*selector.LabelSelector] {
	return properties.Drawn(labelSelector)
}

func labelSelector(s random.Source) *selector.LabelSelector {
	if random.OneIn(s, "nil", 10) {
		return nil
	}
	ls := &selector.LabelSelector{}
	if random.Bool(s, "labels") {
		ls.MatchLabels = map[string]string{random.OneOf(s, "key", keys...): random.OneOf(s, "value", values...)}
	}
	for range random.Between(s, "expressions", 0, 3) {
		e := selector.Expression{Key: random.OneOf(s, "key", keys...)}
		e.Operator = random.OneOf(s, "operator", selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist, "?")
		if e.Operator == selector.In || e.Operator == selector.NotIn {
			for range random.Between(s, "values", 0, 2) {
				e.Values = append(e.Values, random.OneOf(s, "value", values...))
			}
		}
		ls.MatchExpressions = append(ls.MatchExpressions, e)
	}
	return ls
}

// Labels draws labels with some of the keys and values of [LabelSelectors], or nil.
func Labels() *rapid.Generator[map[string]string] { return properties.Drawn(labels) }

func labels(s random.Source) map[string]string {
	if random.OneIn(s, "no labels", 10) {
		return nil
	}
	m := map[string]string{}
	for _, key := range keys {
		if random.Bool(s, key) {
			m[key] = random.OneOf(s, "value", values...)
		}
	}
	return m
}

func read(r Reader, choice properties.Choice) func(*rapid.T) {
	return func(t *rapid.T) {
		c := invariant.Selecting{Compile: r.Compile, Parse: r.Parse, Matches: r.Matches, Overlap: r.Overlap, Implies: r.Implies}
		c.A, c.B = LabelSelectors().Draw(t, "a"), LabelSelectors().Draw(t, "b")
		c.Labels = rapid.SliceOfN(Labels(), 0, 5).Draw(t, "labels")
		properties.Decided(t, selecting, &c, []any{c.A, c.B, c.Labels}, choice)
	}
}

func classified(classify Classifier, choice properties.Choice) func(*rapid.T) {
	return func(t *rapid.T) {
		c := claiming(random.Rapid(t))
		if _, err := selector.FromLabelSelector(c.Selector); err != nil {
			return // an invalid selector claims nothing
		}
		c.Classify = classify
		properties.Decided(t, claims, &c, []any{c.Owner, c.Selector, c.Children}, choice)
	}
}

// claiming draws an owner and up to six children: its own, orphans and children of another
// owner.
func claiming(s random.Source) invariant.Claiming {
	c := invariant.Claiming{Selector: labelSelector(s)}
	c.Owner = claim.Owner{Kind: "ReplicaSet", Name: "web", UID: "u", Namespace: random.OneOf(s, "namespace", "", "a"), Deleting: random.OneIn(s, "owner deleting", 5)}
	for n := range random.Between(s, "children", 0, 6) {
		name := fmt.Sprint("c", n)
		child := claim.Child{Name: name, UID: name, Namespace: "a", Labels: labels(s), Deleting: random.OneIn(s, "deleting", 5), Rejected: random.OneIn(s, "rejected", 7)}
		if random.Often(s, "controlled", 2) {
			child.ControllerKind, child.ControllerName, child.ControllerUID = "ReplicaSet", "web", random.OneOf(s, "owner", "u", "u", "x")
		}
		c.Children = append(c.Children, child)
	}
	return c
}
