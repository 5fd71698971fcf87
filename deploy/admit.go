// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// admit checks, defaults, claims and orders a snapshot.
func (in *input) admit(s *Snapshot, now time.Time, opts *Options) error {
	in.d = s.Deployment
	in.opts = *opts
	in.pods, in.namespaceSets, in.newAt, in.now = s.Pods, s.ReplicaSets, -1, now.Round(0).UTC()
	var errs kplan.FieldErrors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	in.opts.Keys = opts.Keys.OrDefault()
	opts.admit(&errs)
	in.admitPolicies(&errs)
	in.admitDeployment(&errs)
	in.claim(&errs)
	in.resolveOfReady()
	in.tellApart(&errs)
	in.findNew()
	in.admitPods(&errs)
	return errs.Join()
}

// admit rejects quirks and policies that do not exist.
func (o *Options) admit(errs *kplan.FieldErrors) {
	if beyond := o.Repair &^ quirk.All; beyond != 0 {
		errs.Add("Options.Repair", uint64(beyond), "must have no bits beyond quirk.All")
	}
	if keys := o.Keys.Errors("Options.Keys"); len(keys) > 0 {
		*errs = append(*errs, keys...)
	}
	switch o.Terminating {
	case TerminationStarted, TerminationComplete, TerminationKnown:
	default:
		errs.Add("Options.Terminating", string(o.Terminating), "must be TerminationComplete or TerminationKnown, or unset")
	}
	switch o.Paused {
	case PausedFill, PausedScale, PausedFreeze:
	default:
		errs.Add("Options.Paused", string(o.Paused), "must be Scale or Freeze, or unset")
	}
	switch o.Adoption {
	case AdoptAll, AdoptSameTemplate, AdoptNone:
	default:
		errs.Add("Options.Adoption", string(o.Adoption), "must be SameTemplate or None, or unset")
	}
	switch o.Leftover {
	case LeftoverDefault, LeftoverLargest, LeftoverNewest:
	default:
		errs.Add("Options.Leftover", string(o.Leftover), "must be Largest or Newest, or unset")
	}
}

func (in *input) admitDeployment(errs *kplan.FieldErrors) {
	d := &in.d
	if d.Name == "" {
		errs.Add("Deployment.Name", "", "must be set")
	}
	if d.UID == "" {
		errs.Add("Deployment.UID", "", "must be set, because it decides which ReplicaSets belong to the Deployment")
	}
	number := func(path string, value *int32, unset int32) int32 {
		if value == nil {
			return unset
		}
		errs.NotNegative(path, *value)
		return *value
	}
	in.replicas = number("Deployment.Replicas", d.Replicas, 1)
	in.deadline = number("Deployment.ProgressDeadlineSeconds", d.ProgressDeadlineSeconds, NoLimit)
	in.historyLimit = number("Deployment.RevisionHistoryLimit", d.RevisionHistoryLimit, NoLimit)
	errs.NotNegative("Deployment.MinReadySeconds", d.MinReadySeconds)
	in.admitStrategy(errs)
}

func (in *input) admitStrategy(errs *kplan.FieldErrors) {
	d := &in.d
	if d.Partitioned != nil {
		in.admitPartitioned(errs)
		return
	}
	switch d.Strategy {
	case "", RollingUpdate:
		if d.MaxSurge.IsNegative() {
			errs.Add("Deployment.MaxSurge", d.MaxSurge.String(), "must not be negative")
		}
		if d.MaxUnavailable.IsNegative() {
			errs.Add("Deployment.MaxUnavailable", d.MaxUnavailable.String(), "must not be negative")
		}
		resolve := rollout.Resolve
		if in.opts.Repair.Has(quirk.SumsWrapAround) {
			resolve = rollout.ResolveExact
		}
		in.budget = resolve(in.replicas, d.MaxSurge, d.MaxUnavailable)
	case Recreate:
		in.budget = rollout.Budget{Replicas: in.replicas}
	default:
		errs.Add("Deployment.Strategy", string(d.Strategy), "must be RollingUpdate or Recreate")
	}
}

// styleCanary is the rolling style without a partition: pods of the new template belong to
// a separate Deployment.
const styleCanary = "Canary"

// admitPartitioned checks the strategy of a partitioned Deployment. From here on the
// Deployment looks like the rolling update that it is: while it is controlled, its
// own strategy is Recreate and it is paused, so that the native controller leaves it
// alone. Its history is not cleaned up.
func (in *input) admitPartitioned(errs *kplan.FieldErrors) {
	d, p := &in.d, in.d.Partitioned
	switch d.Strategy {
	case "", RollingUpdate, Recreate:
		d.Strategy = RollingUpdate
	default:
		errs.Add("Deployment.Strategy", string(d.Strategy), "must be RollingUpdate or Recreate")
	}
	if p.RollingStyle == styleCanary {
		errs.Add("Deployment.Partitioned.RollingStyle", p.RollingStyle, "must not be Canary: its new pods belong to another Deployment")
	}
	if ru := p.RollingUpdate; ru != nil {
		if ru.MaxSurge.IsNegative() {
			errs.Add("Deployment.Partitioned.RollingUpdate.MaxSurge", ru.MaxSurge.String(), "must not be negative")
		}
		if ru.MaxUnavailable.IsNegative() {
			errs.Add("Deployment.Partitioned.RollingUpdate.MaxUnavailable", ru.MaxUnavailable.String(), "must not be negative")
		}
	}
	d.Paused = p.Paused
	in.historyLimit = NoLimit
	in.budget = partition.Budget(in.replicas, p.RollingUpdate, in.opts.Repair.Has(quirk.SumsWrapAround))
}

