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
	"github.com/kplan-go/kplan/selector"
)

// stuckAfter is the time after which a pod that is not ready for no known reason is assumed to
// stay so.
const stuckAfter = 5 * time.Minute

// The reasons of pods that are being deleted, and a suffix of reasons.
const (
	terminating = "Terminating"
	onLostNode  = " on a node that does not answer"
)

// A startingPod is a pod that is still starting.
type startingPod struct {
	seenPod
	reason string
}

// A believer decides which observed pods will change by themselves.
type believer struct {
	now           time.Time
	nodes         bool            // whether the input has any
	lost          map[string]bool // nodes that do not answer
	ready, placed map[string]bool // templates of which a pod is ready, or has a node
	held          map[string]cluster.PodHold
	broken, homes map[string]bool            // templates whose new pods do not become ready, or get no node
	owners        map[string]map[string]bool // by template, UIDs of the owners of observed and reported pods
	started       map[string]bool            // owners with a pod that has started or may have started
	waiting       []seenPod                  // for room
	starting      []startingPod              // that become ready, unless their template is broken
	counts        map[cluster.Belief]int
}

// believe notes the pods that will not change by themselves, and the consequences for
// new pods.
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

// count counts a pod for a belief.
func (b *believer) count(p seenPod, in string, f cluster.Fate) {
	b.counts[cluster.Belief{In: in, Then: f, Of: p.owner()}]++
}

// owned notes the owner of a pod of a template.
func (b *believer) owned(template, uid string) {
	if b.owners[template] == nil {
		b.owners[template] = map[string]bool{}
	}
	b.owners[template][uid] = true
}

// pod notes the observed state of a pod.
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

// lasts reports whether the garbage collector leaves a finalizer in place.
func lasts(finalizer string) bool {
	return finalizer != metav1.FinalizerDeleteDependents && finalizer != metav1.FinalizerOrphanDependents
}

// going notes a pod that is being deleted. Other reasons that keep it are seen by the world
// itself or given as a hold.
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

// noNode notes a pod without a node, and reports whether it will never get one.
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

// unready notes a pod that has a node and is not ready, and reports whether it stays so
// whatever its node does.
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

// beliefs returns all beliefs in a fixed order.
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

// ownersOf returns the owners of the pods of some templates.
func (b *believer) ownersOf(templates map[string]bool) map[string]bool {
	all := map[string]bool{}
	for id := range templates {
		maps.Copy(all, b.owners[id])
	}
	return all
}

// besideOthers removes from templates the pod affinity terms that select a pod without an owner in
// the input, since these pods only take room in the world. Their labels, ports, claims and own
// terms are ignored.
func (w *worldReader) besideOthers() {
	if len(w.foreign) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(w.s.Templates)) {
		w.changeTemplate(id, func(t *cluster.Template) {
			if len(t.HostPorts)+len(t.PodAffinity)+len(t.PodAntiAffinity)+len(t.Claims) > 0 {
				w.unseen[unseenOtherPods] = true
			}
			t.PodAffinity = slices.DeleteFunc(slices.Clone(t.PodAffinity), w.besideOther)
		})
	}
}

// besideOther reports whether a term selects a pod without an owner in the input.
func (w *worldReader) besideOther(term cluster.PodTerm) bool {
	matches, err := selector.FromLabelSelector(term.Selector)
	return term.Selector != nil && err == nil && slices.ContainsFunc(w.foreign, func(p *corev1.Pod) bool {
		return (len(term.Namespaces) == 0 || slices.Contains(term.Namespaces, p.Namespace)) && matches.Matches(p.Labels)
	})
}
