package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure is what counting goes by, other than the pods and the time.
type measure struct {
	set      *ReplicaSet
	owner    claim.Owner
	unusable bool // the selector cannot be compiled
	dialect  Dialect
	template []label // of new pods
}

type label struct{ key, value string }

func templateLabels(rs *ReplicaSet) []label {
	template := make([]label, 0, len(rs.TemplateLabels))
	for key, value := range rs.TemplateLabels {
		template = append(template, label{key, value})
	}
	return template
}

// A state is what one pod counts for.
type state struct {
	role                role
	fullyLabeled, ready bool
	available           bool
	waits               bool // it is ready, and becomes available at an instant
}

// concerns reports whether the ReplicaSet or nobody controls a pod. Others are not looked at.
func (m *measure) concerns(p *podorder.Pod) bool {
	return p.ControllerUID == m.set.UID || p.ControllerUID == ""
}

// state returns what a pod of concern counts for and, if it waits, the instant.
func (m *measure) state(p *podorder.Pod) (s state, at time.Time) {
	s.role = m.role(p)
	if !s.role.counts() {
		return s, at
	}
	s.fullyLabeled = hasLabels(p.Labels, m.template)
	if s.ready = p.Ready; !s.ready {
		return s, at
	}
	if m.set.MinReadySeconds == 0 {
		s.available = true
		return s, at
	}
	at, s.waits = p.AvailableAt(m.set.MinReadySeconds) // without a ready time it never becomes available
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
