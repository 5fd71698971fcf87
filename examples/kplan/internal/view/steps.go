// SPDX-License-Identifier: Apache-2.0

package view

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Result is how the simulated rollout of a Deployment went.
type Result struct {
	Steps  []Step         // at least one: the last is the end
	Bounds rollout.Budget // within which the Deployment was changed, as of the last pass
	Done   bool           // whether the rollout is complete
	GaveUp time.Duration  // the time limit if that ended the run; 0 if nothing was left to happen
	Paused bool
}

// A Step is one pass of the Deployment's planner that wrote something, or the end
// of the run. Its counts are those after the ReplicaSets have followed.
type Step struct {
	Time        time.Duration  `json:"-"`                 // since the start
	Actions     deploy.Actions `json:"actions,omitempty"` // what the pass wrote; none at the end
	Holds       []deploy.Hold  `json:"holds,omitempty"`   // what it held back
	Pods        PodActions     `json:"pods"`              // what the ReplicaSets did since the last step
	ReplicaSets []ReplicaSet   `json:"replicaSets"`       // by creation
	Total       int32          `json:"total"`             // pods wanted
	Available   int32          `json:"available"`         // pods available
	Status      deploy.Status  `json:"status"`            // as the pass wrote it
	// Zones are how many pods run in each zone and are not being deleted; nil if the
	// nodes have none.
	Zones map[string]int32 `json:"zones,omitempty"`
	peak  int32            // by how many pods they have differed at most since the last step
}

// PodActions counts the writes of the ReplicaSets.
type PodActions struct {
	Created int32 `json:"created"`
	Deleted int32 `json:"deleted"`
}

// A ReplicaSet is what a [Step] tells of one.
type ReplicaSet struct {
	Name      string `json:"name"`
	Revision  int64  `json:"revision"` // 0 if it has none
	Replicas  int32  `json:"replicas"` // pods wanted
	Ready     int32  `json:"ready"`
	Available int32  `json:"available"`
}

// ResultOf returns how the rollout of a Deployment went by its steps in a world, whose names have a
// namespace, or "".
func ResultOf(namespace string, steps []record.Step, start time.Time) (r Result) {
	within := inside(namespace)
	for i := range steps {
		s := Step{Time: steps[i].Time.Sub(start), Pods: PodActions{steps[i].Created, steps[i].Deleted}, Zones: steps[i].Zones, peak: steps[i].PeakSkew}
		p := steps[i].Plan.(deploy.Plan)
		s.Status, r.Bounds = p.Status, p.Budget
		s.Status.Conditions = slices.Clone(p.Status.Conditions)
		for j := range s.Status.Conditions {
			s.Status.Conditions[j].Message = within.text(s.Status.Conditions[j].Message)
		}
		if i+1 < len(steps) {
			s.Actions = within.actions(p.Actions)
		}
		for _, h := range p.Holds {
			h.Name = within.name(h.Name)
			s.Holds = append(s.Holds, h)
		}
		for _, o := range steps[i].Parts {
			s.add(ReplicaSet{within.name(o.Name), o.Revision, o.Wanted, o.Ready, o.Available})
		}
		r.Steps = append(r.Steps, s)
	}
	return r
}

func (s *Step) add(o ReplicaSet) {
	s.ReplicaSets = append(s.ReplicaSets, o)
	s.Total += o.Replicas
	s.Available += o.Available
}

// Skew returns by how many pods the zones differ.
func (s *Step) Skew() int32 {
	least, most, first := int32(0), int32(0), true
	for _, n := range s.Zones {
		if first {
			least, most, first = n, n, false
		}
		least, most = min(least, n), max(most, n)
	}
	return most - least
}

// inside is a namespace, whose objects have it in their names in a world, and not in a cluster.
type inside string

func (n inside) name(name string) string {
	if n == "" {
		return name
	}
	return strings.TrimPrefix(name, string(n)+"/")
}

// text takes the namespace out of a message, where names are quoted.
func (n inside) text(message string) string {
	if n == "" {
		return message
	}
	return strings.ReplaceAll(message, `"`+string(n)+"/", `"`)
}

// actions are those of a plan, without versions, which are those of the world.
func (n inside) actions(list deploy.Actions) deploy.Actions {
	list = slices.Clone(list)
	for i, action := range list {
		switch a := action.(type) {
		case deploy.CreateReplicaSet:
			a.Name = n.name(a.Name)
			list[i] = a
		case deploy.ScaleReplicaSet:
			a.Name, a.ResourceVersion = n.name(a.Name), ""
			list[i] = a
		case deploy.AnnotateReplicaSet:
			a.Name, a.ResourceVersion = n.name(a.Name), ""
			list[i] = a
		case deploy.DeleteReplicaSet:
			a.Name, a.ResourceVersion = n.name(a.Name), ""
			list[i] = a
		case deploy.AdoptReplicaSet:
			a.Name = n.name(a.Name)
			list[i] = a
		case deploy.RollBackDeployment:
			a.Name = n.name(a.Name)
			list[i] = a
		case deploy.PauseDeployment:
			a.ResourceVersion = ""
			list[i] = a
		case deploy.ReleaseReplicaSet:
			a.Name = n.name(a.Name)
			list[i] = a
		}
	}
	return list
}

