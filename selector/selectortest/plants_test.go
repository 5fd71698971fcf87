// SPDX-License-Identifier: Apache-2.0

package selectortest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func reads(name, bug string, r Reader) properties.DecisionPlant {
	return properties.DecisionPlant{Name: name, Bug: bug, Property: func(c properties.Choice) func(*rapid.T) { return read(r, c) }}
}

func claimed(name, bug string, change func(n int, child func(int) claim.Child, c *claim.Claim)) properties.DecisionPlant {
	classify := func(o *claim.Owner, n int, child func(int) claim.Child) claim.Claim {
		c := claim.Classify(o, n, child)
		change(n, child, &c)
		return c
	}
	return properties.DecisionPlant{Name: name, Bug: bug, Property: func(c properties.Choice) func(*rapid.T) { return classified(classify, c) }}
}

func plants() []properties.DecisionPlant {
	return []properties.DecisionPlant{
		reads("selector text round trip", "only the first requirement is read", Reader{Parse: func(text string) (selector.Selector, error) {
			first, _, _ := strings.Cut(text, ",")
			return selector.Parse(first)
		}}),
		reads("selector semantics", "a label that is missing is empty", Reader{Matches: func(s selector.Selector, labels map[string]string) bool {
			all := map[string]string{"app": "", "tier": "", "x.io/env": ""}
			for key, value := range labels {
				all[key] = value
			}
			return s.Matches(all)
		}}),
		reads("opposite operators", "no labels match nothing", Reader{Matches: func(s selector.Selector, labels map[string]string) bool { return len(labels) > 0 && s.Matches(labels) }}),
		reads("nil and empty selector", "nil selects everything", Reader{Compile: func(ls *selector.LabelSelector) (selector.Selector, error) {
			if ls == nil {
				return selector.Everything(), nil
			}
			return selector.FromLabelSelector(ls)
		}}),
		reads("overlap and implication examples", "an example that only one selects", Reader{Overlap: func(selector.Selector, selector.Selector) (map[string]string, bool) {
			return map[string]string{"app": "web"}, true
		}}),
		reads("overlap and implication examples", "everything implies everything", Reader{Implies: func(selector.Selector, selector.Selector) (map[string]string, bool) { return nil, true }}),
		claimed("claim decision", "orphans are ignored", func(_ int, _ func(int) claim.Child, c *claim.Claim) { c.Adopt = nil }),
		claimed("claim settles", "a child that does not match is kept", func(_ int, _ func(int) claim.Child, c *claim.Claim) {
			c.Keep, c.Release = append(c.Keep, c.Release...), nil
		}),
		claimed("no stealing", "a child of another is adopted", func(n int, child func(int) claim.Child, c *claim.Claim) {
			for i := range n {
				if child(i).ControllerUID == "x" {
					c.Adopt = append(c.Adopt, i)
				}
			}
		}),
	}
}

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { properties.FindPlants(t, plants(), selecting, claims) }
