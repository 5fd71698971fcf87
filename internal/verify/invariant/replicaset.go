// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"cmp"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector"
)

// replicaSet returns the invariants of ReplicaSets.
func replicaSet() []Invariant {
	pass := func(f func(*ReplicaSetPass) []string) []check { return []check{on[ReplicaSetPass](f)} }
	return []Invariant{
		{Name: "exact difference", Title: "exactly the difference is created or deleted, up to the burst, and never both", Source: "upstream: manageReplicas", checks: pass(exactDifference)},
		{Name: "slow start", Title: "batches of creations double, add up, and stop at the first failure", Source: "upstream: slowStartBatch", checks: []check{on[SlowStart](slowStart)}},
		{Name: "own active pods only", Title: "only active pods of the ReplicaSet are deleted, each once", Source: "upstream: getPodsToDelete", checks: pass(ownActivePodsOnly)},
		{Name: "no surplus deletion", Title: "no more pods are deleted than the surplus", Source: "upstream: manageReplicas", checks: pass(noSurplusDeletion)},
		{Name: "expectations count down", Title: "expectations count down to nothing", Source: "upstream: ControllerExpectations", checks: []check{on[Expecting](expectationsCountDown)}},
		{Name: "adoption and release", Title: "matching orphans are adopted, own pods that do not match are released, and no others", Source: "upstream: ClaimPods", checks: pass(adoptionAndRelease)},
		{Name: "one controller per pod", Title: "a pod has at most one controller", Source: "kubernetes#24152", checks: append(pass(oneControllerPerPod), on[ReplicaSetChange](oneControllerPerPodChange))},
		{Name: "finished pods do not count", Title: "finished pods do not count", Source: "upstream: FilterActivePods", checks: pass(finishedPodsDoNotCount)},
		{Name: "ReplicaSet status recount", Title: "the status is a recount: replicas ≥ labelled, replicas ≥ ready ≥ available", Source: "upstream: calculateStatus", checks: pass(replicaSetStatusRecount)},
		{Name: "deleting ReplicaSet rests", Title: "a ReplicaSet that is being deleted creates and deletes nothing", Source: "upstream: syncReplicaSet", checks: pass(deletingReplicaSetRests)},
		{Name: "availability instant", Title: "pods become available exactly at their time, and the plan has the next time", Source: "kubernetes#39785",
			Corrected: true, Defects: []string{"replicaset.RecheckWithoutReadyTime"}, checks: pass(availabilityInstant)},
		{Name: "ReplicaFailure condition", Title: "ReplicaFailure is reported if and only if a creation or deletion has failed", Source: "upstream: calculateStatus",
			Corrected: true, Defects: []string{"replicaset.WaitingRemovesFailure"}, checks: append(pass(replicaFailureConditionPass), on[Finished](replicaFailureCondition))},
	}
}

// A setPods holds the pods of a ReplicaSet, computed from labels and owners alone.
type setPods struct {
	own, adopt, release    []*podorder.Pod // own pods are active and selected
	active, labelled       int64
	ready, available       int64
	terminating            int64
	next                   time.Time // time when the next ready pod becomes available
	timeless               bool      // a ready pod has no ready time
	mine                   map[string]bool
	unselectable, deleting bool
}

func podsOfSet(s *replicaset.Snapshot, o replicaset.Options, now time.Time) setPods {
	rs := &s.ReplicaSet
	c := setPods{mine: map[string]bool{}, deleting: !rs.DeletionTimestamp.IsZero()}
	compiled, err := selector.FromLabelSelector(rs.Selector)
	anyones := o.Dialect == replicaset.Kubernetes15WithoutGarbageCollector
	if c.unselectable = err != nil || anyones && rs.Selector == nil; c.unselectable {
		return c
	}
	for i := range s.Pods {
		p := &s.Pods[i]
		owned := anyones && compiled.Matches(p.Labels) || !anyones && p.ControllerUID == rs.UID && p.ControllerUID != "" && ownedBy(p, rs)
		matches := rs.Selector == nil && owned || rs.Selector != nil && compiled.Matches(p.Labels)
		ended := p.Phase == podorder.Succeeded || p.Phase == podorder.Failed
		switch {
		case owned && matches && !ended && !p.DeletionTimestamp.IsZero():
			c.terminating++
		case !runs(p):
		case owned && matches:
			c.own = append(c.own, p)
		case owned && (!c.deleting || o.Dialect == replicaset.Kubernetes15):
			c.release = append(c.release, p)
		case p.ControllerUID == "" && rs.Selector != nil && matches && !c.deleting && !anyones:
			c.adopt = append(c.adopt, p)
		}
	}
	for _, p := range slices.Concat(c.own, c.adopt) {
		c.count(p, rs, o, now)
	}
	return c
}

