// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A Rule is a rule of an HTTPRoute.
type Rule struct {
	Name        string       `json:"name,omitempty"`
	Matches     []Match      `json:"matches,omitempty"`
	BackendRefs []BackendRef `json:"backendRefs,omitempty"`
	// Rest holds the other fields of the rule, as JSON; they do not change.
	Rest string `json:"rest,omitempty"`
}

// A BackendRef is a target of a rule.
type BackendRef struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind,omitempty"` // only Service counts
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	Port      *int32 `json:"port,omitempty"`
	Weight    *int32 `json:"weight,omitempty"` // nil means 1
	// Rest holds the other fields of the reference, as JSON; they do not change.
	Rest string `json:"rest,omitempty"`
}

// refTo returns the index of the reference to a Service, or -1.
func (r *Rule) refTo(service string) int {
	return slices.IndexFunc(r.BackendRefs, func(b BackendRef) bool { return b.Kind == "Service" && b.Name == service })
}

// Clone returns a rule that shares no memory with r.
func (r Rule) Clone() Rule {
	r.BackendRefs = slices.Clone(r.BackendRefs)
	for i := range r.BackendRefs {
		r.BackendRefs[i].Port, r.BackendRefs[i].Weight = zero.Copy(r.BackendRefs[i].Port), zero.Copy(r.BackendRefs[i].Weight)
	}
	r.Matches = slices.Clone(r.Matches)
	for i := range r.Matches {
		r.Matches[i] = copyMatch(r.Matches[i])
	}
	return r
}

func copyMatch(m Match) Match {
	m.Path, m.Headers, m.QueryParams = zero.Copy(m.Path), slices.Clone(m.Headers), slices.Clone(m.QueryParams)
	return m
}

// Weighted returns the rules that send weight percent of the traffic of the stable Service
// to the canary Service. Rules without the stable Service do not change.
func Weighted(rules []Rule, stable, canary string, weight int32) []Rule {
	var out []Rule
	for _, rule := range rules {
		r := rule.Clone()
		if at := r.refTo(stable); at >= 0 {
			rest := 100 - weight
			r.BackendRefs[at].Weight = &rest
			if r.refTo(canary) < 0 {
				ref := r.BackendRefs[at]
				ref.Name = canary
				r.BackendRefs = append(r.BackendRefs, ref)
			}
			share := weight
			r.BackendRefs[r.refTo(canary)].Weight = &share
		}
		out = append(out, r)
	}
	return out
}

// Restored returns the rules without the canary Service. The weight of the stable one
// becomes 1, and rules without a target are dropped, as upstream does: see the quirk
// HTTPRouteRulesLost. With keepAll, rules that had no target before stay.
func Restored(rules []Rule, stable, canary string, keepAll bool) []Rule {
	var out []Rule
	for _, rule := range rules {
		r := rule.Clone()
		if at := r.refTo(canary); at >= 0 {
			r.BackendRefs = slices.Delete(r.BackendRefs, at, at+1)
		}
		if at := r.refTo(stable); at >= 0 {
			one := int32(1)
			r.BackendRefs[at].Weight = &one
		}
		if len(r.BackendRefs) == 0 && !(keepAll && len(rule.BackendRefs) == 0) {
			continue
		}
		out = append(out, r)
	}
	return out
}

// Matched returns the rules that send matching requests to the canary Service: first all
// rules except the ones of an earlier canary, then a copy of each rule for the stable
// Service.
//
// Slips of upstream are kept. The headers are taken from the wrong match if a match of a
// path precedes. Paths are added to the first rule only. The canary of a rule without
// matches gets everything, and a rule that leads to both Services is dropped. See the quirk
// HTTPRouteRulesLost. With keepAll every rule is kept, and every entry has its own headers.
func Matched(rules []Rule, stable, canary string, matches []Match, keepAll bool) []Rule {
	var kept, added []Rule
	paths, others := splitMatches(matches, keepAll)
	for _, rule := range rules {
		r := rule.Clone()
		if at := r.refTo(canary); at >= 0 {
			if !keepAll || r.refTo(stable) < 0 {
				continue
			}
			one := int32(1)
			r.BackendRefs = slices.Delete(r.BackendRefs, at, at+1)
			r.BackendRefs[r.refTo(stable)].Weight = &one
		}
		kept = append(kept, r)
		at := r.refTo(stable)
		if at < 0 {
			continue
		}
		c := r.Clone()
		c.BackendRefs = c.BackendRefs[at : at+1 : at+1]
		c.BackendRefs[0].Name = canary
		c.Matches = nil
		if len(paths) == 0 && len(others) == 0 {
			continue
		}
		for _, m := range paths {
			c.Matches = append(c.Matches, copyMatch(m))
		}
		if !keepAll {
			paths = nil
		}
		matched := r.Matches
		if keepAll && len(matched) == 0 {
			matched = []Match{{}} // a rule without matches matches everything
		}
		c.Matches = append(c.Matches, combine(matched, others)...)
		added = append(added, c)
	}
	return append(kept, added...)
}

// splitMatches returns the matches with a path, and for each of the others the match whose
// headers are added to the matches of a rule.
func splitMatches(matches []Match, keepAll bool) (paths, others []Match) {
	for _, m := range matches {
		if m.Path != nil {
			paths = append(paths, copyMatch(m))
			continue
		}
		from := m
		if !keepAll {
			from = matches[len(others)]
		}
		others = append(others, from)
	}
	return paths, others
}

// combine returns every match of a rule together with every match of the step.
func combine(matches, others []Match) []Match {
	var out []Match
	for _, m := range matches {
		for _, o := range others {
			c := copyMatch(m)
			c.Headers = append(c.Headers, o.Headers...)
			c.QueryParams = append(c.QueryParams, o.QueryParams...)
			out = append(out, c)
		}
	}
	return out
}
