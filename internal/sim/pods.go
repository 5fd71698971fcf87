// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// A podRef is a pod of either table.
type podRef struct {
	*podorder.Pod
	number int32
	daemon bool
}

// podAt returns the pod with a number. One that is gone is nil.
func (s *store) podAt(number int32, daemon bool) podRef {
	if !daemon {
		return podRef{s.pods.numbered(number), number, false}
	}
	if p := s.daemons.numbered(number); p != nil {
		return podRef{&p.Pod, number, true}
	}
	return podRef{}
}

// podNamed returns the pod with a name. One that is not there is nil.
func (s *store) podNamed(name string, daemon bool) podRef {
	number := s.pods.number(name)
	if daemon {
		number = s.daemons.number(name)
	}
	if number == gone {
		return podRef{}
	}
	return s.podAt(number, daemon)
}

// allPods returns the pods of both tables.
func (s *store) allPods() []podRef {
	all := make([]podRef, 0, s.pods.size()+s.daemons.size())
	for i, p := range s.pods.all() {
		all = append(all, podRef{p, s.pods.numbers[i], false})
	}
	for i, p := range s.daemons.all() {
		all = append(all, podRef{&p.Pod, s.daemons.numbers[i], true})
	}
	return all
}

// templateOf returns what the pod was made from: the template of its ReplicaSet, or the
// hash of its revision.
func (s *store) templateOf(p podRef) revision.Template {
	if p.daemon {
		return revision.Template{ID: p.Labels[daemonset.LabelHash], Hash: p.Labels[daemonset.LabelHash]}
	}
	if t, ok := s.setTemplateOf(p.Pod); ok {
		return t
	}
	if rs := s.replicaSets.named(p.ControllerName); rs != nil {
		return rs.Template
	}
	return revision.Template{}
}

// setTemplateOf returns what a pod of a set was made from.
func (s *store) setTemplateOf(p *podorder.Pod) (t revision.Template, ok bool) {
	i := s.setOf(p)
	if i < 0 {
		return t, false
	}
	id := strings.TrimPrefix(podset.RevisionOf(p), s.sets.all()[i].Name+"-")
	return revision.Template{ID: id, Hash: id}, true
}

// setOf returns the place of the set of a pod, below 0 if it has none.
func (s *store) setOf(p *podorder.Pod) int {
	return slices.IndexFunc(s.sets.all(), func(o *Set) bool { return o.UID == p.ControllerUID })
}