// ownedBy compares the fields of an owner reference other than the UID, as far as they are set.
func ownedBy(p *podorder.Pod, rs *replicaset.ReplicaSet) bool {
	kind := cmp.Or(rs.Kind, replicaset.Kind)
	return cmp.Or(p.ControllerKind, kind) == kind && cmp.Or(p.ControllerName, rs.Name) == rs.Name
}

func is15(o replicaset.Options) bool {
	return o.Dialect == replicaset.Kubernetes15 || o.Dialect == replicaset.Kubernetes15WithoutGarbageCollector
}

func (c *setPods) count(p *podorder.Pod, rs *replicaset.ReplicaSet, o replicaset.Options, now time.Time) {
	c.active++
	c.mine[p.Name] = true
	if says(&selector.LabelSelector{MatchLabels: rs.TemplateLabels}, p.Labels) {
		c.labelled++
	}
	if !p.Ready {
		return
	}
	c.ready++
	strict := is15(o)
	if availableAt(p, rs.MinReadySeconds, now, strict) {
		c.available++
		return
	}
	if p.ReadySince.IsZero() {
		c.timeless = true
		return
	}
	at := p.ReadySince.Add(time.Duration(rs.MinReadySeconds) * time.Second)
	if strict {
		at = at.Add(1)
	}
	if c.next.IsZero() || at.Before(c.next) {
		c.next = at
	}
}

func created(p *replicaset.Plan) (n int64) {
	for _, a := range p.Actions {
		if a, ok := a.(replicaset.CreatePods); ok {
			n += int64(a.Count)
		}
	}
	return n
}

func deletedNames(p *replicaset.Plan) (names []string) {
	for _, a := range p.Actions {
		if a, ok := a.(replicaset.DeletePod); ok {
			names = append(names, a.Name)
		}
	}
	return names
}

func burstOf(o replicaset.Options) int64 {
	if o.Burst == 0 {
		return 500
	}
	return int64(o.Burst)
}

func replicaSetWithin(p *ReplicaSetPass, after *replicaset.Snapshot, slack int64) []string {
	before := podsOfSet(&p.Snapshot, p.Options, p.Now)
	now := podsOfSet(after, p.Options, p.Now)
	wanted := sizeOf(&p.Snapshot.ReplicaSet)
	l := list(nil)
	l.addIf(now.active > max(before.active, wanted)+slack, "%d active pods, at most max(%d, %d)+%d", now.active, before.active, wanted, slack)
	l.addIf(now.active < min(before.active, wanted)-slack, "%d active pods, at least min(%d, %d)-%d", now.active, before.active, wanted, slack)
	return l
}

func exactDifference(p *ReplicaSetPass) []string {
	c := podsOfSet(&p.Snapshot, p.Options, p.Now)
	missing := sizeOf(&p.Snapshot.ReplicaSet) - c.active
	if c.unselectable || c.deleting || waiting(&p.Snapshot.Expectations, p.Now) {
		missing = 0
	}
	create, remove := max(0, missing), max(0, -missing)
	if p.Options.Terminating == replicaset.ReplaceTerminated {
		create = max(0, create-c.terminating)
	}
	create, remove = min(create, burstOf(p.Options)), min(remove, burstOf(p.Options))
	protected := slices.ContainsFunc(p.Plan.Holds, func(h kplan.Hold) bool { return h.Reason == reason.Protected })
	gotCreated, gotDeleted := created(&p.Plan), int64(len(deletedNames(&p.Plan)))
	l := list(nil)
	l.addIf(gotCreated != create, "%d pods are created, not %d: %d of %d are active", gotCreated, create, c.active, sizeOf(&p.Snapshot.ReplicaSet))
	l.addIf(gotDeleted > remove || gotDeleted < remove && !protected, "%d pods are deleted, not %d: %d of %d are active", gotDeleted, remove, c.active, sizeOf(&p.Snapshot.ReplicaSet))
	l.addIf(gotCreated > 0 && gotDeleted > 0, "%d pods are created and %d deleted", gotCreated, gotDeleted)
	return l
}

// A SlowStart is the batches in which a controller creates pods.
type SlowStart struct {
	Wanted, Initial int32   // an initial size below 1 is 1
	Batches         []int32 // the sizes if all calls succeed
	// Next returns the size of the batch after made calls, given whether the last of them failed.
	Next func(made int32, failed bool) int32
}

