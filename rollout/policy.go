// SPDX-License-Identifier: Apache-2.0

package rollout

import "github.com/kplan-go/kplan"

// A Policy selects rules for [Roll], [Step] and [Scale] that other projects have and Kubernetes
// does not. The zero Policy is Kubernetes. There is a field for each rule:
//
//	rule             effect                                                         projects
//	Together         a step grows the new set and shrinks old sets                  Cluster API, Agones
//	CountLarger      a set takes up max(wanted, there) pods of the surge            Cluster API
//	CountThere       a set takes up there pods of the surge                         machine-controller-manager, Agones
//	WorstCase        the minimum stays available, whichever pods are deleted        Cluster API
//	BreakDeadlock    a step without changes deletes a pod of the set of Deadlock    Cluster API
//	ScaleNewest      added replicas go to the new set, old sets do not grow         machine-controller-manager
//	ProtectedApart   the new set grows up to replicas - protected pods of old sets  Agones
//	WaitForNew       the new set keeps its size while there differs from wanted     Agones
//	FreezeOvershoot  the new set does not grow while more than replicas + surge     machine-controller-manager
//	                 pods exist
//	OnDelete         only pods beyond the replicas are deleted: see OnDelete        Cluster API
//	OfReady          a percentage of unavailable pods is taken of ready pods        Agones
//
// With CountThere alone, pods that a set wants and that do not exist yet take up nothing: only with
// WaitForNew no more pods exist than replicas + surge.
//
// [ClusterAPI], [MachineController] and [Agones] return the policies of these projects.
// [Policy.Valid] reports rules that exclude each other. The rules of a single set are the fields
// Least, Protected and Moves of [Set].
type Policy struct {
	Counting
	Together        bool `json:"together,omitzero"`        // one step of a rolling update grows the new set and shrinks old ones
	CountLarger     bool `json:"countLarger,omitzero"`     // a set takes up the larger of its wanted and existing pods: see [Policy.Existing]
	CountThere      bool `json:"countThere,omitzero"`      // a set takes up its existing pods: see [Policy.Existing]
	WorstCase       bool `json:"worstCase,omitzero"`       // available pods may be removed first: see [ShrinkWorstCase]
	ScaleNewest     bool `json:"scaleNewest,omitzero"`     // pods added when replicas change all go to the new set: see [Scale]
	WaitForNew      bool `json:"waitForNew,omitzero"`      // the new set keeps its size until exactly the pods that it wants exist
	FreezeOvershoot bool `json:"freezeOvershoot,omitzero"` // nothing is added while more pods exist than may be wanted
	BreakDeadlock   bool `json:"breakDeadlock,omitzero"`   // a step that would change nothing may delete one pod more than the budget allows: see [Deadlock]
	OnDelete        bool `json:"onDelete,omitzero"`        // old pods stay until a user deletes them: see [Step] and [OnDelete]
	OfReady         bool `json:"ofReady,omitzero"`         // a percentage of unavailable pods is taken of the ready pods, not of the replicas: see [Policy.Resolve]
}

// Valid returns an error for each rule that another one excludes, as a [kplan.FieldError] with the
// path of its field, such as "Policy.CountThere". The functions of this package accept such a
// policy, and ignore one of the two rules.
//
//	CountThere                            with CountLarger: both say which pods a set takes up
//	ProtectedApart                        with WorstCase or BreakDeadlock, which include protected pods
//	Together, CountLarger, CountThere,    with OnDelete: a user deletes old pods, and the budget
//	WorstCase, BreakDeadlock,             plays no part
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
