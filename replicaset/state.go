// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure is what counting goes by, other than the pods and the time.
type measure struct {
	set      *ReplicaSet
	owner    claim.Owner
	unusable error // why the selector cannot be compiled
	dialect  Dialect
	template []label // of new pods
	implied  bool    // the selector matches all pods with these labels
}

func newMeasure(rs *ReplicaSet, dialect Dialect) measure {
	m := measure{set: rs, owner: Owner(rs), dialect: dialect, template: make([]label, 0, len(rs.TemplateLabels))}
	if rs.Selector != nil {
		m.owner.Selector, m.unusable = selector.FromLabelSelector(rs.Selector)
	}
	for key, value := range rs.TemplateLabels {
		m.template = append(m.template, label{key, value})
	}
	m.implied = rs.Selector != nil && implied(rs)
	return m
}

// implied reports whether the selector of rs matches whatever has the labels of its template,
// as it does in all but odd ones. Expressions are not looked at.
func implied(rs *ReplicaSet) bool {
	for key, value := range rs.Selector.MatchLabels {
		if v, ok := rs.TemplateLabels[key]; !ok || v != value {
			return false
		}
	}
	return len(rs.Selector.MatchExpressions) == 0
}

type label struct{ key, value string }

// A state is what one pod counts for.
type state struct {
	role                role
	fullyLabeled, ready bool
	availability        availability
}

// An availability says whether a pod is available.
type availability uint8

const (
	unavailable availability = iota // and time alone does not change that
	waiting                         // it will be, at an instant
	available
)

// concerns reports whether the ReplicaSet or nobody controls a pod. Others are not looked at.
func (m *measure) concerns(p *podorder.Pod) bool {
	return p.ControllerUID == m.set.UID || p.ControllerUID == ""
}

// state returns what a pod of concern counts for and, if it is waiting, the instant at
// which it becomes available.
func (m *measure) state(p *podorder.Pod) (s state, at time.Time) {
	if m.implied && p.ControllerUID == m.set.UID && p.Active() && hasLabels(p.Labels, m.template) {
		s.role, s.fullyLabeled = roleActive, true // nearly all pods, for half of the lookups
	} else {
		s.role = m.role(p)
		if !s.role.counts() {
			return s, at
		}
		s.fullyLabeled = hasLabels(p.Labels, m.template)
	}
	if s.ready = p.Ready; !s.ready {
		return s, at
	}
	if m.set.MinReadySeconds == 0 {
		s.availability = available
		return s, at
	}
	at, ok := p.AvailableAt(m.set.MinReadySeconds)
	if !ok { // without a ready time it never becomes available
		return s, at
	}
	s.availability = waiting
	if m.dialect == Kubernetes15 {
		at = at.Add(1) // not at the instant, but after it
	}
	return s, at
}

func hasLabels(labels map[string]string, template []label) bool {
	for _, l := range template {
		if value, ok := labels[l.key]; !ok || value != l.value {
			return false
		}
	}
	return true
}
