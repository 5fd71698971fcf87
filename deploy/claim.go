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
	var c claimer
	if err := c.prepare(in); err != nil {
		*errs = append(*errs, &kplan.FieldError{Path: "Deployment.Selector", Value: selector.Format(in.d.Selector), Detail: err.Error(), Err: err})
		return
	}
	if in.tracked != nil {
		in.claimTracked(&c, errs)
	} else {
		in.claimAll(&c, errs)
	}
	for i := 1; i < len(in.sets); i++ {
		if byCreation(in.sets[i-1].rs, in.sets[i].rs) > 0 { // which a list of two seldom needs
			in.sets = byAge(in.sets)
			break
		}
	}
	if len(in.released) > 1 {
		slices.SortFunc(in.released, byCreation)
	}
}

// byAge returns sets, the oldest first. Pointers are sorted, since all kinds of them share one copy
// of the code that sorts.
func byAge(sets []set) []set {
	order := make([]*set, len(sets))
	for i := range sets {
		order[i] = &sets[i]
	}
	slices.SortFunc(order, func(a, b *set) int { return byCreation(a.rs, b.rs) })
	sorted := make([]set, len(sets))
	for i, s := range order {
		sorted[i] = *s
	}
	return sorted
}

// owner returns the Deployment as an owner of ReplicaSets. The error is why its selector
// cannot be compiled.
func (in *input) owner() (owner claim.Owner, err error) {
	owner = claim.Owner{UID: in.d.UID, Deleting: in.deleting()}
	owner.Selector, err = selector.FromLabelSelector(in.d.Selector)
	return owner, err
}

// A claimer is what decides whose ReplicaSets are. Most Deployments keep all that they have, by
// a label or two: these are compared, and nothing is compiled.
type claimer struct {
	keys, values [few]string // of the labels that the selector asks for, and for nothing else
	n            int         // how many these are, or 0
	owner        claim.Owner // without these, or once there is a ReplicaSet that is not kept
}

func (c *claimer) prepare(in *input) (err error) {
	if s := in.d.Selector; s != nil && len(s.MatchExpressions) == 0 && len(s.MatchLabels) <= few && in.d.UID != "" && !in.partitioned() {
		for key, value := range s.MatchLabels {
			if selector.ValidateKey(key) == nil && selector.ValidateValue(value) == nil {
				c.keys[c.n], c.values[c.n] = key, value
				c.n++
			}
		}
		if c.n > 0 && c.n == len(s.MatchLabels) {
			return nil
		}
	}
	c.n = 0
	c.owner, err = in.owner()
	return err
}

func (in *input) claimAll(c *claimer, errs *field.Errors) {
	in.reserve(len(in.namespaceSets))
	for i := range in.namespaceSets {
		in.claimSet(c, &in.namespaceSets[i], errs)
	}
}

// reserve has room for the sets that are claimed of n.
func (in *input) reserve(n int) {
	in.sets = in.memory.sets[:0]
	if n <= len(in.memory.sets) {
		return
	}
	if in.tracked == nil {
		n = 0 // few are adopted of those of the namespace that it does not control
		for i := range in.namespaceSets {
			if in.namespaceSets[i].ControllerUID == in.d.UID {
				n++
			}
		}
	}
	in.sets = make([]set, 0, n)
}

func (in *input) claimTracked(c *claimer, errs *field.Errors) {
	n := in.tracked.near.Len()
	in.reserve(n)
	for k := range n {
		in.claimSet(c, in.tracked.nearAt(k), errs)
	}
}

func (in *input) claimSet(c *claimer, rs *replicaset.ReplicaSet, errs *field.Errors) {
	keeps := c.n > 0 && rs.ControllerUID == in.d.UID
	for i := 0; keeps && i < c.n; i++ {
		value, ok := rs.Labels[c.keys[i]]
		keeps = ok && value == c.values[i]
	}
	verdict := claim.Keep
	if !keeps {
		if c.n > 0 && c.owner.UID == "" {
			c.owner, _ = in.owner() // of labels that are valid
		}
		verdict = in.verdict(&c.owner, rs)
	}
	switch verdict {
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
