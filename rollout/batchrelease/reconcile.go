package batchrelease

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/quirk"
	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/internal/zero"
	"github.com/kplan-go/kplan/rollout/workload"
)

// requeue is how long a BatchRelease waits for its own write.
const requeue = 2 * time.Second

// progressInRolling is the reason of the condition Progressing while a batch is refused.
const progressInRolling = "InRolling"

// A pass is one pass of a BatchRelease.
type pass struct {
	s      *Snapshot
	now    time.Time
	opts   Options
	driver workload.Driver
	kind   kind
	event  WorkloadEvent
	hash   string // of the plan
	p      Plan
}

func (st *pass) add(a ...Action) { st.p.Actions = append(st.p.Actions, a...) }

// Reconcile returns the next step of the BatchRelease in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each field
// that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	if err := admit(&s, now, opts); err != nil {
		return Plan{}, err
	}
	br := &s.Release
	st := &pass{
		s: &s, now: now.Round(0).UTC(), opts: opts, hash: br.ReleasePlan.Hash(), driver: br.ReleasePlan.driver(br.WorkloadRef),
	}
	st.kind = kindOf(st.driver)
	st.p.Status = br.Status
	st.p.Status.Conditions = slices.Clone(br.Status.Conditions)
	st.p.Status.CollisionCount = zero.Copy(br.Status.CollisionCount)
	st.p.Status.Current.NoNeedUpdateReplicas = zero.Copy(br.Status.Current.NoNeedUpdateReplicas)
	st.p.Status.ObservedGeneration = br.Generation
	if st.finalizer() {
		return st.p, nil
	}
	if st.p.Status.Phase == "" {
		st.p.Status = Status{Phase: PhasePreparing, ObservedWorkloadReplicas: -1, ObservedGeneration: br.Generation}
	}
	st.event = EventOf(s)
	stop, failure := st.special()
	st.refresh()
	switch {
	case failure != "":
		st.p.Failure = failure
	case !sameStatus(&br.Status, &st.p.Status):
		st.p.RecheckAt = st.now.Add(requeue)
	case !stop:
		st.act()
	}
	return st.p, nil
}

func admit(s *Snapshot, now time.Time, opts Options) error {
	var es field.Errors
	quirk.Check(&es, uint64(opts.Repair), uint64(workload.RepairAll))
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Release.Name == "" {
		es.Add("Release.Name", "", "must be set")
	}
	if s.Release.ReleasePlan.driver(s.Release.WorkloadRef) == "" {
		es.Add("Release.WorkloadRef", s.Release.WorkloadRef.GroupKind(), workload.KnownKinds)
	}
	if w := s.Workload; w != nil {
		if s.Release.ReleasePlan.driver(w.Ref) == "" {
			es.Add("Workload.WorkloadRef", w.Ref.GroupKind(), workload.KnownKinds)
		}
		es.NotNegative("Workload.Replicas", w.DesiredReplicas())
	}
	if w := s.Canary; w != nil {
		es.NotNegative("Canary.Replicas", w.DesiredReplicas())
	}
	return es.Join()
}

// finalizer keeps the finalizer, and reports whether the BatchRelease is gone.
func (st *pass) finalizer() bool {
	br := &st.s.Release
	has := slices.Contains(br.Finalizers, workload.FinalizerBatchRelease)
	set := SetFinalizer{Kind: "BatchRelease", Name: br.Name, UID: br.UID, Finalizer: workload.FinalizerBatchRelease, Reason: ReasonFinalizer}
	if !br.DeletionTimestamp.IsZero() && br.Status.Phase == PhaseCompleted {
		if has {
			set.Remove = true
			st.add(set)
		}
		return true
	}
	if !has {
		st.add(set)
	}
	return false
}

// sameStatus reports whether nothing but the generation differs.
func sameStatus(a, b *Status) bool {
	x, y := *a, *b
	x.ObservedGeneration, y.ObservedGeneration = 0, 0
	return union.Text(x) == union.Text(y)
}

// refresh copies what the workload reports.
func (st *pass) refresh() {
	s := &st.p.Status
	if w := st.s.Workload; w != nil && !st.s.Unreadable && st.s.Release.DeletionTimestamp.IsZero() {
		if st.event != EventGone {
			s.Current.UpdatedReplicas, s.Current.UpdatedReadyReplicas = st.kind.pods(w, st.s.Canary)
		}
	}
	if s.ObservedReleasePlanHash == "" {
		s.ObservedReleasePlanHash = st.hash
	}
	s.ObservedRolloutID = st.s.Release.ReleasePlan.RolloutID
}

// act does what the phase asks for.
func (st *pass) act() {
	switch st.p.Status.Phase {
	case PhaseProgressing:
		st.progress()
	case PhaseFinalizing:
		if st.p.Failure = st.giveBack(); st.p.Failure == "" {
			st.p.Status.Phase = PhaseCompleted
		}
	case PhaseCompleted:
	default:
		st.p.Status.Phase = PhasePreparing
		if st.s.Workload == nil {
			st.p.Failure = "workload not found"
			return
		}
		if st.held() {
			return
		}
		if st.p.Failure = st.initialize(); st.p.Failure == "" {
			st.p.Status.Phase = PhaseProgressing
			st.p.RecheckAt = st.now.Add(requeue)
		}
	}
}

