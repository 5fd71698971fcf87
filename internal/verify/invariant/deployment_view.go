// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A deploymentView holds the values that the checks of a pass compute from its snapshot, with exact
// arithmetic and without code of the planner.
type deploymentView struct {
	p        *DeploymentPass
	d        *deploy.Deployment
	sets     []*replicaset.ReplicaSet // owned or adopted, oldest first
	newest   *replicaset.ReplicaSet   // the oldest with the template, or nil
	old      []*replicaset.ReplicaSet
	replicas int64
	surge    int64
	// unavailable is the number of pods that may be unavailable. Both limits are cut to 32 bits,
	// which no number of pods exceeds.
	unavailable int64

	stopped  bool // the selector selects everything, and the pass does nothing
	deleting bool
	paused   bool
	recreate bool
	rollback bool // a rollback is requested
	scaling  bool // an active set is annotated with other replicas
	// wraps is set if a sum or product does not fit in 32 bits (quirk.ProductsWrapAround,
	// quirk.SumsWrapAround).
	wraps bool
	// beyond is set if a limit or the sum of all sizes does not fit in 32 bits
	// (quirk.SumsWrapAround).
	beyond bool
	// odd is set if a set reports more available pods than its size, or negative counts
	// (quirk.StatusAheadStopsCleanup, quirk.ExcessAvailableCounts).
	odd bool
}

func viewOf(p *DeploymentPass) *deploymentView {
	if v, ok := p.memo.(*deploymentView); ok && v.p == p {
		return v
	}
	v := &deploymentView{p: p, d: &p.Snapshot.Deployment}
	v.readSpec()
	v.claim()
	v.measure()
	p.memo = v
	return v
}

func (v *deploymentView) readSpec() {
	d := v.d
	v.replicas, v.deleting, v.paused = orOne(d.Replicas), !d.DeletionTimestamp.IsZero(), d.Paused
	surge, unavailable := d.MaxSurge, d.MaxUnavailable
	v.recreate = d.Strategy == deploy.Recreate
	if part := d.Partitioned; part != nil {
		v.paused, v.recreate = part.Paused, false
		surge, unavailable = rollout.Int(0), rollout.Int(0)
		if part.RollingUpdate != nil {
			surge, unavailable = part.RollingUpdate.MaxSurge, part.RollingUpdate.MaxUnavailable
		}
	}
	if v.recreate {
		v.unavailable = v.replicas
	} else {
		v.surge, v.unavailable = amount(surge, v.replicas, true), amount(unavailable, v.replicas, false)
		if v.surge == 0 && v.unavailable == 0 && (d.Partitioned == nil || d.Partitioned.RollingUpdate != nil) {
			v.unavailable = 1
		}
	}
	v.wraps = leaves32(v.surge) || leaves32(v.unavailable) || leaves32(v.replicas+v.surge)
	v.beyond = leaves32(v.surge) || leaves32(v.unavailable)
	v.surge, v.unavailable = min(v.surge, math.MaxInt32), min(v.unavailable, v.replicas)
	if text, ok := d.Annotations[revision.AnnotationRollback]; ok && d.Partitioned == nil {
		_, err := strconv.ParseInt(text, 10, 64)
		v.rollback = err == nil
	}
}

// claim finds the sets that the Deployment owns or adopts.
func (v *deploymentView) claim() {
	d := v.d
	if s := d.Selector; s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		v.stopped = v.p.Options.Repair.Has(quirk.EmptyMapSelectsAll) || s.MatchLabels == nil && s.MatchExpressions == nil
	}
	compiled, err := selector.FromLabelSelector(d.Selector)
	if v.stopped = v.stopped || err != nil; v.stopped {
		return
	}
	for i := range v.p.Snapshot.ReplicaSets {
		rs := &v.p.Snapshot.ReplicaSets[i]
		matches := d.Selector == nil || compiled.Matches(rs.Labels)
		leaving := !rs.DeletionTimestamp.IsZero()
		switch {
		case rs.ControllerUID == d.UID:
			if matches && !(leaving && d.Partitioned != nil) || v.deleting && d.Partitioned == nil && matches {
				v.sets = append(v.sets, rs)
			}
		case rs.ControllerUID == "" && d.Selector != nil && matches && !leaving && !v.deleting && d.Partitioned == nil && v.adopts(rs):
			v.sets = append(v.sets, rs)
		}
	}
	slices.SortFunc(v.sets, func(a, b *replicaset.ReplicaSet) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
	})
}

