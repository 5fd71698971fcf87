package rollout

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/quirk"
	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/internal/zero"
)

// batchRequeue is how long a BatchRelease waits for its own write.
const batchRequeue = 2 * time.Second

// A batchPass is one pass of a BatchRelease.
type batchPass struct {
	s      *BatchSnapshot
	now    time.Time
	opts   BatchOptions
	driver Driver
	event  WorkloadEvent
	hash   string // of the plan
	p      BatchPlan
}

func (st *batchPass) add(a BatchAction) { st.p.Actions = append(st.p.Actions, a) }

// ReconcileBatch returns the next step of the BatchRelease in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each field
// that cannot be used.
func ReconcileBatch(s BatchSnapshot, now time.Time, opts BatchOptions) (BatchPlan, error) {
	if err := admitBatch(&s, now, opts); err != nil {
		return BatchPlan{}, err
	}
	br := &s.Release
	st := &batchPass{
		s: &s, now: now.Round(0).UTC(), opts: opts, hash: br.ReleasePlan.Hash(), driver: br.ReleasePlan.driver(br.WorkloadRef),
	}
	st.p.Status = br.Status
	st.p.Status.Conditions = slices.Clone(br.Status.Conditions)
	st.p.Status.CollisionCount = zero.Copy(br.Status.CollisionCount)
	st.p.Status.Current.NoNeedUpdateReplicas = zero.Copy(br.Status.Current.NoNeedUpdateReplicas)
	st.p.Status.ObservedGeneration = br.Generation
	if st.finalizer() {
		return st.p, nil
	}
	if st.p.Status.Phase == "" {
		st.p.Status = BatchStatus{Phase: BatchPreparing, ObservedWorkloadReplicas: -1, ObservedGeneration: br.Generation}
	}
	st.event = EventOf(s)
	stop, failure := st.special()
	st.refresh()
	switch {
	case failure != "":
		st.p.Failure = failure
	case !sameBatchStatus(&br.Status, &st.p.Status):
		st.p.RecheckAt = st.now.Add(batchRequeue)
	case !stop:
		st.act()
	}
	return st.p, nil
}

func admitBatch(s *BatchSnapshot, now time.Time, opts BatchOptions) error {
	var es field.Errors
	quirk.Check(&es, uint64(opts.Repair), uint64(RepairAll))
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Release.Name == "" {
		es.Add("Release.Name", "", "must be set")
	}
	if s.Release.ReleasePlan.driver(s.Release.WorkloadRef) == "" {
		es.Add("Release.WorkloadRef", s.Release.WorkloadRef.kind(), KnownKinds)
	}
	if w := s.Workload; w != nil {
		if s.Release.ReleasePlan.driver(w.WorkloadRef) == "" {
			es.Add("Workload.WorkloadRef", w.WorkloadRef.kind(), KnownKinds)
		}
		es.NotNegative("Workload.Replicas", w.replicas())
	}
	if w := s.Canary; w != nil {
		es.NotNegative("Canary.Replicas", w.replicas())
	}
	return es.Join()
}

