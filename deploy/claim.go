package deploy

import (
	"slices"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Kind is the kind of a Deployment in an owner reference.
const Kind = "Deployment"

// selectsAll reports whether the selector is empty, which upstream takes for a
// mistake: a Deployment would adopt whatever has no controller. By default only a
// selector without any part counts as empty, and one with an empty map of labels
// does not: see [EmptyMapSelectsAll].
func (st *state) selectsAll() bool {
	s := st.d.Selector
	if s == nil {
		return false
	}
	if st.opts.Repair.Has(EmptyMapSelectsAll) {
		return len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
	}
	return s.MatchLabels == nil && s.MatchExpressions == nil
}

// refuse plans the pass of a Deployment that selects everything: none.
func (st *state) refuse() {
	st.event(nowhere, "Warning", "SelectingAll", "This deployment is selecting all pods. A non-empty selector is required.")
	st.hold("", ReasonSelectingAll, 0, 0)
	st.keepStatus()
	st.plan.Status.ObservedGeneration = max(st.plan.Status.ObservedGeneration, st.d.Generation)
}

// claim keeps, adopts and releases ReplicaSets, and checks those that are
// the Deployment's.
func (st *state) claim(errs *field.Errors) {
	if st.selectsAll() {
		return
	}
	owner := claim.Owner{UID: st.d.UID, Deleting: st.deleting()}
	var err error
	if owner.Selector, err = selector.FromLabelSelector(st.d.Selector); err != nil {
		*errs = append(*errs, &field.Error{Path: "Deployment.Selector", Value: selector.Format(st.d.Selector), Detail: err.Error(), Err: err})
		return
	}
	owned := 0 // few others are adopted
	for i := range st.namespaceSets {
		if st.namespaceSets[i].ControllerUID == st.d.UID {
			owned++
		}
	}
	st.sets = make([]set, 0, owned)
	var out []*replicaset.ReplicaSet
	for i := range st.namespaceSets {
		rs := &st.namespaceSets[i]
		switch st.decide(&owner, rs) {
		case claim.Keep:
			st.sets = append(st.sets, admitReplicaSet(rs, false, errs))
		case claim.Adopt:
			st.sets = append(st.sets, admitReplicaSet(rs, true, errs))
		case claim.Release:
			out = append(out, rs)
		}
	}
	slices.SortFunc(st.sets, func(a, b set) int { return byCreation(a.rs, b.rs) })
	slices.SortFunc(out, byCreation)
	st.emitClaims(out)
}

// decide returns what becomes of a ReplicaSet. Without a selector, what the
// Deployment controls is kept and everything else ignored. A partitioned Deployment
// neither adopts nor releases, and one of its own that is being deleted is none of
// its own.
func (st *state) decide(owner *claim.Owner, rs *replicaset.ReplicaSet) claim.Verdict {
	if st.partitioned() {
		if rs.ControllerUID == st.d.UID && rs.DeletionTimestamp.IsZero() &&
			(st.d.Selector == nil || owner.Selector.Matches(rs.Labels)) {
			return claim.Keep
		}
		return claim.Ignore
	}
	if st.d.Selector == nil {
		if rs.ControllerUID == st.d.UID {
			return claim.Keep
		}
		return claim.Ignore
	}
	verdict := claim.Decide(owner, &claim.Child{
		Labels: rs.Labels, Deleting: !rs.DeletionTimestamp.IsZero(),
		ControllerKind: rs.ControllerKind, ControllerName: rs.ControllerName, ControllerUID: rs.ControllerUID,
	}).Verdict
	if verdict == claim.Adopt && !st.adopts(rs) {
		return claim.Ignore
	}
	return verdict
}

// adopts reports whether the policy allows to adopt a ReplicaSet.
func (st *state) adopts(rs *replicaset.ReplicaSet) bool {
	switch st.opts.Adoption {
	case AdoptSameTemplate:
		return rs.Template.Same(st.d.Template)
	case AdoptNone:
		return false
	}
	return true
}

// emitClaims puts adoptions and releases, oldest first, in front of the plan. They
// are made whatever comes after them.
func (st *state) emitClaims(released []*replicaset.ReplicaSet) {
	for i := range st.sets {
		if rs := st.sets[i].rs; st.sets[i].adopted {
			st.act(AdoptReplicaSet{Name: rs.Name, UID: rs.UID, Reason: ReasonOrphan})
		}
	}
	for _, rs := range released {
		st.act(ReleaseReplicaSet{Name: rs.Name, UID: rs.UID, Reason: ReasonNoMatch})
	}
}
