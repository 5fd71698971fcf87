package daemonset

import (
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A state is a snapshot that has been checked and compiled. It reads the caller's
// slices in place and never writes to them.
type state struct {
	ds        *DaemonSet
	nodes     []Node
	pods      []Pod
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

	owned   []int32     // pods that belong to the DaemonSet
	claimed []int32     // pods to adopt or to release
	index   nameIndex   // of keys
	keys    []nodeKey   // the nodes, and names of others that pods belong to
	facts   []facts     // of the owned pods
	grouped []int32     // pods by key
	ranked  bool        // the caller has ordered the nodes
	desired int32       // nodes that should run a pod
	backoff Backoff     // of the snapshot, in order
	version Version     // of the current revision
	old     []int32     // numbers of the other revisions that belong to the DaemonSet
	started []startedAt // delays that this plan starts

	hooked map[string]bool // pods that this plan marks, or holds back, for the hook
}

// A nodeKey is a node with the pods that belong to it, or only its name.
type nodeKey struct {
	name         string
	node         int32 // -1: there is no such node
	first, count int32 // its pods in grouped
	run, cont    bool  // should run, should continue running
}

type startedAt struct {
	key   int32
	delay time.Duration
}

// admit checks, defaults and compiles a snapshot.
func admit(s *Snapshot, now time.Time, opts Options) (*state, error) {
	st := &state{
		ds: &s.DaemonSet, nodes: s.Nodes, pods: s.Pods, revisions: s.Revisions, unseen: s.Unseen,
		now: now.Round(0).UTC(), opts: opts,
	}
	var errs field.Errors
	if now.IsZero() {
		errs.Add("now", "", "must be set")
	}
	errs.NotNegative("Options.SkipDeadNodes", opts.SkipDeadNodes)
	if unknown := opts.Repair &^ RepairAll; unknown != 0 {
		errs.Add("Options.Repair", uint64(unknown), "must be quirks of the table")
	}
	if opts.Dialect != Kubernetes && opts.Dialect != OpenKruise {
		errs.Add("Options.Dialect", string(opts.Dialect), "must be OpenKruise or empty")
	}
	st.admitDaemonSet(&errs)
	st.admitStrategy(&errs)
	st.admitSelectors(&errs)
	st.admitLists(&errs)
	if err := errs.Join(); err != nil {
		return nil, err
	}
	st.availability = Availability{MinReadySeconds: st.ds.MinReadySeconds, Now: st.now, Strict: opts.kruise()}
	st.backoff = s.Backoff.Sorted()
	st.placer = NewPlacer(&st.ds.Template, opts)
	return st, nil
}

func (st *state) admitDaemonSet(errs *field.Errors) {
	d := st.ds
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

func (st *state) admitStrategy(errs *field.Errors) {
	d := st.ds
	st.strategy, st.surge, st.maxUnavailable = RollingUpdate, d.MaxSurge, d.MaxUnavailable
	if d.Strategy == OnDelete {
		st.strategy = OnDelete
	} else if d.Strategy != RollingUpdate && d.Strategy != "" {
		errs.Add("DaemonSet.Strategy", string(d.Strategy), "must be RollingUpdate, OnDelete or empty")
	}
	switch d.RollingType {
	case "", Standard, InPlaceIfPossible:
	case Surging: // an old name for a surge
		if st.surge.IsZero() {
			st.surge = rollout.Int(1)
		}
		if st.maxUnavailable.IsZero() {
			st.maxUnavailable = rollout.Int(0)
		}
	default:
		errs.Add("DaemonSet.RollingType", string(d.RollingType), "must be Standard, Surging, InPlaceIfPossible or empty")
	}
	if st.maxUnavailable.IsZero() && !(st.opts.kruise() && !st.surge.IsZero()) {
		st.maxUnavailable = rollout.Int(1)
	}
}

// admitSelectors compiles the selectors. Those of a DaemonSet that is being deleted may be
// unusable, since nothing is selected any more, and then select nothing.
func (st *state) admitSelectors(errs *field.Errors) {
	st.owner = claim.Owner{Kind: Kind, Name: st.ds.Name, UID: st.ds.UID, Deleting: !st.ds.DeletionTimestamp.IsZero()}
	if st.owner.Deleting {
		errs = &field.Errors{}
	}
	if st.ds.Selector == nil {
		errs.Add("DaemonSet.Selector", "", "must be set, because without it every pod would be released")
	}
	compiled, err := selector.FromLabelSelector(st.ds.Selector)
	if err != nil {
		*errs = append(*errs, &field.Error{Path: "DaemonSet.Selector", Value: "", Detail: err.Error(), Err: err})
	}
	st.owner.Selector = compiled
	if st.ds.NodeSelector == nil {
		return
	}
	compiled, err = selector.FromLabelSelector(st.ds.NodeSelector)
	if err != nil {
		*errs = append(*errs, &field.Error{Path: "DaemonSet.NodeSelector", Value: "", Detail: err.Error(), Err: err})
	}
	st.nodeSelector = compiled
}

// admitLists checks that names are there and unique. Of pods and revisions only those
// that this DaemonSet controls count.
func (st *state) admitLists(errs *field.Errors) {
	st.indexNodes(errs)
	st.admitPods(errs)
	unique(errs, "Revisions", len(st.revisions), func(i int) bool { return st.revisions[i].ControllerUID == st.ds.UID },
		func(i int) (string, string) { return st.revisions[i].Name, st.revisions[i].UID })
}

// admitPods claims the pods, and checks those that the DaemonSet controls: in one pass,
// since in a large cluster it is the pods that take the time.
func (st *state) admitPods(errs *field.Errors) {
	st.owned = make([]int32, 0, len(st.pods))
	names, uids, distinct := newNameIndex(len(st.pods)), newNameIndex(len(st.pods)), true
	name, uid := func(i int32) string { return st.pods[i].Name }, func(i int32) string { return st.pods[i].UID }
	for i := range st.pods {
		st.claim(int32(i))
		if p := &st.pods[i]; p.ControllerUID == st.ds.UID {
			distinct = p.Name != "" && names.add(p.Name, int32(i), name) && (p.UID == "" || uids.add(p.UID, int32(i), uid)) && distinct
		}
	}
	if !distinct {
		unique(errs, "Pods", len(st.pods), func(i int) bool { return st.pods[i].ControllerUID == st.ds.UID },
			func(i int) (string, string) { return st.pods[i].Name, st.pods[i].UID })
	}
}

// indexNodes finds nodes by name, which must be unique.
func (st *state) indexNodes(errs *field.Errors) {
	st.index = newNameIndex(len(st.nodes) + len(st.pods))
	nameOf, distinct := func(i int32) string { return st.nodes[i].Name }, true
	for i := range st.nodes {
		distinct = st.nodes[i].Name != "" && st.index.add(st.nodes[i].Name, int32(i), nameOf) && distinct
	}
	if !distinct {
		unique(errs, "Nodes", len(st.nodes), func(int) bool { return true }, func(i int) (string, string) { return st.nodes[i].Name, "" })
	}
}

func unique(errs *field.Errors, list string, n int, mine func(i int) bool, text func(i int) (name, uid string)) {
	for i := range n {
		if name, _ := text(i); name == "" && mine(i) {
			errs.Add(field.Element(list, "")+".Name", "", "must be set")
			break
		}
	}
	name := func(i int) string {
		if !mine(i) {
			return ""
		}
		name, _ := text(i)
		return name
	}
	uid := func(i int) string {
		if !mine(i) {
			return ""
		}
		_, uid := text(i)
		return uid
	}
	if i, _, found := field.Duplicate(n, name); found {
		errs.Add(field.Element(list, name(i))+".Name", name(i), "must be unique")
	}
	if i, j, found := field.Duplicate(n, uid); found {
		errs.Add(field.Element(list, min(name(i), name(j)))+".UID", uid(i), "must be unique")
	}
}
