// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure holds all inputs of counting except the pods and the time.
type measure struct {
	uid           string // of the ReplicaSet
	minReady      int32  // its MinReadySeconds
	selects       bool   // it has a selector
	owner         claim.Owner
	unusable      error // why the selector cannot be compiled, or why it must be set
	dialect       Dialect
	anyController bool    // pods count with any controller
	template      []label // the labels of new pods
	implied       bool    // the selector selects all pods with the template labels
}

// errUnselected is the error of a missing selector if pods belong to a ReplicaSet by the selector
// alone.
var errUnselected = errors.New("it alone says which pods belong to the ReplicaSet")

func newMeasure(rs *ReplicaSet, dialect Dialect) measure {
	m := measure{
		uid: rs.UID, minReady: rs.MinReadySeconds, selects: rs.Selector != nil, owner: Owner(rs),
		dialect: dialect, anyController: dialect == Kubernetes15WithoutGarbageCollector,
		template: make([]label, 0, len(rs.TemplateLabels)),
	}
	for key, value := range rs.TemplateLabels {
		m.template = append(m.template, label{key, value})
	}
	if m.selects {
		m.owner.Selector, m.unusable = selector.FromLabelSelector(rs.Selector)
		m.implied = m.unusable == nil && len(rs.Selector.MatchExpressions) == 0 && m.owner.Selector.Matches(rs.TemplateLabels)
	} else if m.anyController {
		m.unusable = errUnselected
	}
	return m
}

type label struct{ key, value string }

// A state is the contribution of one pod to the counts.
type state struct {
	role                role
	fullyLabeled, ready bool
	availability        availability
}

// An availability is the state of a pod: unavailable, waiting or available.
type availability uint8

const (
	unavailable availability = iota // and time alone does not change that
	waiting                         // it becomes available at an instant
	available
)

// concerns reports whether a pod may belong to the ReplicaSet: whether it controls the pod,
// the pod is an orphan, or pods count with any controller. Other pods are ignored.
func (m *measure) concerns(p *podorder.Pod) bool {
	return p.ControllerUID == m.uid || p.ControllerUID == "" || m.anyController
}

// plain reports whether a pod is controlled by the ReplicaSet, active, and has all labels of the
// template, and these labels imply the selector. Such a pod is kept, and most pods are such pods:
// one comparison of labels is enough for them.
func (m *measure) plain(p *podorder.Pod) bool {
	return m.implied && (p.ControllerUID == m.uid || m.anyController) && p.Active() && hasLabels(p.Labels, m.template)
}

// state returns the state of a relevant pod and, if it is waiting, the instant at which it
// becomes available.
func (m *measure) state(p *podorder.Pod) (s state, at time.Time) {
	s.role = m.role(p)
	if !s.role.counts() {
		return s, at
	}
	s.fullyLabeled = hasLabels(p.Labels, m.template)
	if s.ready = p.Ready; s.ready {
		s.availability, at = m.availability(p)
	}
	return s, at
}

// availability returns whether a ready pod is available and, if it is waiting, the instant at
// which it becomes available.
func (m *measure) availability(p *podorder.Pod) (availability, time.Time) {
	if m.minReady == 0 {
		return available, time.Time{}
	}
	at, ok := p.AvailableAt(m.minReady)
	if !ok { // without a ready time it never becomes available
		return unavailable, time.Time{}
	}
	if m.dialect.is15() {
		at = at.Add(1) // not at the instant, but after it
	}
	return waiting, at
}

func hasLabels(labels map[string]string, template []label) bool {
	for _, l := range template {
		if value, ok := labels[l.key]; !ok || value != l.value {
			return false
		}
	}
	return true
}
