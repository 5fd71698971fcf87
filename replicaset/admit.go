// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/selector"
)

// Kind and KindController are the kinds of a ReplicaSet and a ReplicationController in an
// owner reference. A ReplicaSet with another Kind must set its APIVersion.
const (
	Kind           = "ReplicaSet"
	KindController = "ReplicationController"
)

const defaultBurst = 500

// An input is a snapshot that has been checked and defaulted. It shares the caller's slices
// and never writes to them. A plan has no pointers into an input.
type input struct {
	Snapshot
	measure
	opts     Options
	now      time.Time
	waiting  bool // the expectations are neither fulfilled nor timed out
	replicas int32
	burst    int32

	outstanding int64 // expected writes that have not been seen, even if they have timed out

	neighbours podorder.Neighbours // pods by node, counted by a Tracker, or nil
	refs       []*podorder.Pod     // the pods, in place of the snapshot's pods; or nil
}

// pod returns a pod by its number, its index in refs or in the snapshot.
func (in *input) pod(i int) *podorder.Pod {
	if in.refs != nil {
		return in.refs[i]
	}
	return &in.Pods[i]
}

// admit checks and defaults a snapshot. m is the measure of its ReplicaSet with the dialect
// of opts; if m is nil, admit computes the measure.
func (in *input) admit(s *Snapshot, now time.Time, opts *Options, m *measure) error {
	in.Snapshot = *s // one assignment of an input{...} would copy the large fields twice
	in.opts = *opts
	in.now = now.Round(0).UTC()
	if !in.Expectations.At.IsZero() {
		in.outstanding, in.waiting = in.Expectations.Outstanding(), !in.Expectations.Satisfied(in.now)
	}
	in.replicas, in.burst = 1, cmp.Or(opts.Burst, defaultBurst)
	if m != nil {
		in.measure = *m
	} else {
		in.measure = newMeasure(&s.ReplicaSet, opts.Dialect)
	}
	var errs kplan.FieldErrors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	errs.NotNegative("Options.Burst", opts.Burst)
	errs.NotNegative("Options.InitialBatch", opts.InitialBatch)
	if opts.Dialect != "" && !opts.Dialect.is15() {
		errs.Add("Options.Dialect", string(opts.Dialect), "must be empty, v1.5 or v1.5-without-garbage-collector")
	}
	if opts.Terminating != "" && opts.Terminating != ReplaceTerminated {
		errs.Add("Options.Terminating", string(opts.Terminating), "must be empty or TerminationComplete")
	}
	if bits := opts.Repair &^ quirk.All; bits != 0 {
		errs.Add("Options.Repair", strconv.FormatUint(uint64(bits), 10), "must not go beyond quirk.All")
	}
	in.admitReplicaSet(&errs)
	in.admitSelector(&errs)
	return errs.Join()
}

func (in *input) admitReplicaSet(errs *kplan.FieldErrors) {
	if in.ReplicaSet.Kind != "" && in.ReplicaSet.Kind != Kind && in.ReplicaSet.Kind != KindController && in.ReplicaSet.APIVersion == "" {
		errs.Add("ReplicaSet.APIVersion", "", "must be set, because the kind is not one of Kubernetes")
	}
	if in.ReplicaSet.Name == "" {
		errs.Add("ReplicaSet.Name", "", "must be set")
	}
	if in.ReplicaSet.UID == "" {
		errs.Add("ReplicaSet.UID", "", "must be set, because it decides which pods belong to the ReplicaSet")
	}
	if in.ReplicaSet.Replicas != nil {
		errs.NotNegative("ReplicaSet.Replicas", *in.ReplicaSet.Replicas)
		in.replicas = *in.ReplicaSet.Replicas
	}
	errs.NotNegative("ReplicaSet.MinReadySeconds", in.ReplicaSet.MinReadySeconds)
}

// admitSelector adds an error for a selector that is invalid, but only with
// quirk.UnusableSelectorIgnored in Options.Repair.
func (in *input) admitSelector(errs *kplan.FieldErrors) {
	if in.unusable != nil && in.selects && in.opts.Repair.Has(quirk.UnusableSelectorIgnored) {
		errs.Add("ReplicaSet.Selector", selector.Format(in.ReplicaSet.Selector), in.unusable.Error())
	}
}
