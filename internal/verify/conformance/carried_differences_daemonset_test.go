// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
)

// daemonSetSubstitutions are about DaemonSets.
var daemonSetSubstitutions = []substitution{
	{
		name:   "a revision that is gone needs no deletion",
		reason: "kube, Executor.DaemonSet: what was to be deleted is gone; upstream takes it for an error",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				if apierrors.IsNotFound(c.Err) && c.Verb == apiserver.Delete && c.Kind == "ControllerRevision" {
					return apiserver.Dropped
				}
				return ""
			})
		},
	},
	{
		name:   "missing node does not fail a surge",
		reason: "daemonset, Deviations: upstream fails; both neither update nor clean up",
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.missesNode() {
				return []apiserver.Rule{{}}
			}
			return nil
		},
		adjust: func(p *carriedPass) { p.upstream.Failed = p.upstream.Failed && !p.missesNode() },
	},
	{
		name:   "what is adopted is adopted once",
		reason: "kube, Executor: upstream claims again for each of its steps, and finds gone what it has just deleted",
		answers: func(p *carriedPass) (rules []apiserver.Rule) {
			adopted := map[string]bool{}
			for _, c := range p.theirs {
				if c.Verb == apiserver.Adopt && c.Err != nil && adopted[c.Kind+c.Name] {
					rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, From: 1, Count: 1 << 30, Class: apiserver.Dropped})
				}
				adopted[c.Kind+c.Name] = adopted[c.Kind+c.Name] || c.Verb == apiserver.Adopt && c.Err == nil
			}
			return rules
		},
	},
	{
		name:    "a revision whose name is seen to be taken is not created",
		reason:  "daemonset: what follows is planned, the count of collisions included; upstream tries, reads, and after a collision fails",
		answers: (*carriedPass).takenRevision,
		adjust: func(p *carriedPass) {
			p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool { return strings.HasPrefix(w, "create ControllerRevision ") })
			p.upstream.sortWrites()
			collision := strings.Contains(p.note, "held back: "+string(reason.Collision))
			if collision && p.err != nil && strings.Contains(p.err.Error(), "already exists") {
				p.upstream.Failed = false
			}
		},
	},
	{
		name:   "a duplicate is not labelled before it is deleted",
		reason: "daemonset: the label of a revision that goes is of no use to anybody",
		answers: func(p *carriedPass) (rules []apiserver.Rule) {
			for _, c := range p.theirs {
				if c.Verb == apiserver.Write && c.Kind == "ControllerRevision" && p.duplicate(c.Name) {
					rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1 << 30, Class: apiserver.Dropped})
				}
			}
			return rules
		},
		adjust: func(p *carriedPass) {
			p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool {
				name, ok := strings.CutPrefix(w, "write ControllerRevision ")
				return ok && p.duplicate(name)
			})
			p.upstream.sortWrites()
		},
	},
	{
		name:    "a revision is labelled and renumbered at once",
		reason:  "daemonset: one write has both; upstream writes the label first, and ends if that was not answered",
		answers: (*carriedPass).labelledFirst,
	},
	{
		name:   "a rolling update waits for the pass after one that manages",
		reason: "daemonset, Deviations: upstream goes on in the same pass if nothing of what it has asked for has come about",
		mode:   mode{waits: true},
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.kind == daemonset.Kind && manages.MatchString(p.note) {
				return []apiserver.Rule{{}}
			}
			return nil
		},
	},
}

// manages matches a plan that creates or deletes pods for placement. Upstream does not wait after
// the deletions of a rolling update.
var manages = regexp.MustCompile(`(?m)^(Created pod on|Deleted pod:) `)

// missesNode reports whether upstream has failed over a node that it does not know, and over
// nothing else.
func (p *carriedPass) missesNode() bool {
	return p.err != nil && strings.HasPrefix(p.err.Error(), "couldn't get node for nodeName")
}

// takenRevision lets upstream find the revision that our cache shows.
func (p *carriedPass) takenRevision() (rules []apiserver.Rule) {
	for _, c := range p.theirs {
		if c.Verb == apiserver.Create && c.Kind == "ControllerRevision" && p.count(p.mine, apiserver.Create, c.Kind) == 0 && slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
			return kindOf(o) == c.Kind && o.GetName() == c.Name
		}) {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Exists},
				apiserver.Rule{Verb: apiserver.Get, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Done})
			if p.count(p.mine, apiserver.Get, p.owner.Kind) == 0 {
				rules = append(rules, apiserver.Rule{Verb: apiserver.Get, Kind: p.owner.Kind, Name: p.owner.Name, Count: 1, Class: apiserver.Done})
			}
		}
	}
	return rules
}

// duplicate reports whether the plan deletes a revision because another is the same.
func (p *carriedPass) duplicate(name string) bool {
	return strings.Contains(p.note, "Deleted controller revision "+name+" (Duplicate)")
}

// labelledFirst lets upstream's first write of a revision without a label succeed, if ours took
// effect without an answer.
func (p *carriedPass) labelledFirst() (rules []apiserver.Rule) {
	for _, c := range p.mine {
		if c.Verb != apiserver.Write || c.Kind != "ControllerRevision" || !c.Class.CarriedOut() || !strings.Contains(p.note, "Renumbered controller revision "+c.Name+" ") {
			continue
		}
		unlabelled := slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
			return kindOf(o) == c.Kind && o.GetName() == c.Name && !has(o.GetLabels(), daemonset.LabelHash)
		})
		if unlabelled {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Done})
		}
	}
	return rules
}
