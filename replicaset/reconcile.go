package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// Reconcile returns the next step of the ReplicaSet in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	if st.unusable {
		p := Plan{Status: st.rs.Status.clone()}
		p.hold(ReasonBadSelector, 0, 0)
		return p, nil
	}
	p := Plan{Status: st.status()}
	st.emitClaims(&p)
	st.manage(&p)
	st.recheck(&p)
	return p, nil
}

// manage creates or deletes pods, up to the burst (Size and Victims in rules.md).
func (st *state) manage(p *Plan) {
	surplus := int64(st.count.active) - int64(st.replicas)
	switch e := &st.s.Expectations; {
	case !e.Satisfied(st.now):
		p.hold(ReasonExpectations, e.outstanding(), 0)
		return
	case surplus == 0:
		st.explainWait(p)
		return
	case st.owner.Deleting:
		p.hold(ReasonDeleting, int64(st.count.active), int64(st.replicas))
		return
	case !e.Fulfilled():
		p.hold(ReasonExpired, e.outstanding(), 0)
	}
	if surplus < 0 {
		surplus = -st.replaceable(p, -surplus)
	}
	change := max(surplus, -surplus)
	if change > int64(st.burst) {
		p.hold(ReasonBurst, change, int64(st.burst))
		change = int64(st.burst)
	}
	switch {
	case surplus < 0:
		p.Actions = append(p.Actions, CreatePods{Count: int32(change), Initial: st.initial(int32(change)), Reason: ReasonTooFew})
	case surplus > 0:
		st.delete(p, int(change))
	}
}

// replaceable returns how many of the missing pods may be created now.
func (st *state) replaceable(p *Plan, missing int64) int64 {
	terminating := int64(st.count.terminating)
	if st.opts.Terminating != ReplaceTerminated || terminating == 0 {
		return missing
	}
	p.hold(ReasonTerminating, terminating, missing)
	return max(0, missing-terminating)
}

// initial is the size of the first batch of n creations.
func (st *state) initial(n int32) int32 {
	if st.opts.Dialect == Kubernetes15 {
		return n
	}
	return st.opts.InitialBatch
}

// delete plans the deletion of the first n pods in deletion order.
func (st *state) delete(p *Plan, n int) {
	order := st.order()
	choice := order.Choose(st.pods, st.candidates(), n)
	if choice.Missing > 0 {
		p.hold(ReasonProtected, int64(choice.Protected), int64(n))
	}
	if p.Actions == nil {
		p.Actions = make(Actions, 0, len(choice.Victims))
	}
	for _, v := range choice.Victims {
		pod := &st.pods[v]
		p.Actions = append(p.Actions, DeletePod{Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, Reason: ReasonTooMany})
	}
	if len(p.Actions) == 0 {
		p.Actions = nil
	}
}

// candidates returns the numbers of the pods that count.
func (st *state) candidates() []int {
	candidates := make([]int, 0, st.count.active)
	for i := range st.pods {
		if st.claims[i].counts() {
			candidates = append(candidates, i)
		}
	}
	return candidates
}

// Explain returns why the pods that [Reconcile] deletes are deleted, and why the
// first one that stays does. The arguments are those of Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]podorder.Explanation, error) {
	plan, err := Reconcile(s, now, opts)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, a := range plan.Actions {
		if _, ok := a.(DeletePod); ok {
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	st, err := admit(&s, now, opts)
	if err != nil {
		return nil, err
	}
	order, candidates := st.order(), st.candidates()
	return order.Explain(st.pods, candidates, order.Choose(st.pods, candidates, n)), nil
}

// explainWait says what a ReplicaSet of the right size still waits for.
func (st *state) explainWait(p *Plan) {
	switch c := st.count; {
	case c.ready < c.active:
		p.hold(ReasonNotReady, int64(c.ready), int64(c.active))
	case c.available < c.ready:
		p.hold(ReasonNotAvailable, int64(c.available), int64(c.ready))
	}
}

func (p *Plan) hold(reason Reason, have, limit int64) {
	p.Holds = append(p.Holds, Hold{Reason: reason, Have: have, Limit: limit})
}
