package selector

import (
	"slices"

	"github.com/kplan-go/kplan/internal/zero"
)

// A ClaimV15 is how Kubernetes 1.5 sorts the pods of a namespace for a
// ReplicationController or ReplicaSet. Pods that are finished or being deleted are
// in no list, and neither are those of other controllers.
type ClaimV15 struct {
	MatchesAndControlled   []int // those the controller manages
	MatchesNeedsController []int // orphans to adopt, unless it is being deleted
	ControlledDoesNotMatch []int // those to release, even while it is being deleted
}

// ClassifyV15 sorts n pods. It mirrors PodControllerRefManager.Classify of the
// controller package of Kubernetes 1.5.
func ClassifyV15(o *Owner, n int, child func(i int) Child) ClaimV15 {
	o = zero.Or(o)
	var claim ClaimV15
	for i := range n {
		c := child(i)
		if c.Deleting || c.Finished {
			continue
		}
		matches := o.matches(&c)
		switch {
		case c.ControlledBy(o) && matches:
			claim.MatchesAndControlled = append(claim.MatchesAndControlled, i)
		case c.ControlledBy(o):
			claim.ControlledDoesNotMatch = append(claim.ControlledDoesNotMatch, i)
		case !c.Controlled() && matches:
			claim.MatchesNeedsController = append(claim.MatchesNeedsController, i)
		}
	}
	return claim
}

// ActionsV15 returns the writes of Kubernetes 1.5: adoptions first, without a live
// check and without blockOwnerDeletion, then releases.
func ActionsV15(o *Owner, claim ClaimV15, child func(i int) Child) Actions {
	o = zero.Or(o)
	var actions Actions
	if !o.Deleting {
		for _, i := range claim.MatchesNeedsController {
			c := child(i)
			a := o.adoption(i, &c)
			a.Reference.BlockOwnerDeletion = nil
			actions = append(actions, a)
		}
	}
	for _, i := range claim.ControlledDoesNotMatch {
		c := child(i)
		actions = append(actions, o.release(i, &c))
	}
	return actions
}

// ApplyOutcomeV15 returns the pods to manage after the actions: the kept ones, then
// the adopted ones. A failed adoption only leaves its pod out. A failed release
// ends the pass with an error and nothing to manage; that of a pod that is gone, or
// that the server finds invalid, is no failure. Outcomes belong to the actions in
// order.
//
// It mirrors the part of syncReplicationController of Kubernetes 1.5 before the
// pods are managed.
func ApplyOutcomeV15(claim ClaimV15, actions []Action, outcomes []Outcome) (managed []int, err error) {
	managed = slices.Clone(claim.MatchesAndControlled)
	var errs []error
	for i, a := range actions {
		var o Outcome
		if i < len(outcomes) {
			o = outcomes[i]
		}
		switch a := a.(type) {
		case AdoptChild:
			if o.Answer == Done {
				managed = append(managed, a.Child)
			}
		case ReleaseChild:
			if o.Answer != Done && o.Answer != NotFound && o.Answer != Invalid {
				errs = append(errs, Failure{a.Child, o.Failure()})
			}
		}
	}
	if len(errs) > 0 {
		return nil, combined(errs)
	}
	return managed, nil
}

// ManagedWithoutGC returns the pods that Kubernetes 1.5 manages if its garbage
// collector is off: those that match and are active, whoever owns them.
func ManagedWithoutGC(o *Owner, n int, child func(i int) Child) []int {
	o = zero.Or(o)
	var managed []int
	for i := range n {
		if c := child(i); !c.Deleting && !c.Finished && o.matches(&c) {
			managed = append(managed, i)
		}
	}
	return managed
}

// RouteV15 returns the controller that Kubernetes 1.5 wakes up for an object, and
// whether there is one: the oldest of those that select it.
func RouteV15(c *Child, controllers []Controller) (int, bool) {
	found := ControllersSelecting(c, controllers)
	if len(found) == 0 {
		return 0, false
	}
	return found[0], true
}
