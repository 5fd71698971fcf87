// SPDX-License-Identifier: Apache-2.0

package podset

import (
	"math"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// defaultUnavailable is what the limit of a CloneSet is without one.
var defaultUnavailable = rollout.Percent(20)

// A tally is how the pods of a CloneSet stand.
type tally struct {
	total, old, fresh      int // fresh are those of the update revision
	markedOld, markedFresh int
	unavailable            int // that are not marked
}

// A diff is by how much a CloneSet differs from what is wanted.
type diff struct {
	up, upOld, upLimit int
	down, downOld      int
	deleteReady        int // marked or surplus pods that are ready and may go
	surge, surgeOld    int
	update             int // negative is back to the old revision
	updateUnavailable  int
}

// limits returns how many pods there may be beside the replicas, and how many may be
// unavailable.
func (s *Set) limits() (surge, unavailable int) {
	l, replicas := s.Limits(), s.DesiredReplicas()
	if !s.Paused {
		surge = int(l.MaxSurge.OfUp(replicas))
	}
	if l.MaxUnavailable.IsZero() {
		l.MaxUnavailable = defaultUnavailable
	}
	if surge == 0 {
		return surge, int(l.MaxUnavailable.OfUp(replicas))
	}
	return surge, int(l.MaxUnavailable.Of(replicas))
}

// keptOld returns how many pods of a CloneSet stay old. It is the arithmetic of a partition
// that counts new pods.
func (s *Set) keptOld() int { return int(partition.Limit(s.Partition, s.DesiredReplicas())) }

// diff returns what is to be done. A partition that has grown makes nothing old again, as
// long as that is not asked for.
func (s *Set) diff(t *tally, back bool) diff {
	replicas := int(s.DesiredReplicas())
	kept := s.keptOld()
	surge, unavailable := s.limits()
	tooOld, tooFresh := t.old-kept, t.fresh-(replicas-kept)
	if !back {
		tooOld, tooFresh = max(tooOld, 0), min(tooFresh, 0)
	}
	d := diff{}
	marked := t.markedOld + t.markedFresh
	if surge > 0 {
		d.surge, d.surgeOld = useSurge(surge, tooOld, tooFresh, min(max(t.unavailable+marked-unavailable, 0), marked), t.markedFresh)
	}
	wanted, wantedOld := replicas+d.surge, kept+d.surgeOld
	if n := wanted - t.total; n > 0 {
		d.up, d.upOld = n, max(wantedOld-t.old, 0)
		limit := math.MaxInt32
		if !s.ScaleUnavailable.IsZero() {
			limit = int(s.ScaleUnavailable.OfUp(s.DesiredReplicas()))
		}
		d.upLimit = min(n, max(limit-t.unavailable, 0))
	}
	if n := t.total - marked - wanted; n > 0 {
		d.down, d.downOld = n, max(t.old-t.markedOld-wantedOld, 0)
	}
	if marked > 0 || d.down > 0 {
		d.deleteReady = max(unavailable+t.total-replicas-t.unavailable, 0)
	}
	if d.update = -tooFresh; size(tooOld) <= size(tooFresh) {
		d.update = tooOld
	}
	if d.update != 0 {
		d.updateUnavailable = unavailable + t.total - replicas
	}
	return d
}

// useSurge returns how many pods there are to be beside the replicas, and how many of these
// old: for pods that are to be updated, or for those that are to be deleted.
func useSurge(most, tooOld, tooFresh, deleting, markedFresh int) (surge, old int) {
	if (tooOld > 0 && tooFresh < 0) || (tooOld < 0 && tooFresh > 0) {
		surge = min(size(tooOld), size(tooFresh))
		if tooOld < 0 {
			old = surge
		}
	}
	if deleting >= surge {
		surge, old = deleting, max(deleting-markedFresh, 0)
	}
	surge = min(most, surge)
	return surge, min(surge, old)
}

func size(n int) int { return max(n, -n) }

func isMarked(pod *podorder.Pod) bool { return pod.Labels[LabelMarked] != "" }

// cloneSet makes the plan of a CloneSet. Pods that are going are none of it any more.
func (p *pass) cloneSet(all []podorder.Pod) {
	pods := slices.DeleteFunc(slices.Clone(all), func(pod podorder.Pod) bool { return !pod.Active() })
	slices.SortFunc(pods, byName)
	p.count(pods)
	if st := &p.plan.Status; st.UpdatedReplicas == st.Replicas {
		p.plan.StableRevision = p.update // whether or not they are ready
	}
	t := p.tally(pods)
	d := p.set.diff(&t, false)
	if p.scale(pods, &t, &d) || p.set.Paused || d.update == 0 {
		return
	}
	p.release(pods, d.update, d.updateUnavailable)
}

func (p *pass) tally(pods []podorder.Pod) (t tally) {
	for i := range pods {
		pod := &pods[i]
		fresh, marked := p.updated(pod), isMarked(pod)
		t.total++
		t.old += number(!fresh)
		t.fresh += number(fresh)
		t.markedOld += number(marked && !fresh)
		t.markedFresh += number(marked && fresh)
		t.unavailable += number(!marked && !p.available(pod))
	}
	return t
}

// scale creates and deletes pods. It reports whether it leaves nothing for an update.
func (p *pass) scale(pods []podorder.Pod, t *tally, d *diff) bool {
	if d.up > 0 {
		for i := range d.upLimit {
			revision := p.update
			if i < d.upOld {
				revision = p.current
			}
			p.act(Create, &podorder.Pod{}, revision)
		}
		return d.upLimit > 0
	}
	var marked []podorder.Pod
	for i := range pods {
		if isMarked(&pods[i]) {
			marked = append(marked, pods[i])
		}
	}
	if p.deleteSome(marked, &d.deleteReady) || d.down == 0 {
		return len(p.plan.Actions) > 0
	}
	if len(marked) > 0 {
		return false // those first
	}
	old := min(d.downOld, d.down)
	victims := append(p.victims(pods, false, old), p.victims(pods, true, d.down-old)...)
	return p.deleteSome(victims, &d.deleteReady)
}

// deleteSome deletes pods, of ready ones no more than a number, and reports whether it does.
func (p *pass) deleteSome(pods []podorder.Pod, most *int) bool {
	some := false
	for i := range pods {
		if ready(&pods[i]) {
			if *most <= 0 {
				continue
			}
			*most--
		}
		p.act(Delete, &pods[i], "")
		some = true
	}
	return some
}

// victims returns the pods of the update revision, or all others, that go first.
func (p *pass) victims(pods []podorder.Pod, fresh bool, n int) []podorder.Pod {
	list := slices.DeleteFunc(slices.Clone(pods), func(pod podorder.Pod) bool { return p.updated(&pod) != fresh })
	podorder.Order{Related: func(*podorder.Pod) bool { return true }}.Sort(list)
	return list[:min(n, len(list))]
}

// release updates pods, or makes them old again if n is negative.
func (p *pass) release(pods []podorder.Pod, n, most int) {
	target := p.update
	if n < 0 {
		target = p.current
	}
	var wait []podorder.Pod
	unavailable, stuck := 0, 0 // the latter are of the target
	for i := range pods {
		pod := &pods[i]
		if p.updated(pod) != (n > 0) {
			wait = append(wait, *pod)
		}
		if !p.available(pod) {
			unavailable++
			stuck += number(RevisionOf(pod) == target)
		}
	}
	podorder.Order{Stages: orderOfUpdate}.Sort(wait)
	done := 0
	for i := range wait[:min(size(n), len(wait))] {
		pod := &wait[i]
		if stuck+done >= most {
			return
		}
		if p.available(pod) {
			if unavailable >= most {
				return
			}
			unavailable++
		}
		done++
		switch {
		case p.set.InPlace:
			p.act(Update, pod, target)
		case !isMarked(pod):
			p.act(Mark, pod, "")
		}
	}
}

// orderOfUpdate is that of deletion, without what it costs and what is on the same node.
var orderOfUpdate = []podorder.Stage{{Rule: podorder.RuleUnassigned}, {Rule: podorder.RulePhase}, {Rule: podorder.RuleNotReady}}

func byName(a, b podorder.Pod) int { return strings.Compare(a.Name, b.Name) }
