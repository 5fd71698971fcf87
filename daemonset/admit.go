// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// An input is a snapshot that has been checked, defaulted and compiled, with its pods claimed. It
// reads the caller's slices in place, and nothing writes to them. Once the pods are read, nothing
// writes to the input, except that a Tracker keeps it for its next plan.
type input struct {
	ds    *DaemonSet
	nodes []Node
	podSet
	revisions []revision.ControllerRevision
	unseen    bool
	now       time.Time
	opts      Options

	owner          claim.Owner
	placer         Placer
	nodeSelector   selector.Selector // of the update
	availability   Availability
	strategy       Strategy
	surge          rollout.IntOrPercent
	maxUnavailable rollout.IntOrPercent

	written, read expect.Versions

	index   nameIndex // of nodes
	backoff Backoff   // of the snapshot, sorted
}

// admit checks, defaults and compiles a snapshot without its pods, and returns the errors.
func admit(s *Snapshot, now time.Time, opts Options) (*input, kplan.FieldErrors) {
	in := &input{
		ds: &s.DaemonSet, nodes: s.Nodes, revisions: s.Revisions, unseen: s.Unseen, written: s.Written, read: s.Read,
		opts: opts,
	}
	var errs kplan.FieldErrors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	errs.NotNegative("Options.SkipDeadNodes", opts.SkipDeadNodes)
	if unknown := opts.Repair &^ quirk.All; unknown != 0 {
		errs.Add("Options.Repair", uint64(unknown), "must be quirks of the table")
	}
	if opts.Dialect != Kubernetes && opts.Dialect != OpenKruise {
		errs.Add("Options.Dialect", string(opts.Dialect), "must be OpenKruise or empty")
	}
	in.admitDaemonSet(&errs)
	in.admitStrategy(&errs)
	in.admitSelectors(&errs)
	in.admitLists(&errs)
	in.setNow(now)
	in.backoff = s.Backoff.Sorted()
	in.placer = NewPlacer(&in.ds.Template, opts)
	return in, errs
}

// setNow sets the time of the plan.
func (in *input) setNow(now time.Time) {
	in.now = now.Round(0).UTC()
	in.availability = Availability{MinReadySeconds: in.ds.MinReadySeconds, Now: in.now, Strict: in.opts.kruise()}
}

func (in *input) admitDaemonSet(errs *kplan.FieldErrors) {
	d := in.ds
	if d.Name == "" {
		errs.Add("DaemonSet.Name", "", "must be set")
	}
	if d.UID == "" {
		errs.Add("DaemonSet.UID", "", "must be set, because it decides which pods belong to the DaemonSet")
	}
	if d.Template.Hash == "" {
		errs.Add("DaemonSet.Template.Hash", "", "must be set, because it names new revisions")
	}
	errs.NotNegative("DaemonSet.MinReadySeconds", d.MinReadySeconds)
	if d.RevisionHistoryLimit != nil {
		errs.NotNegative("DaemonSet.RevisionHistoryLimit", *d.RevisionHistoryLimit)
	}
	for _, v := range []struct {
		path  string
		value rollout.IntOrPercent
	}{
		{"DaemonSet.MaxSurge", d.MaxSurge}, {"DaemonSet.MaxUnavailable", d.MaxUnavailable},
		{"DaemonSet.Partition", d.Partition}, {"DaemonSet.Burst", d.Burst},
	} {
		if v.value.IsNegative() {
			errs.Add(v.path, v.value.String(), "must not be negative")
		}
	}
}

func (in *input) admitStrategy(errs *kplan.FieldErrors) {
	d := in.ds
	in.strategy, in.surge, in.maxUnavailable = RollingUpdate, d.MaxSurge, d.MaxUnavailable
	if d.Strategy == OnDelete {
		in.strategy = OnDelete
	} else if d.Strategy != RollingUpdate && d.Strategy != "" {
		errs.Add("DaemonSet.Strategy", string(d.Strategy), "must be RollingUpdate, OnDelete or empty")
	}
	switch d.RollingType {
	case "", Standard, InPlaceIfPossible:
	case Surging: // of v1alpha1, which had no maxSurge. IsZero means unset; Int(0) is set.
		if in.surge.IsZero() {
			in.surge = rollout.Int(1)
		}
		if in.maxUnavailable.IsZero() {
			in.maxUnavailable = rollout.Int(0)
		}
	default:
		errs.Add("DaemonSet.RollingType", string(d.RollingType), "must be Standard, Surging, InPlaceIfPossible or empty")
	}
	if in.maxUnavailable.IsZero() && !(in.opts.kruise() && !in.surge.IsZero()) {
		in.maxUnavailable = rollout.Int(1)
	}
}

// admitSelectors compiles the selectors. Selectors of a DaemonSet that is being deleted may be
// unusable, since nothing is selected any more, and then select nothing.
func (in *input) admitSelectors(errs *kplan.FieldErrors) {
	in.owner = claim.Owner{Kind: in.ds.kind(), Name: in.ds.Name, UID: in.ds.UID, Deleting: !in.ds.DeletionTimestamp.IsZero()}
	if in.owner.Deleting {
		errs = &kplan.FieldErrors{}
	}
	if in.ds.Selector == nil {
		errs.Add("DaemonSet.Selector", "", "must be set, because without it every pod would be released")
	}
	compiled, err := selector.FromLabelSelector(in.ds.Selector)
	if err != nil {
		*errs = append(*errs, &kplan.FieldError{Path: "DaemonSet.Selector", Value: "", Detail: err.Error(), Err: err})
	}
	in.owner.Selector = compiled
	if in.ds.NodeSelector == nil {
		return
	}
	compiled, err = selector.FromLabelSelector(in.ds.NodeSelector)
	if err != nil {
		*errs = append(*errs, &kplan.FieldError{Path: "DaemonSet.NodeSelector", Value: "", Detail: err.Error(), Err: err})
	}
	in.nodeSelector = compiled
}

// selectsAll reports whether the selector is empty and so selects all pods. A pass then does nothing.
func (in *input) selectsAll() bool {
	s := in.ds.Selector
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// admitLists checks that names of nodes and revisions are set and unique. Of revisions it checks
// only those that this DaemonSet controls or adopts.
func (in *input) admitLists(errs *kplan.FieldErrors) {
	in.indexNodes(errs)
	field.Unique(errs, "Revisions", len(in.revisions), func(i int) (name, uid string, counts bool) {
		r := &in.revisions[i]
		return r.Name, r.UID, r.ControllerUID == in.ds.UID || in.claimOf(r) != claim.Ignore
	})
}

// indexNodes makes the index of the nodes by name, and checks that names are set and unique.
func (in *input) indexNodes(errs *kplan.FieldErrors) {
	in.index = newNameIndex(len(in.nodes), 2) // with free slots, so that most look-ups read one slot
	nameOf, unnamed := func(i int32) string { return in.nodes[i].Name }, false
	for i := range in.nodes {
		in.index.add(in.nodes[i].Name, int32(i), nameOf)
		unnamed = unnamed || in.nodes[i].Name == ""
	}
	if unnamed || in.index.repeated {
		field.Unique(errs, "Nodes", len(in.nodes), func(i int) (name, uid string, counts bool) { return in.nodes[i].Name, "", true })
	}
}
