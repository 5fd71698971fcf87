// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Kind is the kind of a Deployment in owner references.
const Kind = "Deployment"

// kind returns the kind of the Deployment for actions: "" if it is Kubernetes' kind.
func (d *Deployment) kind() string { return emptyIfDefault(d.Kind, Kind) }

// setKind returns the kind of the ReplicaSets for actions: "" if it is Kubernetes' kind.
func (d *Deployment) setKind() string { return emptyIfDefault(d.ReplicaSetKind, replicaset.Kind) }

// withKind returns a text that begins with [Kind], but with the kind of the Deployment instead.
func (d *Deployment) withKind(text string) string {
	if d.kind() == "" {
		return text
	}
	return d.Kind + strings.TrimPrefix(text, Kind)
}

// rollbackKey returns the key of the annotation that requests a rollback, for actions: "" if it is
// Kubernetes' key.
func (in *input) rollbackKey() string {
	return emptyIfDefault(in.opts.Keys.Rollback, revision.AnnotationRollback)
}

func emptyIfDefault(value, defaultValue string) string {
	if value == defaultValue {
		return ""
	}
	return value
}

// selectsAll reports whether the selector is empty. Upstream plans nothing then, because the
// Deployment would adopt all orphans. By default only a selector with nil fields is empty; one with
// an empty map or list is not recognised, and selects all: see [quirk.EmptyMapSelectsAll].
func (in *input) selectsAll() bool {
	s := in.d.Selector
	if s == nil {
		return false
	}
	if in.opts.Repair.Has(quirk.EmptyMapSelectsAll) {
		return len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
	}
	return s.MatchLabels == nil && s.MatchExpressions == nil
}

// claim finds the ReplicaSets that the Deployment keeps or adopts, and the ReplicaSets that it
// releases, both oldest first. It adds an error for each invalid field of the ReplicaSets that the
// Deployment keeps or adopts, and for an invalid selector.
func (in *input) claim(errs *kplan.FieldErrors) {
	if in.selectsAll() {
		return
	}
	owner, err := in.owner()
	if err != nil {
		*errs = append(*errs, &kplan.FieldError{Path: "Deployment.Selector", Value: selector.Format(in.d.Selector), Detail: err.Error(), Err: err})
		return
	}
	if in.tracked != nil {
		for k := range in.tracked.relevant.Len() {
			in.claimSet(&owner, in.tracked.relevantAt(k), errs)
		}
	} else {
		for i := range in.namespaceSets {
			in.claimSet(&owner, &in.namespaceSets[i], errs)
		}
	}
	slices.SortFunc(in.sets, func(a, b set) int { return byCreation(a.rs, b.rs) })
	slices.SortFunc(in.released, byCreation)
}

// owner returns the Deployment as an owner of ReplicaSets, or an error if its selector is invalid.
func (in *input) owner() (owner claim.Owner, err error) {
	owner = claim.Owner{UID: in.d.UID, Deleting: in.deleting()}
	owner.Selector, err = selector.FromLabelSelector(in.d.Selector)
	return owner, err
}

// claimSet keeps, adopts or releases a ReplicaSet.
func (in *input) claimSet(owner *claim.Owner, rs *replicaset.ReplicaSet, errs *kplan.FieldErrors) {
	switch in.verdict(owner, rs) {
	case claim.Keep:
		in.sets = append(in.sets, checkedSet(rs, errs))
	case claim.Adopt:
		s := checkedSet(rs, errs)
		s.adopted = true
		in.sets = append(in.sets, s)
	case claim.Release:
		in.released = append(in.released, rs)
	}
}

// verdict decides whether to keep, adopt, release or ignore a ReplicaSet. A Deployment without a
// Selector keeps the ReplicaSets that it controls and ignores all others. So does a partitioned
// Deployment, but it also ignores ReplicaSets that are being deleted or that its Selector does not
// match.
func (in *input) verdict(owner *claim.Owner, rs *replicaset.ReplicaSet) claim.Verdict {
	if in.partitioned() {
		if rs.ControllerUID == in.d.UID && rs.DeletionTimestamp.IsZero() &&
			(in.d.Selector == nil || owner.Selector.Matches(rs.Labels)) {
			return claim.Keep
		}
		return claim.Ignore
	}
	if in.d.Selector == nil {
		if rs.ControllerUID == in.d.UID {
			return claim.Keep
		}
		return claim.Ignore
	}
	verdict := claim.Decide(owner, &claim.Child{
		Labels: rs.Labels, Deleting: !rs.DeletionTimestamp.IsZero(),
		ControllerKind: rs.ControllerKind, ControllerName: rs.ControllerName, ControllerUID: rs.ControllerUID,
	}).Verdict
	if verdict == claim.Adopt && !in.adopts(rs) {
		return claim.Ignore
	}
	return verdict
}

// adopts reports whether Options.Adoption allows the adoption of a ReplicaSet.
func (in *input) adopts(rs *replicaset.ReplicaSet) bool {
	switch in.opts.Adoption {
	case AdoptSameTemplate:
		return rs.Template.Same(in.d.Template)
	case AdoptNone:
		return false
	}
	return true
}
