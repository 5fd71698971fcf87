// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure is what counting goes by, other than the pods and the time.
type measure struct {
	uid      string // of the ReplicaSet
	minReady int32  // its MinReadySeconds
	selects  bool   // it has a selector
	owner    claim.Owner
	unusable error // why the selector cannot be compiled, or why there has to be one
	dialect  Dialect
	anyones  bool // pods count whoever controls them
	implied  bool // the selector matches all pods with the labels of the template; then it is not compiled

	selected   int              // labels of the template, its first ones, that are those of an implied selector
	labels     int              // of the template
	fewLabels  [fewLabels]label // or, if there are more,
	manyLabels []label
}

// errUnselected is why a selector is needed by which alone pods belong to a ReplicaSet.
var errUnselected = errors.New("it alone says which pods belong to the ReplicaSet")

func newMeasure(rs *ReplicaSet, dialect Dialect) (m measure) {
	m.fill(rs, dialect)
	return m
}

func (m *measure) fill(rs *ReplicaSet, dialect Dialect) {
	m.uid, m.minReady, m.selects = rs.UID, rs.MinReadySeconds, rs.Selector != nil
	m.owner = Owner(rs)
	m.dialect, m.anyones = dialect, dialect == Kubernetes15WithoutGarbageCollector
	if m.labels = len(rs.TemplateLabels); m.labels > fewLabels {
		m.manyLabels = make([]label, m.labels)
	}
	template, i := m.template(), 0
	for key, value := range rs.TemplateLabels {
		template[i] = label{key, value}
		i++
	}
	if m.unusable = nil; m.anyones && !m.selects {
		m.unusable = errUnselected
	}
	if s := rs.Selector; s != nil {
		m.putFirst(s)
		if m.implied = m.selected == len(s.MatchLabels) && len(s.MatchExpressions) == 0; m.implied {
			m.owner.Selector = selector.Everything() // see [measure.rejects]
		} else {
			m.owner.Selector, m.unusable = selector.FromLabelSelector(s)
		}
	}
}

// fewLabels is how many labels of a template need no memory of their own.
const fewLabels = 3

// template returns the labels of new pods.
func (m *measure) template() []label {
	if m.labels > fewLabels {
		return m.manyLabels
	}
	return m.fewLabels[:m.labels]
}

// putFirst puts those labels of the template first that are valid labels of a selector.
func (m *measure) putFirst(s *selector.LabelSelector) {
	template := m.template()
	for i, l := range template {
		value, ok := s.MatchLabels[l.key]
		if ok && value == l.value && len(selector.ValidateKey(l.key)) == 0 && len(selector.ValidateValue(value)) == 0 {
			template[i], template[m.selected] = template[m.selected], l
			m.selected++
		}
	}
}

// rejects reports whether p lacks a label of an implied selector. These are some labels, which it
// takes less time to compare than to compile.
func (m *measure) rejects(p *podorder.Pod) bool {
	return m.implied && !hasLabels(p.Labels, m.template()[:m.selected])
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

// concerns reports whether a pod may be the ReplicaSet's: whether it or nobody controls the pod,
// unless pods count whoever controls them. Others are not looked at.
func (m *measure) concerns(p *podorder.Pod) bool {
	return p.ControllerUID == m.uid || p.ControllerUID == "" || m.anyones
}

// plain reports whether a pod is like most: controlled by the ReplicaSet, active, and with all
// labels of the template. If these imply the selector the pod is kept, and one comparison of
// labels is enough.
func (m *measure) plain(p *podorder.Pod) bool {
	return m.implied && (p.ControllerUID == m.uid || m.anyones) && p.Active() && hasLabels(p.Labels, m.template())
}

// state returns what a pod of concern counts for and, if it is waiting, the instant at
// which it becomes available.
func (m *measure) state(p *podorder.Pod) (s state, at time.Time) {
	s.role = m.role(p)
	if !s.role.counts() {
		return s, at
	}
	s.fullyLabeled = hasLabels(p.Labels, m.template())
	if s.ready = p.Ready; s.ready {
		s.availability, at = m.availability(p)
	}
	return s, at
}

// availability returns whether a ready pod is available and, if it is waiting, the instant at
// which it becomes so.
func (m *measure) availability(p *podorder.Pod) (availability, time.Time) {
	if m.minReady == 0 {
		return available, time.Time{}
	}
	at, ok := p.AvailableAt(m.minReady)
	if !ok { // without a ready time it never becomes available
		return unavailable, at
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
