// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// stuckAfter is how long a pod may not be ready without any known reason until it is believed to
// stay so.
const stuckAfter = 5 * time.Minute

// The reasons of pods that are being deleted, and an addition to reasons.
const (
	terminating = "Terminating"
	onLostNode  = " on a node that does not answer"
)

// A startingPod is on its way.
type startingPod struct {
	seenPod
	reason string
}

// A believer takes pods for what they show.
type believer struct {
	now           time.Time
	nodes         bool            // whether the input has any
	lost          map[string]bool // nodes that do not answer
	ready, placed map[string]bool // templates of which a pod is ready, or has a node
	held          map[string]cluster.PodHold
	broken, homes map[string]bool            // templates whose new pods do not become ready, or find no node
	owners        map[string]map[string]bool // by template, of pods that were seen, and of those that are reported
	started       map[string]bool            // those of them of which a pod has started, or nobody knows
	waiting       []seenPod                  // for room
	starting      []startingPod              // that become ready, unless their template is broken
	counts        map[cluster.Belief]int
}

// believe notes which pods do not go on by themselves, and what that means for new ones.
func (w *worldReader) believe() {
	b := &believer{
		now: w.s.Now, nodes: len(w.s.Nodes) > 0, lost: map[string]bool{}, ready: map[string]bool{}, placed: map[string]bool{},
		held: map[string]cluster.PodHold{}, broken: map[string]bool{}, started: map[string]bool{}, homes: map[string]bool{}, owners: map[string]map[string]bool{}, counts: map[cluster.Belief]int{},
	}
	for i := range w.s.Nodes {
		b.lost[w.s.Nodes[i].Name] = w.s.Nodes[i].NotReady
	}
	for _, p := range w.seen {
		b.ready[p.template] = b.ready[p.template] || Pod(p.Pod).Ready
		b.placed[p.template] = b.placed[p.template] || p.Spec.NodeName != ""
		b.owned(p.template, p.owner())
	}
	w.report(b)
	for _, p := range w.seen {
		b.pod(p)
	}
	for _, p := range b.starting {
		if b.broken[p.template] {
			b.count(p.seenPod, p.reason, cluster.Stay)
		} else {
			b.count(p.seenPod, p.reason, cluster.BecomeReady)
		}
	}
	for id := range b.broken {
		w.changeTemplate(id, func(t *cluster.Template) { t.NeverReady, t.NeverStarts = b.started[id], !b.started[id] })
	}
	for id := range b.homes {
		w.changeTemplate(id, func(t *cluster.Template) { t.Unplaceable = true })
	}
	if len(b.held) > 0 {
		w.s.Held = b.held
	}
	w.waiting = b.waiting
	w.s.Believed = b.beliefs()
}

// count notes what is believed of a pod.
func (b *believer) count(p seenPod, in string, f cluster.Fate) {
	b.counts[cluster.Belief{In: in, Then: f, Of: p.owner()}]++
}

// owned notes what controls pods of a template.
func (b *believer) owned(template, uid string) {
	if b.owners[template] == nil {
		b.owners[template] = map[string]bool{}
	}
	b.owners[template][uid] = true
}

// pod takes a pod for what it shows.
func (b *believer) pod(p seenPod) {
	var h cluster.PodHold
	h.Kept = slices.ContainsFunc(p.Finalizers, lasts)
	switch pod := Pod(p.Pod); {
	case !pod.DeletionTimestamp.IsZero():
		b.going(p, h.Kept)
	case pod.Ready || pod.Finished():
	case pod.NodeName == "":
		h.Unplaced = b.noNode(p)
	default:
		h.Unready = b.unready(p)
	}
	if h.Kept && p.DeletionTimestamp == nil {
		b.count(p, "", cluster.Remain)
	}
	if h != (cluster.PodHold{}) {
		b.held[p.name] = h
	}
}

// lasts reports whether a finalizer is one that the garbage collector does not remove by itself.
func lasts(finalizer string) bool {
	return finalizer != metav1.FinalizerDeleteDependents && finalizer != metav1.FinalizerOrphanDependents
}

// going notes a pod that is being deleted. What keeps it, the world sees itself or is told by a hold.
func (b *believer) going(p seenPod, kept bool) {
	switch {
	case kept:
		b.count(p, terminating+" with finalizers", cluster.Stay)
	case b.lost[p.Spec.NodeName]:
		b.count(p, terminating+onLostNode, cluster.Stay)
	case p.DeletionTimestamp.Time.Before(b.now):
		b.count(p, terminating+" past its deletionTimestamp", cluster.Stay)
	default:
		b.count(p, terminating, cluster.End)
	}
}

// noNode notes a pod without a node, and reports whether it gets none.
func (b *believer) noNode(p seenPod) bool {
	reason, message := problemOf(p.Pod)
	switch {
	case reason == notScheduled:
		b.count(p, reason, cluster.BecomeReady)
		return false
	case waitsForRoom(reason, message, b.nodes):
		b.count(p, reason, cluster.Wait)
		b.waiting = append(b.waiting, p)
		return false
	}
	b.count(p, reason, cluster.Stay)
	if p.template != "" && !b.placed[p.template] {
		b.homes[p.template] = true
	}
	return true
}

// unready notes a pod that has a node and is not ready, and reports whether it stays so whatever its
// node does.
func (b *believer) unready(p seenPod) bool {
	reason, _ := problemOf(p.Pod)
	switch crash := crashOf(p.Pod); {
	case !slices.Contains(starting, reason):
	case crash != "":
		reason += " after " + crash
	case b.lost[p.Spec.NodeName]:
		b.count(p, reason+onLostNode, cluster.Stay)
		return false
	case b.now.Sub(unreadySince(p.Pod)) > stuckAfter:
		reason += " for more than 5 minutes"
	default:
		b.starting = append(b.starting, startingPod{p, reason})
		return false
	}
	b.count(p, reason, cluster.Stay)
	if p.template != "" && !b.ready[p.template] {
		b.broken[p.template] = true
		b.started[p.template] = b.started[p.template] || p.Status.Phase != corev1.PodPending
	}
	return true
}

// beliefs returns what is believed, in order.
func (b *believer) beliefs() (list []cluster.Belief) {
	for belief, n := range b.counts {
		belief.Pods = n
		list = append(list, belief)
	}
	about := func(templates map[string]bool, then cluster.Fate) {
		for uid := range b.ownersOf(templates) {
			list = append(list, cluster.Belief{Then: then, Of: uid})
		}
	}
	about(b.broken, cluster.NewUnready)
	about(b.homes, cluster.NewUnplaced)
	order := []cluster.Fate{cluster.Stay, cluster.NewUnready, cluster.NewUnplaced, cluster.Reported, cluster.Remain, cluster.BecomeReady, cluster.End, cluster.Wait}
	slices.SortFunc(list, func(a, b cluster.Belief) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Then), slices.Index(order, b.Then)), cmp.Compare(a.In, b.In), cmp.Compare(a.Of, b.Of))
	})
	return list
}

// ownersOf returns what controls pods of some templates.
func (b *believer) ownersOf(templates map[string]bool) map[string]bool {
	all := map[string]bool{}
	for id := range templates {
		maps.Copy(all, b.owners[id])
	}
	return all
}