// progress drives the current batch.
func (st *pass) progress() {
	if st.s.Workload == nil {
		st.p.Failure = "workload not found"
		return
	}
	c := NewContext(st.s.Release, *st.s.Workload, st.s.Canary, st.opts.Repair)
	st.recount(&c)
	c.count(st.s.Pods)
	st.p.Context = &c
	if st.held() {
		return
	}
	current := &st.p.Status.Current
	switch current.BatchState {
	case StateVerifying:
		if st.verified(&c) {
			current.BatchState, current.BatchReadyTime = StateReady, st.now
			st.p.RecheckAt = st.now.Add(requeue)
		}
	case StateReady:
		last := st.s.Release.ReleasePlan.BatchPartition
		if st.verified(&c) && (last == nil || *last > current.CurrentBatch) {
			current.CurrentBatch++
			current.BatchState = StateUpgrading
			st.p.RecheckAt = st.now.Add(requeue)
		}
	default:
		current.BatchState = StateUpgrading
		st.upgrade(&c)
	}
}

// held holds a workload back that has another template than the one that the plan releases
// ([workload.OtherTemplateReleased]). A Deployment by partition or with a canary is held before it is taken over: then
// admission stops its controller itself, and a canary keeps its template. Taking the others
// over releases no pod, so they are held in each batch; by partition only while they have
// the mark of a release, since a plan that no Rollout has made may name any id.
func (st *pass) held() bool {
	preparing := st.p.Status.Phase == PhasePreparing
	reason, holds := st.kind.held(preparing, st.s.Workload.Annotations[workload.AnnotationInProgress] != "")
	if !holds || !st.stray() {
		return false
	}
	st.p.Holds = append(st.p.Holds, Hold{Name: st.s.Workload.Name, Reason: reason})
	return true
}

// stray reports whether the workload has another template than the one that the plan
// releases, by the rollout id. That is the one that a user has given, or else one that ends
// with the hash of the revision, for every kind and also for a release that goes back.
func (st *pass) stray() bool {
	w, released := st.s.Workload, st.s.Release.ReleasePlan.RolloutID
	if !st.opts.Repair.Has(workload.OtherTemplateReleased) || released == "" {
		return false
	}
	id := workload.NamedRelease(w.Labels, w.Annotations, st.opts.Repair)
	if id == "" {
		id, released = workload.LastPart(w.UpdateRevision), workload.LastPart(released)
	}
	return id != "" && id != released
}

// recount counts the pods that need no update anew.
func (st *pass) recount(c *Context) {
	if c.NoNeedUpdate == nil || c.RolloutID == "" {
		return
	}
	n := int32(0)
	for i := range st.s.Pods {
		p := &st.s.Pods[i]
		if p.DeletionTimestamp.IsZero() && p.Labels[workload.LabelNoNeedUpdate] == c.RolloutID && p.OfRevision(st.p.Status.UpdateRevision, st.opts.Repair) {
			n++
		}
	}
	br := st.s.Release
	br.Status.Current.NoNeedUpdateReplicas = &n
	*c = NewContext(br, *st.s.Workload, st.s.Canary, st.opts.Repair)
	st.p.Status.Current.NoNeedUpdateReplicas = &n
}

// upgrade releases the batch.
func (st *pass) upgrade(c *Context) {
	current := &st.p.Status.Current
	if c.Replicas != 0 {
		p, write, refused := c.UpgradePatch(*st.s.Workload, st.s.Canary, st.opts.Repair)
		if refused != "" {
			st.p.Holds = append(st.p.Holds, Hold{Name: st.s.Workload.Name, Reason: refused})
			st.p.Failure = "cannot upgrade batch: " + string(refused)
			st.p.Status.Message = st.p.Failure
			st.p.Status.Conditions = condition.With(st.p.Status.Conditions, workload.Condition{
				Type: workload.ConditionProgressing, Status: "True", Reason: progressInRolling, Message: st.p.Failure,
			}, st.now)
			return
		}
		target := st.kind.target(st.s)
		if target == nil {
			st.p.Failure = "canary deployment not found"
			return
		}
		if write {
			st.add(PatchWorkload{Workload: target.Ref, UID: target.UID, Patch: p, Reason: ReasonUpgrade})
		}
		if !st.driver.Beside() {
			st.labelPods(c)
		}
	}
	current.BatchState = StateVerifying
	st.p.Status.Conditions = condition.Without(st.p.Status.Conditions, workload.ConditionProgressing)
	st.p.Status.Message = ""
	st.p.RecheckAt = st.now.Add(requeue)
}

// verified reports whether the batch is ready. If it is not, it is upgraded again.
func (st *pass) verified(c *Context) bool {
	if c.Replicas == 0 {
		return true
	}
	if st.driver.Beside() {
		st.labelPods(c)
	}
	hold, waiting := c.Waiting(st.opts.Repair)
	text := ""
	switch {
	case waiting:
		text = c.Text(hold)
	default:
		if hold, text = st.kind.unobserved(st.s); text == "" {
			return true
		}
	}
	st.p.Holds = append(st.p.Holds, hold)
	st.p.Failure = text
	st.p.Status.Current.BatchState, st.p.Status.Current.BatchReadyTime = StateUpgrading, time.Time{}
	return false
}