// tellApart checks that no two ReplicaSets that the Deployment keeps, adopts or releases have the
// same identity.
func (in *input) tellApart(errs *kplan.FieldErrors) {
	n := len(in.sets)
	if s := in.sets; n == 2 && len(in.released) == 0 && s[0].rs.Name != s[1].rs.Name && s[0].rs.UID != s[1].rs.UID {
		return // the common case
	}
	field.Unique(errs, "ReplicaSets", n+len(in.released), func(i int) (name, uid string, counts bool) {
		if i < n {
			return in.sets[i].rs.Name, in.sets[i].rs.UID, true
		}
		return in.released[i-n].Name, in.released[i-n].UID, true
	})
}

// checkedSet returns the set of a ReplicaSet, and adds an error for each field that cannot be used.
func checkedSet(rs *replicaset.ReplicaSet, errs *kplan.FieldErrors) set {
	size := int32(1)
	if rs.Replicas != nil {
		size = *rs.Replicas
	}
	if rs.Name == "" || rs.UID == "" || size < 0 {
		path := kplan.ElementPath("ReplicaSets", rs.Name)
		if rs.Name == "" {
			errs.Add(path+".Name", "", "must be set")
		}
		if rs.UID == "" {
			errs.Add(path+".UID", "", "must be set")
		}
		errs.NotNegative(path+".Replicas", size)
	}
	return set{rs: rs, size: size}
}

// findNew finds the new ReplicaSet, the oldest with the Deployment's template, and the next
// revision, one more than the highest of the old ones.
func (in *input) findNew() {
	highest := int64(0)
	for i := range in.sets {
		if in.newAt < 0 && in.sets[i].rs.Template.Same(in.d.Template) {
			in.newAt = i
			continue
		}
		if n, err := in.opts.Keys.Number(in.sets[i].rs.Annotations); err == nil {
			highest = max(highest, n)
		}
	}
	in.nextRevision = highest + 1 // which wraps around, as upstream's does
}

// byCreation orders ReplicaSets oldest first. An unset time is the oldest.
func byCreation(a, b *replicaset.ReplicaSet) int {
	if c := a.CreationTimestamp.Compare(b.CreationTimestamp); c != 0 {
		return c
	}
	return cmp.Compare(a.Name, b.Name)
}

// admitPolicies rejects invalid policies. A Deployment that is rolled by partition has none.
func (in *input) admitPolicies(errs *kplan.FieldErrors) {
	o := &in.opts
	var none rollout.Policy
	if o.Policy == none && len(o.Sets) == 0 {
		in.policy = withRepairs(rollout.Policy{}, o.Repair)
		return
	}
	repaired := func(name string, set bool) {
		if set {
			errs.Add("Options.Policy."+name, true, "must be unset: Options.Repair says that")
		}
	}
	repaired("ExactSums", o.Policy.ExactSums)
	repaired("ExactProducts", o.Policy.ExactProducts)
	repaired("CapAvailable", o.Policy.CapAvailable)
	repaired("CapOld", o.Policy.CapOld)
	errs.AddBelow("Options", o.Policy.Valid())
	for name, s := range o.Sets {
		errs.NotNegative(kplan.ElementPath("Options.Sets", name)+".Least", s.Least)
		errs.NotNegative(kplan.ElementPath("Options.Sets", name)+".Protected", s.Protected)
	}
	if in.partitioned() {
		o.Policy, o.Sets = rollout.Policy{}, nil
	}
	in.hasPolicies = o.Policy != rollout.Policy{} || len(o.Sets) > 0
	in.policy = withRepairs(o.Policy, o.Repair)
}

// resolveOfReady resolves the limits again if they are shares of ready pods.
func (in *input) resolveOfReady() {
	if !in.policy.OfReady || in.d.Strategy == Recreate {
		return
	}
	ready := int64(0)
	for i := range in.sets {
		ready += int64(in.sets[i].status().ReadyReplicas)
	}
	exact := rollout.Counting{ExactSums: true}
	b := in.policy.Resolve(in.replicas, exact.Size(ready), in.d.MaxSurge, in.d.MaxUnavailable)
	b.Unavailable = min(b.Unavailable, in.replicas)
	in.budget = b
}
