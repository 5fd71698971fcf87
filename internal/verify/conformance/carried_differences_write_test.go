// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
)

// writeSubstitutions are about writes of any kind.
var writeSubstitutions = []substitution{
	{
		name:   "what has changed is not written",
		reason: "kube, Executor: a write has the version that the plan rests on as a precondition; upstream deletes by name and adopts anything",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				switch {
				case c.Class.CarriedOut() && !c.Changed && c.Verb != apiserver.Status && c.Verb != apiserver.Get && p.changedBy(c):
					return c.Class // refused, and the answer was lost
				case c.Class != "" || c.Verb == apiserver.Status:
				case apierrors.IsConflict(c.Err):
					return left(c)
				case apierrors.IsInvalid(c.Err) && c.Verb == apiserver.Write: // another UID
					return apiserver.Invalid
				}
				return ""
			})
		},
	},
	{
		name:   "a pod whose deletion was answered 409 is left alone",
		reason: "kube, Executor: the precondition may have failed; upstream has none and takes it for an error",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				if c.Class == apiserver.Conflict && c.Verb == apiserver.Delete && c.Kind == "Pod" {
					return left(c)
				}
				return ""
			})
		},
	},
	{
		name:    "upstream conflicts with its own writes",
		reason:  "kube, Executor: the version that a write has left is the precondition of the next; upstream goes on with what it had read",
		mode:    mode{own: true},
		answers: (*carriedPass).ownConflicts,
	},
}

// ownConflicts returns a rule that never matches if upstream had a conflict with its own write.
func (p *carriedPass) ownConflicts() []apiserver.Rule {
	for i, c := range p.theirs {
		hidden := c.Class.CarriedOut() && !c.Changed // the answer was lost
		if (hidden || c.Class == "" && apierrors.IsConflict(c.Err)) && slices.ContainsFunc(p.theirs[:i], func(before apiserver.Call) bool {
			return before.Changed && before.Kind == c.Kind && before.Name == c.Name
		}) {
			return []apiserver.Rule{{}}
		}
	}
	return nil
}
