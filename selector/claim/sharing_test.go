// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// What a function returns shares no memory with what it was given: lists, maps and flags.
func TestSharesNothing(t *testing.T) {
	reference := func(uid string) claim.OwnerReference {
		return claim.OwnerReference{APIVersion: "v1", Kind: "Job", Name: uid, UID: uid, Controller: ptr.To(false), BlockOwnerDeletion: ptr.To(true)}
	}
	type references struct {
		All []claim.OwnerReference
		New claim.OwnerReference
		UID string
	}
	controlled := reference("c")
	*controlled.Controller = true
	all := references{[]claim.OwnerReference{reference("a"), reference("b"), controlled}, reference("a"), "b"}
	purity.Check(t, all, func(r references) ([]claim.OwnerReference, error) { return claim.WithReference(r.All, r.New) })
	purity.Check(t, all, func(r references) ([]claim.OwnerReference, error) { return claim.WithoutReference(r.All, r.UID), nil })
	purity.Check(t, all, func(r references) (claim.OwnerReference, error) {
		found, _ := claim.ControllerOf(r.All)
		return found, nil
	})

	type pass struct {
		Owner    claim.Owner
		Claim    claim.Claim
		Children []claim.Child
		Outcomes []kplan.Outcome
	}
	app := map[string]string{"app": "web"}
	owner := claim.Owner{Name: "web", UID: "u", Selector: selector.FromMap(app), Finalizers: []string{"f", "g"}}
	p := pass{owner, claim.Claim{Keep: []int{0}, Adopt: []int{1}, Release: []int{2}, Terminating: []int{3}}, []claim.Child{
		{Name: "a", UID: "a", Labels: app, ControllerUID: "u"}, {Name: "b", UID: "b", Labels: app}, {Name: "c", UID: "c", ControllerUID: "u"}, {Name: "d", UID: "d"},
	}, []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.Done}}}
	child := func(p *pass) func(int) claim.Child { return func(i int) claim.Child { return p.Children[i] } }
	purity.Check(t, p, func(p pass) (claim.Resolution, error) {
		return claim.Resolve(&p.Owner, p.Claim, child(&p), claim.LiveCheck{OK: true}), nil
	})
	purity.Check(t, p, func(p pass) (claim.Claim, error) { return claim.Classify(&p.Owner, len(p.Children), child(&p)), nil })
	purity.Check(t, p, func(p pass) (claim.Claim, error) {
		return claim.ClassifyActive(&p.Owner, len(p.Children), child(&p)), nil
	})
	type outcome struct {
		Resolution claim.Resolution
		Outcomes   []kplan.Outcome
	}
	resolved := outcome{claim.Resolve(&p.Owner, p.Claim, child(&p), claim.LiveCheck{OK: true}), p.Outcomes}
	purity.Check(t, resolved, func(o outcome) ([]int, error) { return claim.ApplyOutcome(o.Resolution, o.Outcomes) })
	purity.Check(t, resolved.Resolution.Actions[0], func(a claim.Action) (string, error) { return string(a.Patch()), nil })
}
