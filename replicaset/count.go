package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/podorder"
)

// The counts of a snapshot are what each pod is to the ReplicaSet, and how many pods are
// in which state.
type counts struct {
	roles []role // of each pod

	active, fullyLabeled, ready, available, terminating int32
	adopt, release                                      int32

	nextAvailable time.Time // earliest instant after now at which a ready pod becomes available
}

// count claims and counts the pods (Claims, and What counts, in rules.md). Those of a
// selector that cannot be used are not looked at. It is an error if two pods that the
// plan may touch cannot be told apart.
func (in *input) count() (counts, error) {
	var c counts
	if in.unusable {
		return c, nil
	}
	c.roles = make([]role, len(in.Pods))
	template := in.templateLabels()
	var touched duplicateCheck
	for i := range in.Pods {
		p := &in.Pods[i]
		if p.ControllerUID != in.ReplicaSet.UID && p.ControllerUID != "" {
			continue // the most common case by far
		}
		role := in.role(p)
		if c.roles[i] = role; role != roleNone {
			touched.add(p)
		}
		switch role {
		case roleTerminating:
			c.terminating++
		case roleActive:
			c.addActive(p, in, template)
		case roleAdopt:
			c.adopt++
			c.addActive(p, in, template)
		case roleRelease:
			c.release++
		}
	}
	return c, touched.check(in.Pods, c.roles)
}

type label struct{ key, value string }

func (in *input) templateLabels() []label {
	template := make([]label, 0, len(in.ReplicaSet.TemplateLabels))
	for key, value := range in.ReplicaSet.TemplateLabels {
		template = append(template, label{key, value})
	}
	return template
}

func (c *counts) addActive(p *podorder.Pod, in *input, template []label) {
	c.active++
	if hasLabels(p.Labels, template) {
		c.fullyLabeled++
	}
	if !p.Ready {
		return
	}
	c.ready++
	if in.ReplicaSet.MinReadySeconds == 0 {
		c.available++
		return
	}
	at, ok := p.AvailableAt(in.ReplicaSet.MinReadySeconds)
	if in.opts.Dialect == Kubernetes15 {
		at = at.Add(1) // not at the instant, but after it
	}
	switch {
	case !ok: // without a ready time it never becomes available
	case !at.After(in.now):
		c.available++
	case c.nextAvailable.IsZero() || at.Before(c.nextAvailable):
		c.nextAvailable = at
	}
}

func hasLabels(labels map[string]string, template []label) bool {
	for _, l := range template {
		if value, ok := labels[l.key]; !ok || value != l.value {
			return false
		}
	}
	return true
}

// candidates returns the numbers of the pods that count.
func (c *counts) candidates() []int {
	candidates := make([]int, 0, c.active)
	for i, role := range c.roles {
		if role.counts() {
			candidates = append(candidates, i)
		}
	}
	return candidates
}

// A duplicateCheck is what claiming notes of the pods that the plan may touch, while
// each is at hand.
type duplicateCheck struct {
	names, uids field.Ascent
	nameless    bool
}

func (s *duplicateCheck) add(p *podorder.Pod) {
	s.names.Add(p.Name)
	s.uids.Add(p.UID)
	s.nameless = s.nameless || p.Name == ""
}

// check returns what is wrong with the pods that the plan may touch.
func (s *duplicateCheck) check(pods []podorder.Pod, roles []role) error {
	var errs field.Errors
	if s.nameless {
		errs.Add(field.Element("Pods", "")+".Name", "", "must be set")
	}
	text := func(of func(*podorder.Pod) string) func(int) string {
		return func(i int) string {
			if roles[i] == roleNone {
				return ""
			}
			return of(&pods[i])
		}
	}
	if s.names.Broken() {
		if i, _, found := field.Duplicate(len(pods), text(func(p *podorder.Pod) string { return p.Name })); found {
			errs.Add(field.Element("Pods", pods[i].Name)+".Name", pods[i].Name, "must be unique")
		}
	}
	if s.uids.Broken() {
		if i, j, found := field.Duplicate(len(pods), text(func(p *podorder.Pod) string { return p.UID })); found {
			errs.Add(field.Element("Pods", min(pods[i].Name, pods[j].Name))+".UID", pods[i].UID, "must be unique")
		}
	}
	return errs.Join()
}
