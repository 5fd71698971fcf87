// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"slices"
	"time"
)

// Deployment returns the counts of a [Step] at the start and at each instant at which one of
// them has changed, in the order of time: steps are only where the Deployment's planner acted,
// and pods also become ready or available between them.
func (r *Recording) Deployment() (list []Step) {
	var now changes
	var sets []*replicaSet // that are there, by creation
	for i := range r.ReplicaSets {
		m := &r.ReplicaSets[i]
		now.add(m.At, func() { sets = replaced(sets, m) })
	}
	zones := spread(nil, r.zones)
	for i := range r.Pods {
		p := &r.Pods[i]
		zone := r.zones[p.Pod.NodeName]
		if zone == "" {
			continue
		}
		was := int32(0)
		for _, s := range p.Stages {
			is := int32(0)
			if s.Stage == Scheduled || s.Stage == Ready {
				is = 1
			}
			if change := is - was; change != 0 {
				now.add(s.At, func() { zones[zone] += change })
			}
			was = is
		}
	}
	now.each(func(at time.Time) {
		s := describe(sets, nil)
		s.Time, s.Zones = at.Sub(r.Start), maps.Clone(zones)
		if n := len(list); n == 0 || !slices.Equal(list[n-1].ReplicaSets, s.ReplicaSets) || !maps.Equal(list[n-1].Zones, s.Zones) {
			list = append(list, s)
		}
	})
	return list
}

// replaced puts a ReplicaSet in the place of what it was before.
func replaced(sets []*replicaSet, m *Moment[replicaSet]) []*replicaSet {
	i := slices.IndexFunc(sets, func(rs *replicaSet) bool { return rs.UID == m.Object.UID })
	switch {
	case m.Gone && i >= 0:
		return slices.Delete(sets, i, i+1)
	case m.Gone:
		return sets
	case i < 0:
		return append(sets, &m.Object)
	}
	sets[i] = &m.Object
	return sets
}

// DaemonSet returns the counts of pods of a [DaemonSetStep] at the start and at each instant at
// which one of them, or how many are available, has changed, in the order of time.
func (r *Recording) DaemonSet() (list []DaemonSetStep) {
	var now changes
	var s DaemonSetStep
	for i := range r.DaemonSets {
		m := &r.DaemonSets[i]
		now.add(m.At, func() { s.Status = m.Object.Status })
	}
	active := map[string]int32{} // by hash
	for _, d := range r.daemons {
		now.add(d.at, func() {
			s.Pods += d.active - active[d.hash]
			active[d.hash] = d.active
			if d.hash != "" && d.hash == r.updated {
				s.Updated = d.active
			}
		})
	}
	now.each(func(at time.Time) {
		s.Time = at.Sub(r.Start)
		if n := len(list); n == 0 || list[n-1].Pods != s.Pods || list[n-1].Updated != s.Updated || list[n-1].Status.NumberAvailable != s.Status.NumberAvailable {
			list = append(list, s)
		}
	})
	return list
}

// A happened is what changed at an instant.
type happened struct {
	at time.Time
	do func()
}

// changes are what happened, in any order.
type changes []happened

func (c *changes) add(at time.Time, do func()) { *c = append(*c, happened{at, do}) }

// each lets everything happen in the order of time, and calls a function behind each instant.
func (c changes) each(behind func(at time.Time)) {
	slices.SortStableFunc(c, func(a, b happened) int { return a.at.Compare(b.at) })
	for i := range c {
		c[i].do()
		if i+1 == len(c) || !c[i+1].at.Equal(c[i].at) {
			behind(c[i].at)
		}
	}
}