func slowStart(c *SlowStart) []string {
	l := list(nil)
	made, size := int64(0), int64(max(c.Initial, 1))
	for i, n := range c.Batches {
		want := min(size, int64(c.Wanted)-made)
		l.addIf(int64(n) != want, "batch %d has %d calls, not %d", i+1, n, want)
		made += int64(n)
		size *= 2
		if c.Next != nil && made < int64(c.Wanted) {
			next := c.Next(int32(made), true)
			l.addIf(next != 0, "%d calls follow a failure", next)
		}
	}
	l.addIf(made != int64(max(c.Wanted, 0)), "the batches have %d calls, not %d", made, c.Wanted)
	return l
}

func ownActivePodsOnly(p *ReplicaSetPass) []string {
	c, l := podsOfSet(&p.Snapshot, p.Options, p.Now), list(nil)
	for _, name := range deletedNames(&p.Plan) {
		l.addIf(!c.mine[name], "%s is deleted: it is not an active pod of %s, or is deleted twice", name, p.Snapshot.ReplicaSet.Name)
		delete(c.mine, name)
	}
	return l
}

func noSurplusDeletion(p *ReplicaSetPass) []string {
	c := podsOfSet(&p.Snapshot, p.Options, p.Now)
	wanted, n := sizeOf(&p.Snapshot.ReplicaSet), int64(len(deletedNames(&p.Plan)))
	return one(n > max(0, c.active-wanted), "%d of %d active pods are deleted, and %d are wanted", n, c.active, wanted)
}

func named(pods []*podorder.Pod, name, uid string) bool {
	return slices.ContainsFunc(pods, func(p *podorder.Pod) bool { return p.Name == name && p.UID == uid })
}

func adoptionAndRelease(p *ReplicaSetPass) []string {
	c, l := podsOfSet(&p.Snapshot, p.Options, p.Now), list(nil)
	if c.unselectable {
		return one(len(p.Plan.Actions) > 0, "the selector cannot be used, but: %v", p.Plan)
	}
	adopted, released := 0, 0
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			l.addIf(a.WithoutController != (p.Options.Dialect == replicaset.Kubernetes15WithoutGarbageCollector), "%v: pods without a controller: %v", a, a.WithoutController)
		case replicaset.AdoptPod:
			adopted++
			l.addIf(!named(c.adopt, a.Name, a.UID), "%v is no orphan that matches", a)
		case replicaset.ReleasePod:
			released++
			l.addIf(!named(c.release, a.Name, a.UID), "%v is selected, or not its own", a)
		}
	}
	l.addIf(adopted < len(c.adopt) || released < len(c.release), "%d of %d pods are adopted, %d of %d released", adopted, len(c.adopt), released, len(c.release))
	l.addIf(adopted > 0 && !p.Plan.LiveCheck && !is15(p.Options), "%d pods are adopted without a look at the API server", adopted)
	return l
}

func oneControllerPerPod(p *ReplicaSetPass) []string {
	l := list(nil)
	for _, a := range p.Plan.Actions {
		if a, ok := a.(replicaset.AdoptPod); ok {
			i := slices.IndexFunc(p.Snapshot.Pods, func(p podorder.Pod) bool { return p.Name == a.Name && p.UID == a.UID })
			l.addIf(i >= 0 && p.Snapshot.Pods[i].ControllerUID != "", "%v has a controller", a)
			l.addIf(a.Reference.Controller == nil || !*a.Reference.Controller, "%v does not make it the controller", a)
		}
	}
	return l
}

// oneControllerPerPodChange checks that no pod moves from one controller to another.
func oneControllerPerPodChange(c *ReplicaSetChange) []string {
	owners, l := map[string]string{}, list(nil)
	for i := range c.Before.Pods {
		owners[c.Before.Pods[i].UID] = c.Before.Pods[i].ControllerUID
	}
	for i := range c.After.Pods {
		p := &c.After.Pods[i]
		before := owners[p.UID]
		l.addIf(p.UID != "" && before != "" && p.ControllerUID != "" && p.ControllerUID != before, "%s goes from controller %s to %s", p.Name, before, p.ControllerUID)
	}
	return l
}

func finishedPodsDoNotCount(p *ReplicaSetPass) []string {
	c := podsOfSet(&p.Snapshot, p.Options, p.Now)
	return one(!c.unselectable && int64(p.Plan.Status.Replicas) != c.active, "%d pods count, and %d of them run", p.Plan.Status.Replicas, c.active)
}

