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
func (w *World) podAt(number int32, daemon bool) podRef {
	if !daemon {
		return podRef{w.store.pods.numbered(number), number, false}
	}
	if p := w.store.daemons.numbered(number); p != nil {
		return podRef{&p.Pod, number, true}
	}
	return podRef{}
}

// podNamed returns the pod with a name. One that is not there is nil.
func (w *World) podNamed(name string, daemon bool) podRef {
	number := w.store.pods.number(name)
	if daemon {
		number = w.store.daemons.number(name)
	}
	if number == gone {
		return podRef{}
	}
	return w.podAt(number, daemon)
}

// allPods returns the pods of both tables.
func (w *World) allPods() []podRef {
	var all []podRef
	for i, p := range w.store.pods.all() {
		all = append(all, podRef{p, w.store.pods.numbers[i], false})
	}
	for i, p := range w.store.daemons.all() {
		all = append(all, podRef{&p.Pod, w.store.daemons.numbers[i], true})
	}
	return all
}

// templateOf returns what the pod was made from: the template of its ReplicaSet, or the
// hash of its revision.
func (w *World) templateOf(p podRef) revision.Template {
	if p.daemon {
		return revision.Template{ID: p.Labels[daemonset.LabelHash], Hash: p.Labels[daemonset.LabelHash]}
	}
	if t, ok := w.setTemplateOf(p.Pod); ok {
		return t
	}
	s := w.store
	if number := owning(&s.pods, p.number, &s.replicaSets, p.ControllerName); number != gone {
		return s.replicaSets.numbered(number).Template
	}
	return revision.Template{}
}

// setTemplateOf returns what a pod of a set was made from.
func (w *World) setTemplateOf(p *podorder.Pod) (t revision.Template, ok bool) {
	i := w.setOf(p)
	if i < 0 {
		return t, false
	}
	id := strings.TrimPrefix(podset.RevisionOf(p), w.store.sets.all()[i].Name+"-")
	return revision.Template{ID: id, Hash: id}, true
}

// setOf returns the place of the set of a pod, below 0 if it has none.
func (w *World) setOf(p *podorder.Pod) int {
	return slices.IndexFunc(w.store.sets.all(), func(o *Set) bool { return o.UID == p.ControllerUID })
}
