// SPDX-License-Identifier: Apache-2.0

package podset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/partition"
)

// numbers returns the wanted state of the CloneSet and the counts of its pods.
func (p *pass) numbers(pods []podorder.Pod) partition.CloneSet {
	replicas := p.set.DesiredReplicas()
	c := partition.CloneSet{
		Budget: Budget(p.set), ScaleUnavailable: p.set.ScaleUnavailable,
		KeptOld: partition.Limit(p.set.Partition, replicas), // counts the pods that stay old
	}
	for i := range pods {
		pod, of := &pods[i], &c.Old
		if p.updated(pod) {
			of = &c.New
		}
		of.Count++
		switch {
		case isMarked(pod):
			of.Marked++
		case !p.available(pod):
			of.Unavailable++
		}
	}
	return c
}

func isMarked(pod *podorder.Pod) bool { return pod.Labels[LabelMarked] != "" }

// cloneSet makes the plan of a CloneSet. Inactive pods no longer belong to it.
func (p *pass) cloneSet(all []podorder.Pod) {
	pods := slices.DeleteFunc(slices.Clone(all), func(pod podorder.Pod) bool { return !pod.Active() })
	slices.SortFunc(pods, byName)
	p.count(pods)
	if st := &p.plan.Status; st.UpdatedReplicas == st.Replicas {
		p.plan.StableRevision = p.update // whether or not they are ready
	}
	d := p.numbers(pods).Diff()
	if p.scale(pods, &d) || p.set.Paused || d.Update == 0 {
		return
	}
	p.release(pods, int(d.Update), int(d.UpdateUnavailable))
}

// scale creates and deletes pods. It reports whether the pass may not update pods.
func (p *pass) scale(pods []podorder.Pod, d *partition.CloneSetDiff) bool {
	if d.Up > 0 {
		for i := range d.UpLimit {
			revision := p.update
			if i < d.UpOld {
				revision = p.current
			}
			p.act(Create, &podorder.Pod{}, revision)
		}
		return d.UpLimit > 0
	}
	var marked []podorder.Pod
	for i := range pods {
		if isMarked(&pods[i]) {
			marked = append(marked, pods[i])
		}
	}
	if p.deleteSome(marked, &d.DeleteReady) || d.Down == 0 {
		return len(p.plan.Actions) > 0
	}
	if len(marked) > 0 {
		return false // marked pods first
	}
	old := min(d.DownOld, d.Down)
	victims := append(p.victims(pods, false, int(old)), p.victims(pods, true, int(d.Down-old))...)
	return p.deleteSome(victims, &d.DeleteReady)
}

// deleteSome deletes pods, at most a number of them ready, and reports whether it deletes any.
func (p *pass) deleteSome(pods []podorder.Pod, most *int64) bool {
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

// victims returns the first n pods in the order of deletion, of the update revision or of all
// others.
func (p *pass) victims(pods []podorder.Pod, fresh bool, n int) []podorder.Pod {
	list := slices.DeleteFunc(slices.Clone(pods), func(pod podorder.Pod) bool { return p.updated(&pod) != fresh })
	podorder.Order{Related: func(*podorder.Pod) bool { return true }}.Sort(list)
	return list[:min(n, len(list))]
}

// release updates pods, or returns them to the old revision if n is negative.
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
	for i := range wait[:min(max(n, -n), len(wait))] {
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

// orderOfUpdate is the order of deletion without the deletion cost and the pods on the same node.
var orderOfUpdate = []podorder.Stage{{Rule: podorder.RuleUnassigned}, {Rule: podorder.RulePhase}, {Rule: podorder.RuleNotReady}}

func byName(a, b podorder.Pod) int { return strings.Compare(a.Name, b.Name) }
