package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

func (p *daemonSetPass) perform(a daemonset.Action) answer {
	c := p.c
	d := &p.s.DaemonSet
	switch a := a.(type) {
	case daemonset.CreatePod:
		return c.ask(func() answer { return p.createPod(a) })
	case daemonset.DeletePod:
		return c.ask(func() answer {
			pod := c.w.podNamed(a.Name, true)
			if pod.Pod == nil {
				return c.w.answered(notFound)
			}
			return c.w.deletePod(pod, p.request(Delete, a.Object, a))
		})
	case daemonset.RelabelPod:
		return p.changePod(a.Object, a, func(o *daemonset.Pod) { o.Labels = labelled(o.Labels, daemonset.LabelHash, a.To) })
	case daemonset.PreparePod:
		return p.changePod(a.Object, a, func(o *daemonset.Pod) {
			if a.State != "" {
				o.Labels = labelled(o.Labels, daemonset.LabelState, a.State)
				o.Annotations = labelled(o.Annotations, daemonset.AnnotationStateSince, a.Since.Format(time.RFC3339))
			}
		})
	case daemonset.AdoptPod:
		if !p.live() {
			return invalid
		}
		return p.changePod(a.Object, a, func(o *daemonset.Pod) {
			o.ControllerKind, o.ControllerName, o.ControllerUID = daemonset.Kind, d.Name, d.UID
		})
	case daemonset.ReleasePod:
		return p.changePod(a.Object, a, func(o *daemonset.Pod) { o.ControllerKind, o.ControllerName, o.ControllerUID = "", "", "" })
	case daemonset.UpdatePod:
		return p.changePod(a.Object, a, func(o *daemonset.Pod) {
			o.Labels = labelled(o.Labels, daemonset.LabelHash, a.To)
			o.Ready, o.ReadySince, o.InPlace = false, c.w.now, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
			putInPlace(o, &a.Patch)
		})
	case daemonset.RefreshPod:
		return p.changePod(a.Object, a, func(o *daemonset.Pod) {
			if a.OpenGate {
				o.InPlace = &inplace.ReadyCondition{True: true}
				if containersReady(o) && !o.Ready {
					o.Ready, o.ReadySince = true, c.w.now
				}
			}
			if a.DropGrace {
				o.Annotations = maps.Clone(o.Annotations)
				delete(o.Annotations, inplace.AnnotationGrace)
			}
			if a.Patch != nil {
				putInPlace(o, a.Patch)
			}
		})
	}
	return p.performRevision(a)
}

func (p *daemonSetPass) performRevision(a daemonset.Action) answer {
	c, d := p.c, &p.s.DaemonSet
	table := &c.w.store.revisions
	change := func(o daemonset.Object, f func(*revision.ControllerRevision)) answer {
		return c.ask(func() answer {
			_, answer := update(c.w, table, p.request(Update, o, a), f)
			return answer
		})
	}
	switch a := a.(type) {
	case daemonset.CreateRevision:
		return c.ask(func() answer {
			_, answer := create(c.w, table, p.request(Create, daemonset.Object{Name: a.Name}, a), &revision.ControllerRevision{
				Name: a.Name, Labels: a.Labels, Annotations: a.Annotations, Data: a.Data, Revision: a.Revision,
				ControllerKind: daemonset.Kind, ControllerName: d.Name, ControllerUID: d.UID, CreationTimestamp: c.w.now,
			})
			return answer
		})
	case daemonset.UpdateRevision:
		return change(a.Object, func(r *revision.ControllerRevision) {
			r.Revision = a.To
			if a.Hash != "" {
				r.Labels = labelled(r.Labels, daemonset.LabelHash, a.Hash)
			}
		})
	case daemonset.AdoptRevision:
		if !p.live() {
			return invalid
		}
		return change(a.Object, func(r *revision.ControllerRevision) {
			r.ControllerKind, r.ControllerName, r.ControllerUID = daemonset.Kind, d.Name, d.UID
		})
	case daemonset.ReleaseRevision:
		return change(a.Object, func(r *revision.ControllerRevision) { r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", "" })
	case daemonset.DeleteRevision:
		return c.ask(func() answer { return remove(c.w, table, p.request(Delete, a.Object, a)) })
	}
	c.w.fail(fmt.Errorf("unknown action %T", a))
	return invalid
}

func (p *daemonSetPass) changePod(o daemonset.Object, a daemonset.Action, f func(*daemonset.Pod)) answer {
	c := p.c
	return c.ask(func() answer {
		pod, answer := update(c.w, &c.w.store.daemons, p.request(Update, o, a), f)
		if answer == done && pod.InPlace != nil && !pod.InPlace.True {
			c.w.schedulePod(c.w.podNamed(pod.Name, true), pull, c.w.delay(c.w.pace.start))
		}
		return answer
	})
}

func (p *daemonSetPass) createPod(a daemonset.CreatePod) answer {
	w, d := p.c.w, &p.s.DaemonSet
	if w.podLimit > 0 && len(w.store.daemons.all()) >= w.podLimit {
		return w.answered(forbidden)
	}
	name := w.podName(d.Name)
	pod := &daemonset.Pod{Pod: podorder.Pod{
		Name: name, Labels: labelled(d.Template.Labels, daemonset.LabelHash, a.Hash), ControllerKind: daemonset.Kind,
		ControllerName: d.Name, ControllerUID: d.UID, CreationTimestamp: w.now, Phase: podorder.Pending,
	}, PinnedNode: a.Node}
	if a.Generation != "" {
		pod.Labels[daemonset.LabelGeneration] = a.Generation
	}
	if a.Bind {
		pod.NodeName = a.Node
	}
	if a.Gate {
		pod.ReadinessGates = []string{inplace.Gate}
		pod.Containers = inplace.Containers(d.Template.Data)
	}
	_, answer := create(w, &w.store.daemons, p.request(Create, daemonset.Object{Name: name}, a), pod)
	if answer == done {
		w.beginPod(w.podNamed(name, true))
	}
	return answer
}

// containersReady reports whether nothing but a gate keeps a pod from being ready.
func containersReady(p *daemonset.Pod) bool {
	return p.Phase == podorder.Running && !slices.ContainsFunc(p.Containers, func(c inplace.Container) bool {
		return c.Status == nil || !c.Status.Ready
	})
}

// putInPlace writes a batch of an update in place to a pod.
func putInPlace(p *daemonset.Pod, batch *inplace.Put) {
	p.Containers = slices.Clone(p.Containers)
	for i := range p.Containers {
		if image, ok := batch.Images[p.Containers[i].Name]; ok {
			p.Containers[i].Image = image
		}
	}
	labels, annotations := maps.Clone(p.Labels), maps.Clone(p.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	maps.Copy(labels, batch.Labels)
	maps.Copy(annotations, batch.Annotations)
	for _, key := range batch.RemoveLabels {
		delete(labels, key)
	}
	for _, key := range batch.RemoveAnnotations {
		delete(annotations, key)
	}
	if state, err := json.Marshal(batch.State); err == nil {
		annotations[inplace.AnnotationState] = string(state)
	}
	p.Labels, p.Annotations = labels, annotations
}

func sameDaemonSetStatus(a, b *daemonset.Status) bool {
	x, y := *a, *b
	x.CollisionCount, y.CollisionCount = nil, nil
	return x == y && same(a.CollisionCount, b.CollisionCount)
}
