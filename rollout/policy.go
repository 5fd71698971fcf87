// SPDX-License-Identifier: Apache-2.0

package rollout

import "github.com/kplan-go/kplan"

// A Policy selects the rules of a step, of [Roll], [Step] and [Scale]: the rules of projects other
// than Kubernetes. The zero Policy is Kubernetes. Each rule is listed with its effect and
// the projects that need it:
//
//	Together         Roll grows and shrinks from one snapshot: both bounds hold      Cluster API, Agones
//	CountLarger      room(set) = max(wanted, there): pods there within the surge     Cluster API
//	CountThere       room(set) = there: pods there within the surge, if WaitForNew     machine-controller-manager, Agones
//	WorstCase        ShrinkWorstCase: the minimum whichever pods go                  Cluster API
//	BreakDeadlock    old(Deadlock) - 1: at most one pod below the minimum            Cluster API
//	ScaleNewest      new + the added pods: old sets do not grow                      machine-controller-manager
//	ProtectedApart   new set up to replicas - protected(old): see Counting.Places    Agones
//	WaitForNew       new = wanted while there != wanted: one step after the other    Agones
//	FreezeOvershoot  new <= wanted while there > replicas + surge: no growth         machine-controller-manager
//	OnDelete         see OnDelete: only pods beyond the replicas are deleted         Cluster API
//	OfReady          see Policy.Resolve: unavailable is a share of ready pods        Agones
//
// [ClusterAPI], [MachineController] and [Agones] return the policies of these projects. Rules that
// exclude each other are errors of [Policy.Valid]. The rules of a single set are the fields
// Least, Protected and Moves of [Set].
type Policy struct {
	Counting
	Together        bool `json:"together,omitzero"`        // one step of a rolling update grows the new set and shrinks old ones
	CountLarger     bool `json:"countLarger,omitzero"`     // the larger of the pods that a set wants and has takes up room: see [Policy.Existing]
	CountThere      bool `json:"countThere,omitzero"`      // the pods that a set has take up room, not the ones it wants
	WorstCase       bool `json:"worstCase,omitzero"`       // available pods may be removed first: see [ShrinkWorstCase]
	ScaleNewest     bool `json:"scaleNewest,omitzero"`     // pods added when replicas change all go to the new set: see [Scale]
	WaitForNew      bool `json:"waitForNew,omitzero"`      // the new set keeps its size until all pods that it wants exist
	FreezeOvershoot bool `json:"freezeOvershoot,omitzero"` // nothing is added while more pods exist than may be wanted
	BreakDeadlock   bool `json:"breakDeadlock,omitzero"`   // a step that would change nothing may remove one pod more: see [Deadlock]
	OnDelete        bool `json:"onDelete,omitzero"`        // old pods stay until a user deletes them: see [Step] and [OnDelete]
	OfReady         bool `json:"ofReady,omitzero"`         // the unavailable share of a [Budget] is taken of ready pods: see [Policy.Resolve]
}

// Valid returns an error for each rule that another one excludes, as a [kplan.FieldError] with the
// path of its field, such as "Policy.CountThere". A function that gets such a policy anyway heeds
// the rule that the error names as the other one.
//
//	CountThere                            with CountLarger: both say which pods take up room
//	ProtectedApart                        with WorstCase or BreakDeadlock, which include protected pods
//	Together, CountLarger, CountThere,    with OnDelete: a user deletes old pods, and there is
//	WorstCase, BreakDeadlock,             no step by budget
//	WaitForNew, FreezeOvershoot, OfReady
func (p Policy) Valid() error {
	var errs kplan.FieldErrors
	refuse := func(set bool, name, other string) {
		if set {
			errs.Add("Policy."+name, true, "must be unset with "+other)
		}
	}
	refuse(p.CountThere && p.CountLarger, "CountThere", "CountLarger")
	refuse(p.ProtectedApart && p.WorstCase, "ProtectedApart", "WorstCase")
	refuse(p.ProtectedApart && p.BreakDeadlock, "ProtectedApart", "BreakDeadlock")
	if p.OnDelete {
		refuse(p.Together, "Together", "OnDelete")
		refuse(p.CountLarger, "CountLarger", "OnDelete")
		refuse(p.CountThere, "CountThere", "OnDelete")
		refuse(p.WorstCase, "WorstCase", "OnDelete")
		refuse(p.BreakDeadlock, "BreakDeadlock", "OnDelete")
		refuse(p.WaitForNew, "WaitForNew", "OnDelete")
		refuse(p.FreezeOvershoot, "FreezeOvershoot", "OnDelete")
		refuse(p.OfReady, "OfReady", "OnDelete")
	}
	return errs.Join()
}
