package replicaset

import (
	"cmp"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// Kind is the kind of a ReplicaSet in an owner reference, and KindController that of
// a ReplicationController. Other kinds need an API version of their own.
const (
	Kind           = "ReplicaSet"
	KindController = "ReplicationController"
)

const defaultBurst = 500

// A state is a snapshot that has been checked and counted. It reads the caller's
// slices in place and never writes to them.
type state struct {
	s        *Snapshot
	rs       *ReplicaSet
	pods     []podorder.Pod
	opts     Options
	now      time.Time
	replicas int32
	burst    int32
	owner    claim.Owner
	unusable bool   // the selector cannot be compiled
	claims   []role // of each pod
	touched  duplicateCheck
	count    count
}

// admit checks and defaults a snapshot, and counts its pods.
func admit(s *Snapshot, now time.Time, opts Options) (*state, error) {
	st := &state{
		s: s, rs: &s.ReplicaSet, pods: s.Pods, opts: opts,
		now: now.Round(0).UTC(), replicas: 1, burst: cmp.Or(opts.Burst, defaultBurst),
	}
	var errs field.Errors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	errs.NotNegative("Options.Burst", opts.Burst)
	errs.NotNegative("Options.InitialBatch", opts.InitialBatch)
	if opts.Dialect != "" && opts.Dialect != Kubernetes15 {
		errs.Add("Options.Dialect", string(opts.Dialect), "must be empty or v1.5")
	}
	if opts.Terminating != "" && opts.Terminating != ReplaceTerminated {
		errs.Add("Options.Terminating", string(opts.Terminating), "must be empty or TerminationComplete")
	}
	if bits := opts.Repair &^ RepairAll; bits != 0 {
		errs.Add("Options.Repair", strconv.FormatUint(uint64(bits), 10), "must not go beyond RepairAll")
	}
	st.admitReplicaSet(&errs)
	st.owner = Owner(st.rs)
	st.admitSelector(&errs)
	if len(errs) == 0 && !st.unusable {
		st.claim()
		st.admitPods(&errs)
	}
	if err := errs.Join(); err != nil {
		return nil, err
	}
	return st, nil
}

func (st *state) admitReplicaSet(errs *field.Errors) {
	if st.rs.Kind != "" && st.rs.Kind != Kind && st.rs.Kind != KindController && st.rs.APIVersion == "" {
		errs.Add("ReplicaSet.APIVersion", "", "must be set, because the kind is not one of Kubernetes")
	}
	if st.rs.Name == "" {
		errs.Add("ReplicaSet.Name", "", "must be set")
	}
	if st.rs.UID == "" {
		errs.Add("ReplicaSet.UID", "", "must be set, because it decides which pods belong to the ReplicaSet")
	}
	if st.rs.Replicas != nil {
		errs.NotNegative("ReplicaSet.Replicas", *st.rs.Replicas)
		st.replicas = *st.rs.Replicas
	}
	errs.NotNegative("ReplicaSet.MinReadySeconds", st.rs.MinReadySeconds)
}

// admitSelector compiles the selector. One that cannot be compiled is no error, unless
// UnusableSelectorIgnored is repaired.
func (st *state) admitSelector(errs *field.Errors) {
	if st.rs.Selector == nil {
		return
	}
	compiled, err := selector.FromLabelSelector(st.rs.Selector)
	st.owner.Selector = compiled
	if st.unusable = err != nil; st.unusable && st.opts.Repair.Has(UnusableSelectorIgnored) {
		errs.Add("ReplicaSet.Selector", selector.Format(st.rs.Selector), err.Error())
	}
}

// A duplicateCheck is what claiming notes of the pods that the plan may touch, while
// each is at hand.
type duplicateCheck struct {
	names, uids field.Ascent
	nameless    bool
}

func (s *duplicateCheck) add(p *podorder.Pod) {
	s.names.Add(p.Name)
	s.uids.Add(p.UID)
	s.nameless = s.nameless || p.Name == ""
}

// admitPods checks the pods that the plan may touch.
func (st *state) admitPods(errs *field.Errors) {
	if st.touched.nameless {
		errs.Add(field.Element("Pods", "")+".Name", "", "must be set")
	}
	if i, _, found := st.duplicate(&st.touched.names, func(p *podorder.Pod) string { return p.Name }); found {
		errs.Add(field.Element("Pods", st.pods[i].Name)+".Name", st.pods[i].Name, "must be unique")
	}
	if i, j, found := st.duplicate(&st.touched.uids, func(p *podorder.Pod) string { return p.UID }); found {
		name := min(st.pods[i].Name, st.pods[j].Name)
		errs.Add(field.Element("Pods", name)+".UID", st.pods[i].UID, "must be unique")
	}
}

// duplicate returns two pods that the plan may touch and that have the same text.
func (st *state) duplicate(order *field.Ascent, text func(*podorder.Pod) string) (first, second int, found bool) {
	if !order.Broken() {
		return 0, 0, false
	}
	return field.Duplicate(len(st.pods), func(i int) string {
		if st.claims[i] == roleNone {
			return ""
		}
		return text(&st.pods[i])
	})
}
