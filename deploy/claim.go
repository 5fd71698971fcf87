// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Kind is the kind of a Deployment in an owner reference.
const Kind = "Deployment"

// kind returns the kind of the Deployment, and setKind that of its ReplicaSets, or "" if they
// are those of Kubernetes.
func (d *Deployment) kind() string { return unless(d.Kind, Kind) }

func (d *Deployment) setKind() string { return unless(d.ReplicaSetKind, replicaset.Kind) }

// says returns what is said of the Deployment, by its own kind.
func (d *Deployment) says(text string) string {
	if d.kind() == "" {
		return text
	}
	return d.Kind + strings.TrimPrefix(text, Kind)
}

// rollbackKey returns the key of a request for a rollback, or "" if it is that of Kubernetes.
func (in *input) rollbackKey() string {
	return unless(in.opts.Keys.Rollback, revision.AnnotationRollback)
}

func unless(kind, usual string) string {
	if kind == usual {
		return ""
	}
	return kind
}

// selectsAll reports whether the selector is empty, which upstream takes for a
// mistake: a Deployment would adopt whatever has no controller. By default only a
// selector without any part counts as empty, and one with an empty map of labels
// does not: see [EmptyMapSelectsAll].
func (in *input) selectsAll() bool {
	s := in.d.Selector
	if s == nil {
		return false
	}
	if in.opts.Repair.Has(EmptyMapSelectsAll) {
		return len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
	}
	return s.MatchLabels == nil && s.MatchExpressions == nil
}

// claim keeps, adopts and releases ReplicaSets, and checks those that are
// the Deployment's.
func (in *input) claim(errs *field.Errors) {
	if in.selectsAll() {
		return
	}
	owner, err := in.owner()
	if err != nil {
		*errs = append(*errs, &kplan.FieldError{Path: "Deployment.Selector", Value: selector.Format(in.d.Selector), Detail: err.Error(), Err: err})
		return
	}
	if in.tracked != nil {
		for k := range in.tracked.near.Len() {
			in.claimSet(&owner, in.tracked.nearAt(k), errs)
		}
	} else {
		for i := range in.namespaceSets {
			in.claimSet(&owner, &in.namespaceSets[i], errs)
		}
	}
	slices.SortFunc(in.sets, func(a, b set) int { return byCreation(a.rs, b.rs) })
	slices.SortFunc(in.released, byCreation)
}

// owner returns the Deployment as an owner of ReplicaSets. The error is why its selector
// cannot be compiled.
func (in *input) owner() (owner claim.Owner, err error) {
	owner = claim.Owner{UID: in.d.UID, Deleting: in.deleting()}
	owner.Selector, err = selector.FromLabelSelector(in.d.Selector)
	return owner, err
}

// claimSet keeps, adopts or releases a ReplicaSet.
func (in *input) claimSet(owner *claim.Owner, rs *replicaset.ReplicaSet, errs *field.Errors) {
	switch in.verdict(owner, rs) {
	case claim.Keep:
		in.sets = append(in.sets, admitReplicaSet(rs, false, errs))
	case claim.Adopt:
		in.sets = append(in.sets, admitReplicaSet(rs, true, errs))
	case claim.Release:
		in.released = append(in.released, rs)
	}
}

// verdict returns what becomes of a ReplicaSet. Without a selector, what the
// Deployment controls is kept and everything else ignored. A partitioned Deployment
// neither adopts nor releases, and one of its own that is being deleted is none of
// its own.
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

// adopts reports whether the policy allows to adopt a ReplicaSet.
func (in *input) adopts(rs *replicaset.ReplicaSet) bool {
	switch in.opts.Adoption {
	case AdoptSameTemplate:
		return rs.Template.Same(in.d.Template)
	case AdoptNone:
		return false
	}
	return true
}