func (v *deploymentView) adopts(rs *replicaset.ReplicaSet) bool {
	switch v.p.Options.Adoption {
	case deploy.AdoptNone:
		return false
	case deploy.AdoptSameTemplate:
		return rs.Template.ID == v.d.Template.ID
	}
	return true
}

func (v *deploymentView) measure() {
	total := int64(0)
	for _, rs := range v.sets {
		size := sizeOf(rs)
		total += size
		if rs.Template.ID == v.d.Template.ID && v.newest == nil {
			v.newest = rs
		} else {
			v.old = append(v.old, rs)
		}
		if desired, ok := v.number(rs.Annotations[revision.AnnotationDesired]); ok && size > 0 && desired != v.replicas {
			v.scaling = true
		}
		v.wraps = v.wraps || leaves32(total) || leaves32(size*(v.replicas+v.surge)) && v.proportional()
		v.odd = v.odd || int64(rs.Status.AvailableReplicas) > size || rs.Status.AvailableReplicas < 0 || rs.Status.Replicas < 0
	}
	v.wraps, v.beyond = v.wraps || leaves32(total+v.replicas), v.beyond || leaves32(total)
}

// proportional reports whether the pass may multiply sizes.
func (v *deploymentView) proportional() bool { return len(v.sets) > 1 && !v.recreate }

// number reads a size from an annotation: decimal digits within 31 bits.
func number(text string) (int64, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int64(n), err == nil
}

// number parses a size as the Deployment's controller does. OpenKruise's controller of partitioned
// Deployments accepts any number, and cuts it to 32 bits.
func (v *deploymentView) number(text string) (int64, bool) {
	if v.d.Partitioned == nil || v.p.Options.Repair.Has(quirk.LenientSizeAnnotations) {
		return number(text)
	}
	n, err := strconv.Atoi(text)
	return int64(int32(n)), err == nil
}

// rolls reports whether the pass drives a rolling update.
func (v *deploymentView) rolls() bool {
	return !v.stopped && !v.deleting && !v.paused && !v.rollback && !v.scaling && !v.recreate
}

// scales reports whether the pass distributes replicas among several active sets.
func (v *deploymentView) scales() bool {
	return !v.stopped && !v.deleting && (v.paused || !v.rollback && v.scaling) && !v.recreate && len(v.active()) > 1
}

func (v *deploymentView) active() (list []*replicaset.ReplicaSet) {
	for _, rs := range v.sets {
		if sizeOf(rs) > 0 {
			list = append(list, rs)
		}
	}
	return list
}

// scaledForFewer reports whether a set was last scaled for fewer pods than there are now, so that
// upstream computes a share above the whole (quirk.ScalingLosesShares).
func (v *deploymentView) scaledForFewer() bool {
	total := sum(v.sizes(nil))
	return v.scales() && slices.ContainsFunc(v.active(), func(rs *replicaset.ReplicaSet) bool {
		base, ok := number(rs.Annotations[revision.AnnotationMax])
		return !ok || base < total
	})
}

// excused reports whether a known defect explains a violation: only without all repairs, and if the
// pass is not strict.
func (v *deploymentView) excused(shows bool) bool {
	return !v.p.Strict && v.p.Options.Repair != quirk.All && (v.beyond || shows)
}

func (v *deploymentView) most() int64  { return v.replicas + v.surge }
func (v *deploymentView) least() int64 { return v.replicas - v.unavailable }

// sizes returns the size of each set of the Deployment after some of the actions.
func (v *deploymentView) sizes(actions []deploy.Action) map[string]int64 {
	sizes := map[string]int64{}
	for _, rs := range v.sets {
		sizes[rs.Name] = sizeOf(rs)
	}
	for _, a := range actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			sizes[a.Name] = int64(a.Replicas)
		case deploy.ScaleReplicaSet:
			sizes[a.Name] = int64(a.To)
		case deploy.DeleteReplicaSet:
			delete(sizes, a.Name)
		}
	}
	return sizes
}

func sum(sizes map[string]int64) (n int64) {
	for _, size := range sizes {
		n += size
	}
	return n
}

// available returns the least number of available pods with these sizes, if sets remove unavailable
// pods first.
func (v *deploymentView) available(sizes map[string]int64) (n int64) {
	for _, rs := range v.sets {
		n += between(int64(rs.Status.AvailableReplicas), 0, min(sizeOf(rs), sizes[rs.Name]))
	}
	return n
}

func hasDeployment[A deploy.Action](p *DeploymentPass) bool {
	return slices.ContainsFunc(p.Plan.Actions, func(a deploy.Action) bool { _, ok := a.(A); return ok })
}