// finalizer keeps the finalizer, and reports whether the BatchRelease is gone.
func (st *batchPass) finalizer() bool {
	br := &st.s.Release
	has := slices.Contains(br.Finalizers, FinalizerBatchRelease)
	set := BatchSetFinalizer{Kind: "BatchRelease", Name: br.Name, UID: br.UID, Finalizer: FinalizerBatchRelease, Reason: BatchReasonFinalizer}
	if !br.DeletionTimestamp.IsZero() && br.Status.Phase == BatchCompleted {
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

// sameBatchStatus reports whether nothing but the generation differs.
func sameBatchStatus(a, b *BatchStatus) bool {
	x, y := *a, *b
	x.ObservedGeneration, y.ObservedGeneration = 0, 0
	return union.Text(x) == union.Text(y)
}

// refresh copies what the workload reports.
func (st *batchPass) refresh() {
	s := &st.p.Status
	if w := st.s.Workload; w != nil && !st.s.Unreadable && st.s.Release.DeletionTimestamp.IsZero() {
		if st.event != EventGone {
			s.Current.UpdatedReplicas, s.Current.UpdatedReadyReplicas = counts(st.driver, w, st.s.Canary)
		}
	}
	if s.ObservedReleasePlanHash == "" {
		s.ObservedReleasePlanHash = st.hash
	}
	s.ObservedRolloutID = st.s.Release.ReleasePlan.RolloutID
}

// act does what the phase asks for.
func (st *batchPass) act() {
	switch st.p.Status.Phase {
	case BatchProgressing:
		st.progress()
	case BatchFinalizing:
		if st.p.Failure = st.giveBack(); st.p.Failure == "" {
			st.p.Status.Phase = BatchCompleted
		}
	case BatchCompleted:
	default:
		st.p.Status.Phase = BatchPreparing
		if st.s.Workload == nil {
			st.p.Failure = "workload not found"
			return
		}
		if st.held() {
			return
		}
		if st.p.Failure = st.initialize(); st.p.Failure == "" {
			st.p.Status.Phase = BatchProgressing
			st.p.RecheckAt = st.now.Add(batchRequeue)
		}
	}
}

// progress drives the current batch.
func (st *batchPass) progress() {
	if st.s.Workload == nil {
		st.p.Failure = "workload not found"
		return
	}
	c := NewBatchContext(st.s.Release, *st.s.Workload, st.s.Canary, st.opts.Repair)
	st.recount(&c)
	c.count(st.s.Pods)
	st.p.Context = &c
	if st.held() {
		return
	}
	current := &st.p.Status.Current
	switch current.BatchState {
	case BatchVerifying:
		if st.verified(&c) {
			current.BatchState, current.BatchReadyTime = BatchReady, st.now
			st.p.RecheckAt = st.now.Add(batchRequeue)
		}
	case BatchReady:
		last := st.s.Release.ReleasePlan.BatchPartition
		if st.verified(&c) && (last == nil || *last > current.CurrentBatch) {
			current.CurrentBatch++
			current.BatchState = BatchUpgrading
			st.p.RecheckAt = st.now.Add(batchRequeue)
		}
	default:
		current.BatchState = BatchUpgrading
		st.upgrade(&c)
	}
}

// held holds a workload back that has another template than the one that the plan releases
// ([OtherTemplateReleased]). A Deployment by partition or with a canary is held before it is taken over: then
// admission stops its controller itself, and a canary keeps its template. Taking the others
// over releases no pod, so they are held in each batch; by partition only while they have
// the mark of a release, since a plan that no Rollout has made may name any id.
func (st *batchPass) held() bool {
	reason, preparing := BatchReasonReleaseOutdated, st.p.Status.Phase == BatchPreparing
	holds := !preparing && st.s.Workload.Annotations[AnnotationInProgress] != ""
	switch {
	case st.driver == DriverDeployment || st.driver == DriverCanary:
		holds = preparing
	case st.driver.blueGreen():
		reason, holds = BatchReasonRollbackFirst, !preparing
	}
	if !holds || !st.stray() {
		return false
	}
	st.p.Holds = append(st.p.Holds, BatchHold{Name: st.s.Workload.Name, Reason: reason})
	return true
}

// stray reports whether the workload has another template than the one that the plan
// releases, as far as the rollout id tells: the one that a person has given, else one that
// ends with the hash of the revision, whatever the kind names it, and whether the release
// goes back or not.
func (st *batchPass) stray() bool {
	w, released := st.s.Workload, st.s.Release.ReleasePlan.RolloutID
	if !st.opts.Repair.Has(OtherTemplateReleased) || released == "" {
		return false
	}
	id := NamedRelease(w.Labels, w.Annotations, st.opts.Repair)
	if id == "" {
		id, released = LastPart(w.UpdateRevision), LastPart(released)
	}
	return id != "" && id != released
}

// recount counts the pods that need no update anew.
func (st *batchPass) recount(c *BatchContext) {
	if c.NoNeedUpdate == nil || c.RolloutID == "" {
		return
	}
	n := int32(0)
	for i := range st.s.Pods {
		p := &st.s.Pods[i]
		if p.DeletionTimestamp.IsZero() && p.Labels[LabelNoNeedUpdate] == c.RolloutID && p.consistent(st.p.Status.UpdateRevision, st.opts.Repair) {
			n++
		}
	}
	br := st.s.Release
	br.Status.Current.NoNeedUpdateReplicas = &n
	*c = NewBatchContext(br, *st.s.Workload, st.s.Canary, st.opts.Repair)
	st.p.Status.Current.NoNeedUpdateReplicas = &n
}

// upgrade releases the batch.
func (st *batchPass) upgrade(c *BatchContext) {
	current := &st.p.Status.Current
	if c.Replicas != 0 {
		p, write, refused := c.UpgradePatch(*st.s.Workload, st.s.Canary, st.opts.Repair)
		if refused != "" {
			st.p.Holds = append(st.p.Holds, BatchHold{Name: st.s.Workload.Name, Reason: refused})
			st.p.Failure = "cannot upgrade batch: " + string(refused)
			st.p.Status.Message = st.p.Failure
			st.p.Status.Conditions = condition.With(st.p.Status.Conditions, Condition{
				Type: ConditionProgressing, Status: "True", Reason: ProgressInRolling, Message: st.p.Failure,
			}, st.now)
			return
		}
		if write {
			target := st.s.Workload
			if st.driver == DriverCanary {
				target = st.s.Canary
			}
			st.add(BatchPatchWorkload{Workload: target.WorkloadRef, UID: target.UID, Patch: p, Reason: ReasonUpgrade})
		}
		if st.driver == DriverCanary && st.s.Canary == nil {
			st.p.Failure = "canary deployment not found"
			return
		}
		if st.driver.byPartition() {
			st.labelPods(c)
		}
	}
	current.BatchState = BatchVerifying
	st.p.Status.Conditions = condition.Without(st.p.Status.Conditions, ConditionProgressing)
	st.p.Status.Message = ""
	st.p.RecheckAt = st.now.Add(batchRequeue)
}

// verified reports whether the batch is ready. If it is not, it is upgraded again.
func (st *batchPass) verified(c *BatchContext) bool {
	if c.Replicas == 0 {
		return true
	}
	if !st.driver.byPartition() {
		st.labelPods(c)
	}
	hold, waiting := c.Waiting(st.opts.Repair)
	text := ""
	switch {
	case waiting:
		text = c.Text(hold)
	case st.driver == DriverCanary && st.s.Canary != nil && st.s.Canary.Status.ObservedGeneration < st.s.Canary.Generation:
		hold = BatchHold{Name: st.s.Canary.Name, Reason: BatchReasonNotObserved, Have: st.s.Canary.Status.ObservedGeneration, Limit: st.s.Canary.Generation}
		text = "canary deployment is not observed yet"
	default:
		return true
	}
	st.p.Holds = append(st.p.Holds, hold)
	st.p.Failure = text
	st.p.Status.Current.BatchState, st.p.Status.Current.BatchReadyTime = BatchUpgrading, time.Time{}
	return false
}
