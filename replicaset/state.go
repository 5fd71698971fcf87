// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure holds the input of counting other than the pods and the time.
type measure struct {
	uid           string // of the ReplicaSet
	minReady      int32  // its MinReadySeconds
	selects       bool   // the ReplicaSet has a selector
	owner         claim.Owner
	unusable      error // why the selector cannot be used: invalid, or unset but needed
	dialect       Dialect
	anyController bool    // pods count with any controller
	template      []label // the labels of new pods
	implied       bool    // the selector selects all pods with the template labels
}

// errUnselected is the error of an unset selector for Kubernetes15WithoutGarbageCollector, in which
// the pods of a ReplicaSet are all selected pods.
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

// A state holds the properties of a pod that are counted.
type state struct {
	role                role
	fullyLabeled, ready bool
	availability        availability
}

// An availability tells whether a pod is available, and whether time alone makes it available.
type availability uint8

const (
	unavailable availability = iota // for as long as the pod does not change
	waiting                         // becomes available at a known time, if the pod stays ready
	available
)

// concerns reports whether a pod may belong to the ReplicaSet: its controller is the
// ReplicaSet, it has no controller, or pods count with any controller. Other pods are ignored.
func (m *measure) concerns(p *podorder.Pod) bool {
	return p.ControllerUID == m.uid || p.ControllerUID == "" || m.anyController
}

// plain reports whether the ReplicaSet controls a pod that is active and has all labels of the
// template, and the selector selects all pods with these labels. A plain pod is kept. Most pods
// are plain, and plain is a fast check: it compares the labels of the pod once.
func (m *measure) plain(p *podorder.Pod) bool {
	return m.implied && (p.ControllerUID == m.uid || m.anyController) && p.Active() && hasLabels(p.Labels, m.template)
}

// state returns the state of a pod for which concerns is true. If the pod is waiting, at is the
// time at which it becomes available, which may be in the past.
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

// availability returns the availability of a ready pod and, if it is waiting, the time at which it
// becomes available. It has no present time: a pod whose time has passed is also waiting.
func (m *measure) availability(p *podorder.Pod) (availability, time.Time) {
	if m.minReady == 0 {
		return available, time.Time{}
	}
	at, ok := p.AvailableAt(m.minReady)
	if !ok { // without a ready time it never becomes available
		return unavailable, time.Time{}
	}
	if m.dialect.is15() {
		at = at.Add(1) // 1.5 demands more than minReadySeconds
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
