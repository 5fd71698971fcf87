// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// managing is the result of the manage step, which gives each node the pods that it should have,
// whatever their version.
type managing struct {
	nodes       []keyDecision  // decisions that are not empty, by name
	started     []BackoffEntry // backoffs that start, because failed pods are deleted
	progressive cause          // Progressive keeps nodes without a pod
	changes
	current int   // the first pods to create are of the current revision: this many
	old     int32 // the revision of the other pods to create, -1 if there are none
}

// A keyDecision is a decision about one of the keys.
type keyDecision struct {
	key int32
	NodeDecision
}

// manage decides which pods are created and removed.
func (st *state) manage() (m managing) {
	var create []int32
	var remove []Deletion
	m.nodes, m.started = st.decideNodes()
	slices.SortFunc(m.nodes, func(a, b keyDecision) int { return st.compareKeys(a.key, b.key) })
	for i := range m.nodes {
		d := &m.nodes[i]
		if d.Create {
			create = append(create, d.key)
		}
		remove = append(remove, d.Delete...)
	}
	remove = append(remove, st.deletionsOnMissingNodes()...)
	create, m.progressive = st.limitProgressive(create)
	m.changes = st.limited(create, remove, nil)
	m.tooManyToCreate = overBurst(len(create)+st.omitted.empty, st.burst())
	m.current, m.old = st.revisionsOf(m.create)
	return m
}

// decideNodes returns the decisions about all nodes that are not empty, and the backoffs that they
// start.
func (st *state) decideNodes() (decisions []keyDecision, started []BackoffEntry) {
	rules := NodeRules{Surge: SurgeAllowed(st.strategy, st.surge), Version: st.version, Availability: st.availability, Options: st.opts}
	var scratch []*Pod
	for i := range st.nodes {
		k := &st.keys[i]
		if st.settled(k) {
			continue
		}
		c := NodeCase{ShouldRun: k.run, ShouldContinueRunning: k.cont, Exists: k.count > 0, Pods: scratch[:0]}
		for _, n := range st.podsOf(k) {
			c.Pods = append(c.Pods, st.pod(n))
		}
		scratch = c.Pods
		st.setBackoff(k, &c)
		d := rules.Decide(&c)
		if d.Create || len(d.Delete) > 0 || d.Requeue != 0 || !d.RecheckAt.IsZero() {
			decisions = append(decisions, keyDecision{int32(i), d})
		}
		if d.Failed {
			started = append(started, BackoffEntry{BackoffKey: st.backoffKey(k.name), Delay: c.NextDelay, Since: st.now})
		}
	}
	return decisions, started
}

// settled reports whether a node needs no decision: it has one running pod and may keep it, or it
// has no pod and should not run one.
func (st *state) settled(k *nodeKey) bool {
	if k.count == 0 {
		return !k.run
	}
	if k.count > 1 || !k.cont {
		return false
	}
	return st.facts[st.grouped[k.first]].settled()
}

// setBackoff sets Until, Delay and NextDelay of the case of a node.
func (st *state) setBackoff(k *nodeKey, c *NodeCase) {
	key := st.backoffKey(k.name)
	c.NextDelay = firstDelay
	i, found := st.backoff.find(key)
	if !found || st.backoff[i].forgotten(st.now) {
		return
	}
	c.NextDelay = doubled(st.backoff[i].Delay)
	if until, waits := st.backoff.Until(key, st.now); waits {
		c.Until, c.Delay = until, st.backoff[i].Delay
	}
}

func (st *state) backoffKey(node string) BackoffKey {
	return BackoffKey{UID: st.ds.UID, Generation: st.ds.Status.ObservedGeneration, Node: node}
}

// deletionsOnMissingNodes returns deletions of the unbound pods that are pinned to missing nodes,
// sorted by node and pod. Bound pods there are left to the pod garbage collector.
func (st *state) deletionsOnMissingNodes() []Deletion {
	missing := st.keys[len(st.nodes):]
	var list []Deletion
	for i := range missing {
		for _, n := range st.podsOf(&missing[i]) {
			if pod := st.pod(n); pod.NodeName == "" && !(pod.terminating() && st.opts.Repair.Has(quirk.PodsOfMissingNodesDeletedAgain)) {
				list = append(list, Deletion{pod, reason.NodeGone})
			}
		}
	}
	slices.SortFunc(list, func(a, b Deletion) int {
		return cmp.Or(cmp.Compare(a.Pod.PinnedNode, b.Pod.PinnedNode), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return list
}

// limitProgressive returns the first nodes of create, which are sorted by name: with Progressive as
// many as rollout.NodesNeedingPods allows, and otherwise all. The cause is of the other nodes.
func (st *state) limitProgressive(create []int32) ([]int32, cause) {
	reserved := st.reserved()
	if st.strategy != RollingUpdate || reserved == 0 || !st.ds.Progressive || len(create) == 0 {
		return create, cause{}
	}
	k := int(rollout.NodesNeedingPods(st.nodesWithNewPod(), st.desired, reserved))
	if k < len(create) {
		return create[:k], cause{reason.Progressive, int64(len(create) - k), int64(reserved)}
	}
	return create, cause{}
}

// nodesWithNewPod returns the number of nodes that have one new pod and at most one old pod.
func (st *state) nodesWithNewPod() int32 {
	n := int32(0)
	for i := range st.nodes {
		if c := st.classify(&st.keys[i]); c.ok && c.new.exists() {
			n++
		}
	}
	return n
}

// revisionsOf returns how many of the nodes to create pods on get a pod of the current revision,
// and the revision of the other pods, -1 if there are none. With PartitionCreatesOld the number is
// the number of these nodes that the update selects, and the other pods are of the newest old
// revision: otherwise the update would delete the created pods again.
func (st *state) revisionsOf(create []int32) (n int, newest int32) {
	newest = -1
	for _, i := range st.old {
		if newest < 0 || revision.CompareRevisions(st.revisions[newest], st.revisions[i]) < 0 {
			newest = i
		}
	}
	if !st.opts.PartitionCreatesOld || st.reserved() == 0 || newest < 0 || st.strategy != RollingUpdate {
		return len(create), -1
	}
	selected := st.selectNodes().keys
	slices.Sort(selected)
	for _, key := range create {
		if _, ok := slices.BinarySearch(selected, key); ok {
			n++
		}
	}
	return n, newest
}
