// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
)

// substitutions is the complete list of intended differences from upstream when plans are carried
// out.
var substitutions = slices.Concat(writeSubstitutions, statusSubstitutions, deploymentSubstitutions, daemonSetSubstitutions)

func (p *carriedPass) count(calls []apiserver.Call, verb, kind string) (n int) {
	for _, c := range calls {
		if c.Verb == verb && c.Kind == kind {
			n++
		}
	}
	return n
}

// left is the answer that leaves an object alone.
func left(c apiserver.Call) apiserver.Class {
	if c.Verb == apiserver.Delete && c.Kind == "Pod" {
		return apiserver.NotFound
	}
	return apiserver.Conflict
}

// changedBy reports whether upstream's corresponding call has changed something.
func (p *carriedPass) changedBy(c apiserver.Call) bool {
	return slices.ContainsFunc(p.theirs, func(o apiserver.Call) bool {
		return o.Changed && o.Verb == c.Verb && o.Kind == c.Kind && o.Name == c.Name
	})
}

// answers are rules that answer upstream as some of our calls were.
func (p *carriedPass) answers(class func(apiserver.Call) apiserver.Class) (rules []apiserver.Rule) {
	for i, c := range p.mine {
		if c.Class == "" && apierrors.IsConflict(c.Err) && slices.ContainsFunc(p.mine[:i], func(before apiserver.Call) bool {
			lost := c.Verb == apiserver.Status && before.Class.CarriedOut() // upstream may write the status first
			return before.Changed && before.Kind == c.Kind && before.Name == c.Name && !lost
		}) {
			continue // it conflicts with a write of our own
		}
		if answer := class(c); answer != "" {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1 << 30, Class: answer, Void: answer.CarriedOut() && !c.Changed})
		}
	}
	return rules
}
