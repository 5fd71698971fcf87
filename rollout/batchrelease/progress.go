// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
)

// progressInRolling is the reason of the condition Progressing while a batch is refused.
const progressInRolling = "InRolling"

// progress drives the current batch.
func (st *pass) progress(s Status) outcome {
	if st.s.Workload == nil {
		return outcome{status: s, failure: "workload not found"}
	}
	var c Context
	st.look(&c, s.UpdateRevision)
	if c.NoNeedUpdate != nil {
		s.Current.NoNeedUpdateReplicas = ptr.To(*c.NoNeedUpdate)
	}
	n := st.batch(s, &c)
	n.context = &c
	return n
}

// look sets the demands of the batch and the current numbers in c. It also counts the pods that need
// no update.
func (st *pass) look(c *Context, revision string) {
	br, w := &st.s.Release, st.s.Workload
	if c.fill(br, w, st.s.Canary, st.kind, st.opts.Repair); c.RolloutID == "" {
		return
	}
	if c.NoNeedUpdate != nil {
		n, counted := st.noNeedUpdate(revision), *br
		counted.Status.Current.NoNeedUpdateReplicas = &n
		c.fill(&counted, w, st.s.Canary, st.kind, st.opts.Repair)
	}
	c.PodCount = int32(len(st.s.Pods))
	for i := range st.s.Pods {
		if p := &st.s.Pods[i]; p.DeletionTimestamp.IsZero() && p.Labels[workload.LabelRolloutID] == c.RolloutID {
			c.Labelled++
		}
	}
}

// noNeedUpdate counts the pods that are marked as such and have the revision still.
func (st *pass) noNeedUpdate(revision string) (n int32) {
	pods := st.s.Pods
	for i := range pods {
		p := &pods[i]
		if p.DeletionTimestamp.IsZero() && p.Labels[workload.LabelNoNeedUpdate] == st.s.Release.ReleasePlan.RolloutID && p.OfRevision(revision, st.opts.Repair) {
			n++
		}
	}
	return n
}

// batch acts on the state of the batch.
func (st *pass) batch(s Status, c *Context) outcome {
	if holds := st.held(s.Phase); holds != nil {
		return outcome{status: s, holds: holds}
	}
	switch s.Current.BatchState {
	case StateVerifying, StateReady:
		return st.verify(s, c)
	}
	return st.upgrade(s, c)
}

// upgrade releases the batch.
func (st *pass) upgrade(s Status, c *Context) (n outcome) {
	s.Current.BatchState = StateUpgrading
	if c.Replicas != 0 {
		p, write, refused := st.kind.upgrade(c, st.s.Workload, st.s.Canary, st.opts.Repair)
		if refused != "" {
			return st.refuse(s, refused)
		}
		target := st.kind.target(st.s)
		if target == nil {
			return outcome{status: s, failure: "canary deployment not found"}
		}
		if write {
			n.writes.workload = patched(target, p, reason.Upgrade)
		}
		if !st.driver.Beside() {
			n.writes.labels = st.labels(s.UpdateRevision, c)
		}
	}
	s.Current.BatchState = StateVerifying
	s.Conditions = condition.Without(s.Conditions, workload.ConditionProgressing)
	s.Message = ""
	n.status, n.again = s, true
	return n
}

// refuse reports why the batch cannot be released.
func (st *pass) refuse(s Status, reason kplan.Reason) outcome {
	s.Message = "cannot upgrade batch: " + string(reason)
	c := kplan.Condition{Type: workload.ConditionProgressing, Status: "True", Reason: progressInRolling, Message: s.Message}
	s.Conditions = condition.With(s.Conditions, c, st.now)
	return outcome{status: s, failure: s.Message, holds: []kplan.Hold{{Name: st.s.Workload.Name, Reason: reason}}}
}

// verify sets a ready batch to the state Ready. If the state is Ready already, it begins the next
// batch, up to the BatchPartition of the plan. A batch that is not ready is upgraded again.
func (st *pass) verify(s Status, c *Context) (n outcome) {
	if st.driver.Beside() && c.Replicas != 0 {
		n.writes.labels = st.labels(s.UpdateRevision, c)
	}
	current, last := &s.Current, st.s.Release.ReleasePlan.BatchPartition
	hold, text := st.waiting(c)
	switch {
	case text != "":
		n.holds, n.failure = []kplan.Hold{hold}, text
		current.BatchState, current.BatchReadyTime = StateUpgrading, time.Time{}
	case current.BatchState == StateVerifying:
		n.again = true
		current.BatchState, current.BatchReadyTime = StateReady, st.now
	case last == nil || *last > current.CurrentBatch:
		n.again = true
		current.BatchState, current.CurrentBatch = StateUpgrading, current.CurrentBatch+1
	}
	n.status = s
	return n
}

// waiting returns the reason why the batch waits, with the message of OpenKruise Rollouts; ""
// if it is ready.
func (st *pass) waiting(c *Context) (kplan.Hold, string) {
	if c.Replicas == 0 {
		return kplan.Hold{}, ""
	}
	if hold, waiting := c.Waiting(st.opts.Repair); waiting {
		return hold, c.Text(hold)
	}
	return st.kind.unobserved(st.s)
}
