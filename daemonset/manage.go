package daemonset

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/revision"
)

// A keyDecision is a decision about one of the keys.
type keyDecision struct {
	key int32
	NodeDecision
}

// manage places and removes pods. It reports whether it did, so that the update has to
// wait.
func (st *state) manage(p *Plan) bool {
	var create []int32
	var remove []Deletion
	decisions := st.decideNodes()
	slices.SortFunc(decisions, func(a, b keyDecision) int { return st.compareKeys(a.key, b.key) })
	for i := range decisions {
		d := &decisions[i]
		if d.Create {
			create = append(create, d.key)
		}
		remove = append(remove, d.Delete...)
		st.note(p, d)
	}
	remove = append(remove, st.podsOfMissingNodes()...)
	return st.sync(p, st.progressive(p, create), remove, ReasonMissing)
}

// decideNodes decides about every node, and returns what is not nothing.
func (st *state) decideNodes() []keyDecision {
	rules := NodeRules{Surge: SurgeAllowed(st.strategy, st.surge), Version: st.version, Availability: st.availability, Options: st.opts}
	var decisions []keyDecision
	scratch := make([]*Pod, 0, 8)
	for i := range st.nodes {
		k := &st.keys[i]
		if st.settled(k) {
			continue
		}
		c := NodeCase{ShouldRun: k.run, ShouldContinueRunning: k.cont, Exists: k.count > 0, Pods: scratch[:0]}
		for _, n := range st.podsOf(k) {
			c.Pods = append(c.Pods, &st.pods[n])
		}
		scratch = c.Pods
		st.delays(k, &c)
		d := rules.Decide(&c)
		if d.Create || len(d.Delete) > 0 || d.Requeue != 0 || !d.RecheckAt.IsZero() {
			decisions = append(decisions, keyDecision{int32(i), d})
		}
		if d.Failed {
			st.started = append(st.started, startedAt{int32(i), c.NextDelay})
		}
	}
	return decisions
}

// settled reports whether a node certainly needs nothing: it has one running pod and
// may keep it, or none and should have none.
func (st *state) settled(k *nodeKey) bool {
	if k.count == 0 {
		return !k.run
	}
	if k.count > 1 || !k.cont {
		return false
	}
	return !st.facts[st.grouped[k.first]].has(isTerminating | isFinished | isPreparing)
}

// delays looks up the backoff of a node.
func (st *state) delays(k *nodeKey, c *NodeCase) {
	key := st.backoffKey(k.name)
	c.NextDelay = firstDelay
	i, found := st.backoff.find(key)
	if !found || st.backoff[i].stale(st.now) {
		return
	}
	c.NextDelay = longer(st.backoff[i].Delay)
	if until, waits := st.backoff.Until(key, st.now); waits {
		c.Until, c.Delay = until, st.backoff[i].Delay
	}
}

func (st *state) backoffKey(node string) BackoffKey {
	return BackoffKey{UID: st.ds.UID, Generation: st.ds.Status.ObservedGeneration, Node: node}
}

// nextBackoff returns the table after the plan. Delays that it starts replace those
// that there were.
func (st *state) nextBackoff() Backoff {
	if len(st.started) == 0 {
		return st.backoff.Sweep(st.now)
	}
	fresh := make(Backoff, len(st.started))
	for i, s := range st.started {
		fresh[i] = BackoffEntry{BackoffKey: st.backoffKey(st.keys[s.key].name), Delay: s.delay, Since: st.now}
	}
	fresh = fresh.Sorted()
	rest := slices.DeleteFunc(st.backoff.Sweep(st.now), func(e BackoffEntry) bool {
		_, replaced := fresh.find(e.BackoffKey)
		return replaced
	})
	return append(rest, fresh...).Sorted()
}

// note records events, delays and holds of a decision.
func (st *state) note(p *Plan, d *keyDecision) {
	node := st.keys[d.key].name
	for _, gone := range d.Delete {
		switch gone.Reason {
		case ReasonFailed:
			p.Events = append(p.Events, Event{Action: -1, Type: "Warning", Reason: "FailedDaemonPod", Message: fmt.Sprintf("Found failed daemon pod %s on node %s, will try to kill it", st.podName(gone.Pod), node)})
		case ReasonSucceeded:
			p.Events = append(p.Events, Event{Action: -1, Type: "Normal", Reason: "SucceededDaemonPod", Message: fmt.Sprintf("Found succeeded daemon pod %s on node %s, will try to delete it", st.podName(gone.Pod), node)})
		}
	}
	if !d.RecheckAt.IsZero() {
		p.recheck(d.RecheckAt)
	}
	if d.Waiting != nil {
		p.hold(Hold{Node: node, Name: d.Waiting.Name, Reason: ReasonBackoff, Limit: int64(d.Delay / time.Second)})
	}
}