func replicaSetStatusRecount(p *ReplicaSetPass) []string {
	c, s, l := podsOfSet(&p.Snapshot, p.Options, p.Now), p.Plan.Status, list(nil)
	if c.unselectable {
		return nil
	}
	l.addIf(int64(s.FullyLabeledReplicas) != c.labelled, "%d labelled pods, and a recount finds %d", s.FullyLabeledReplicas, c.labelled)
	l.addIf(int64(s.ReadyReplicas) != c.ready, "%d ready pods, and a recount finds %d", s.ReadyReplicas, c.ready)
	l.addIf(int64(s.AvailableReplicas) != c.available, "%d available pods, and a recount finds %d", s.AvailableReplicas, c.available)
	l.addIf(s.TerminatingReplicas != nil && int64(*s.TerminatingReplicas) != c.terminating, "a recount finds %d terminating pods", c.terminating)
	silent := p.Options.OmitTerminating || is15(p.Options) || p.Snapshot.ReplicaSet.Kind == replicaset.KindController
	l.addIf(silent != (s.TerminatingReplicas == nil), "terminating pods are reported: %v", s.TerminatingReplicas != nil)
	l.addIf(s.Replicas < s.FullyLabeledReplicas || s.Replicas < s.ReadyReplicas || s.ReadyReplicas < s.AvailableReplicas || s.AvailableReplicas < 0,
		"%d replicas, %d labelled, %d ready, %d available", s.Replicas, s.FullyLabeledReplicas, s.ReadyReplicas, s.AvailableReplicas)
	return l
}

func deletingReplicaSetRests(p *ReplicaSetPass) []string {
	n := created(&p.Plan) + int64(len(deletedNames(&p.Plan)))
	return one(!p.Snapshot.ReplicaSet.DeletionTimestamp.IsZero() && n > 0, "%d pods are created or deleted although it is being deleted", n)
}

// availabilityInstant checks when pods become available and when the next pass is due. For a ready
// pod without a ready time, which never becomes available, upstream's is due every minReadySeconds.
func availabilityInstant(p *ReplicaSetPass) []string {
	c, l := podsOfSet(&p.Snapshot, p.Options, p.Now), list(nil)
	if c.unselectable {
		return nil
	}
	l.addIf(int64(p.Plan.Status.AvailableReplicas) != c.available, "%d pods are available at %v, not %d", p.Plan.Status.AvailableReplicas, p.Now, c.available)
	want := c.next
	if e := &p.Snapshot.Expectations; waiting(e, p.Now) {
		if expiry := e.At.Add(5*time.Minute + 1); want.IsZero() || expiry.Before(want) {
			want = expiry
		}
	}
	known := c.timeless && !p.Options.Repair.Has(quirk.RecheckWithoutReadyTime) && !p.Strict
	l.addIf(!known && !p.Plan.RecheckAt.Equal(want), "the plan looks again at %v, and the next instant is %v", p.Plan.RecheckAt, want)
	return l
}

// A Finished is a pass of a ReplicaSet with the outcomes of its plan.
type Finished struct {
	Pass   ReplicaSetPass
	Report replicaset.Report
	Result replicaset.Result
}

// failedOf counts the creations and deletions that failed.
func failedOf(c *Finished) (n int) {
	for _, o := range c.Report.Creates {
		if o.Answer != kplan.Done && o.Answer != kplan.NamespaceTerminating {
			n++
		}
	}
	for _, o := range c.Report.Deletes {
		gone := o.Answer == kplan.NotFound && !is15(c.Pass.Options)
		if o.Answer != kplan.Done && !gone {
			n++
		}
	}
	return n
}

func failing(conditions []kplan.Condition) bool {
	return slices.ContainsFunc(conditions, func(c kplan.Condition) bool { return c.Type == replicaset.ConditionReplicaFailure })
}

func replicaFailureCondition(c *Finished) []string {
	writes := created(&c.Pass.Plan) + int64(len(deletedNames(&c.Pass.Plan)))
	claims := c.Report.LiveCheck != nil || slices.ContainsFunc(c.Report.Claims, func(o kplan.Outcome) bool { return o.Answer != kplan.Done })
	if writes == 0 || claims || !c.Result.WriteStatus {
		return nil
	}
	n, reported := failedOf(c), failing(c.Result.Status.Conditions)
	return one((n > 0) != reported, "%d calls failed, and ReplicaFailure is reported: %v", n, reported)
}

// replicaFailureConditionPass checks that the condition ReplicaFailure does not change while the
// pass waits.
func replicaFailureConditionPass(p *ReplicaSetPass) []string {
	if !waiting(&p.Snapshot.Expectations, p.Now) || !p.Options.Repair.Has(quirk.WaitingRemovesFailure) && !p.Strict || podsOfSet(&p.Snapshot, p.Options, p.Now).unselectable {
		return nil
	}
	before, after := failing(p.Snapshot.ReplicaSet.Status.Conditions), failing(p.Plan.Status.Conditions)
	return one(before != after, "nothing is tried, and ReplicaFailure goes from %v to %v", before, after)
}
