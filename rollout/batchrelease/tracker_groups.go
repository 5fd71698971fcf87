// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A standing is what pods of one group have in common, which is all that is asked about a pod but
// its name, and whether it may stay what it is in a rollback.
type standing struct {
	terminating                              bool
	revision, template, hash, rollout, batch string
}

func standingOf(p *workload.Pod) standing {
	return standing{
		!p.DeletionTimestamp.IsZero(), p.Labels[workload.LabelControllerRevision], p.Labels[workload.LabelPodTemplateHash], p.TemplateHash,
		p.Labels[workload.LabelRolloutID], p.Labels[workload.LabelBatchID],
	}
}

// groups are the numbers of pods by what they have in common, in each the last name first. There
// are no empty ones.
type groups map[standing]*paged.Sorted

// lastFirst orders pods by name, the last first.
func lastFirst(of *tracked.Table[workload.Pod, ofPods]) paged.Compare {
	return func(a, b int32) int { return strings.Compare(of.At(int(b)).Name, of.At(int(a)).Name) }
}

// add adds a pod of a standing.
func (g *groups) add(key standing, i int, of *tracked.Table[workload.Pod, ofPods]) {
	if *g == nil {
		*g = groups{}
	}
	members := (*g)[key]
	if members == nil {
		members = &paged.Sorted{}
		(*g)[key] = members
	}
	members.Add(int32(i), lastFirst(of))
}

// remove removes a pod, which still has its standing.
func (g groups) remove(key standing, i int, of *tracked.Table[workload.Pod, ofPods]) {
	members := g[key]
	if members.Remove(int32(i), lastFirst(of)); members.Len() == 0 {
		delete(g, key)
	}
}

func (g groups) clone() groups {
	c := make(groups, len(g))
	for key, members := range g {
		own := members.Clone()
		c[key] = &own
	}
	return c
}

func (t *Tracker) list() []workload.Pod {
	list := t.pods.List()
	slices.SortFunc(list, func(a, b workload.Pod) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (t *Tracker) count(id string) (all, labelled int32) {
	for key, members := range t.groups {
		if !key.terminating && key.rollout == id {
			labelled += int32(members.Len())
		}
	}
	return int32(t.pods.Len()), labelled
}

// labels offers the pods of which some may be labelled: of those that are to be given to batches
// the last ones, as many as the batches lack, and those without a hash only if there are enough
// for all batches, since else nothing more is written.
func (t *Tracker) labels(l *labelling) []LabelPod {
	free, anyHashed := 0, false
	for _, members := range t.groups {
		batch, isFree, isHashed := l.look(t.first(members))
		switch anyHashed = anyHashed || isHashed; {
		case batch > 0:
			l.missing[batch-1] -= int32(members.Len())
		case isFree:
			free += members.Len()
		}
	}
	lack := 0
	for _, n := range l.missing {
		lack += int(max(0, n))
	}
	if lack == 0 && !anyHashed {
		return nil
	}
	var offered []workload.Pod
	var numbers []int32
	for _, members := range t.groups {
		batch, isFree, isHashed := l.look(t.first(members))
		n := 0
		switch {
		case isHashed && free >= lack:
			if n = members.Len(); batch > 0 { // it is counted once more
				l.missing[batch-1] += int32(n)
			}
		case isFree:
			n = min(lack, members.Len())
		}
		numbers = members.AppendFirst(numbers[:0], n)
		for _, i := range numbers {
			offered = append(offered, *t.pods.At(int(i)))
		}
	}
	slices.SortFunc(offered, func(a, b workload.Pod) int { return strings.Compare(a.Name, b.Name) })
	return l.labels(offered)
}

// first returns a pod of a group.
func (t *Tracker) first(members *paged.Sorted) (p *workload.Pod) {
	for i := range members.All {
		return t.pods.At(int(i))
	}
	return nil
}