// podName returns the name of a pod, behind its namespace if that is known.
func (st *state) podName(p *Pod) string {
	if st.ds.Namespace == "" {
		return p.Name
	}
	return st.ds.Namespace + "/" + p.Name
}

// podsOfMissingNodes returns the pods that wait for nodes that do not exist.
func (st *state) podsOfMissingNodes() []Deletion {
	missing := st.keys[len(st.nodes):]
	var list []Deletion
	for i := range missing {
		for _, n := range st.podsOf(&missing[i]) {
			if pod := &st.pods[n]; pod.NodeName == "" && !(pod.terminating() && st.opts.Repair.Has(PodsOfMissingNodesDeletedAgain)) {
				list = append(list, Deletion{pod, ReasonNodeGone})
			}
		}
	}
	slices.SortFunc(list, func(a, b Deletion) int {
		return cmp.Or(cmp.Compare(a.Pod.PinnedNode, b.Pod.PinnedNode), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return list
}

// base returns the number of nodes that percentages are shares of: that of the last
// status, or if [SharesOfLastStatus] is repaired the present one.
func (st *state) base() int32 {
	if st.opts.Repair.Has(SharesOfLastStatus) {
		return st.desired
	}
	return st.ds.Status.DesiredNumberScheduled
}

func (st *state) burst() int {
	b := Burst(st.ds.Burst, st.base())
	if b == 0 && st.opts.Repair.Has(BurstRoundsToZero) && st.ds.Burst.OfUp(1) > 0 {
		return 1 // or nothing would ever be written
	}
	return int(b)
}

// sync turns lists of nodes and pods into actions, and reports whether it did.
func (st *state) sync(p *Plan, create []int32, remove []Deletion, why Reason) bool {
	remove = st.splitPreDelete(p, remove)
	b := st.burst()
	for _, n := range []int{len(create), len(remove)} {
		if n > b {
			p.hold(Hold{Reason: ReasonBurst, Have: int64(n), Limit: int64(b)})
		}
	}
	create, remove = create[:min(b, len(create))], remove[:min(b, len(remove))]
	p.Actions = slices.Grow(p.Actions, len(create)+len(remove))
	n, old := len(create), (*revision.ControllerRevision)(nil)
	if why == ReasonMissing {
		n, old = st.revisionsOf(create)
	}
	for i, key := range create {
		a := st.newPod(st.keys[key].name, why)
		if i >= n {
			a.Revision, a.Generation = old.Name, ""
			a.Hash, _ = revision.RevisionHash(*old)
		}
		p.do(a)
	}
	for _, d := range remove {
		p.do(DeletePod{Object: d.Pod.object(), Node: d.Pod.target(), Reason: d.Reason})
	}
	return len(create)+len(remove) > 0
}

func (st *state) newPod(node string, why Reason) CreatePod {
	gate := st.strategy == RollingUpdate && st.ds.RollingType == InPlaceIfPossible
	if slices.Contains(st.ds.Template.ReadinessGates, inplace.Gate) && st.opts.Repair.Has(GateAddedTwice) {
		gate = false // it would be listed twice
	}
	return CreatePod{
		Node: node, Hash: st.version.Hash, Generation: NewVersion(st.version.Hash, st.ds.Annotations).Generation,
		Gate: gate, Bind: st.opts.BindDirectly, KeepTolerations: st.opts.KeepUserTolerations, Reason: why,
	}
}

// revisionsOf returns of how many nodes the pods are of the current revision, and of
// which those of the others: the newest old one where a policy wants that of nodes that
// the partition reserves. These are the ones that the update would leave alone; by any
// other count it would replace what has just been created, again and again.
func (st *state) revisionsOf(create []int32) (n int, old *revision.ControllerRevision) {
	newest := int32(-1)
	for _, i := range st.old {
		if newest < 0 || revision.CompareRevisions(st.revisions[newest], st.revisions[i]) < 0 {
			newest = i
		}
	}
	if !st.opts.PartitionCreatesOld || st.reserved() == 0 || newest < 0 || st.strategy != RollingUpdate {
		return len(create), nil
	}
	released := st.updateKeys(&Plan{})
	slices.Sort(released)
	for _, key := range create {
		if _, ok := slices.BinarySearch(released, key); ok {
			n++
		}
	}
	return n, &st.revisions[newest]
}