// numbers returns the counts of a [Step] at the start and at each instant at which one of them has
// changed, in the order of time: steps are only where the Deployment's planner acted, and pods also
// become ready or available between them.
func numbers(h *record.History, zones podorder.Domains) (list []Step) {
	var now changes
	var sets []*replicaSetMoment // that are there, by creation
	for i := range h.ReplicaSets {
		m := &h.ReplicaSets[i]
		now.add(m.Time, func() { sets = replaced(sets, m) })
	}
	counts := map[string]int32{}
	for _, zone := range zones {
		if zone != "" {
			counts[zone] = 0
		}
	}
	for i := range h.Pods {
		p := &h.Pods[i]
		zone, was := zones[p.Pod.NodeName], int32(0)
		if zone == "" {
			continue
		}
		for _, s := range p.Stages {
			is := int32(0)
			if s.Is == record.Scheduled || s.Is == record.Ready {
				is = 1
			}
			if change := is - was; change != 0 {
				now.add(s.Time, func() { counts[zone] += change })
			}
			was = is
		}
	}
	now.each(func(at time.Time) {
		s := Step{Time: at.Sub(h.Start)}
		for _, m := range sets {
			number, _ := revision.Number(m.Object.Annotations)
			replicas := int32(1)
			if m.Object.Replicas != nil {
				replicas = *m.Object.Replicas
			}
			s.add(ReplicaSet{m.Object.Name, number, replicas, m.Object.Status.ReadyReplicas, m.Object.Status.AvailableReplicas})
		}
		if len(counts) > 0 {
			s.Zones = maps.Clone(counts)
		}
		if n := len(list); n == 0 || !slices.Equal(list[n-1].ReplicaSets, s.ReplicaSets) || !maps.Equal(list[n-1].Zones, s.Zones) {
			list = append(list, s)
		}
	})
	return list
}

type replicaSetMoment = record.Moment[replicaset.ReplicaSet]

// replaced puts a ReplicaSet in the place of what it was before.
func replaced(sets []*replicaSetMoment, m *replicaSetMoment) []*replicaSetMoment {
	i := slices.IndexFunc(sets, func(o *replicaSetMoment) bool { return o.Object.UID == m.Object.UID })
	switch {
	case m.Gone && i >= 0:
		return slices.Delete(sets, i, i+1)
	case m.Gone:
		return sets
	case i < 0:
		return append(sets, m)
	}
	sets[i] = m
	return sets
}

// A happened is what changed at an instant.
type happened struct {
	at time.Time
	do func()
}

// changes are what happened, in any order.
type changes []happened

func (c *changes) add(at time.Time, do func()) { *c = append(*c, happened{at, do}) }

// each lets everything happen in the order of time, and calls a function after each instant.
func (c changes) each(after func(at time.Time)) {
	slices.SortStableFunc(c, func(a, b happened) int { return a.at.Compare(b.at) })
	for i := range c {
		c[i].do()
		if i+1 == len(c) || !c[i+1].at.Equal(c[i].at) {
			after(c[i].at)
		}
	}
}

// historyOf is a recording as timelines read it.
func historyOf(r *sim.Recording) *record.History {
	h := &record.History{Start: r.Start}
	for i := range r.Pods {
		for _, s := range r.Pods[i].Stages {
			h.Saw(s.At, &r.Pods[i].Pod, record.Life(s.Stage))
		}
	}
	for i := range r.Deployments {
		m := &r.Deployments[i]
		h.Deployments = append(h.Deployments, record.Moment[deploy.Deployment]{Time: m.At, Object: m.Object.Deployment, Gone: m.Gone})
	}
	for i := range r.ReplicaSets {
		m := &r.ReplicaSets[i]
		h.ReplicaSets = append(h.ReplicaSets, replicaSetMoment{Time: m.At, Object: m.Object, Gone: m.Gone})
	}
	for i := range r.DaemonSets {
		m := &r.DaemonSets[i]
		h.DaemonSets = append(h.DaemonSets, record.Moment[daemonset.DaemonSet]{Time: m.At, Object: m.Object.DaemonSet, Gone: m.Gone})
	}
	return h
}

// WithoutNamespace takes the namespace out of the names of a history, where a world has it and a cluster
// has not. There may be no history.
func WithoutNamespace(h *record.History, namespace string) {
	n := inside(namespace)
	if h == nil || n == "" {
		return
	}
	for i := range h.Pods {
		p := &h.Pods[i].Pod
		p.Name, p.ControllerName = n.name(p.Name), n.name(p.ControllerName)
	}
	for i := range h.Deployments {
		h.Deployments[i].Object.Name = n.name(h.Deployments[i].Object.Name)
	}
	for i := range h.ReplicaSets {
		rs := &h.ReplicaSets[i].Object
		rs.Name, rs.ControllerName = n.name(rs.Name), n.name(rs.ControllerName)
	}
}
