// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TemplateOf returns the template that a pod was made from, by its labels and its owner; "" if
// they do not.
func (e *Env) TemplateOf(p *store.Pod) string {
	if p.OfDaemonSet {
		return p.Labels[daemonset.LabelHash]
	}
	if o := e.setOf(p); o != nil {
		return podset.TemplateOf(&o.Set, podset.RevisionOf(p.Plain()))
	}
	if rs := e.ReplicaSetOf(p); rs != nil {
		return e.Life.Key(rs.Template)
	}
	return p.Labels[workload.LabelPodTemplateHash]
}

// setOf returns the set of a pod, or nil.
func (e *Env) setOf(p *store.Pod) *store.Set {
	if o := e.Sets.Get(p.ControllerName); o != nil && o.UID == p.ControllerUID {
		return o
	}
	return nil
}

// writePod creates a pod, or changes all that is no part of its life. A pod that gets another
// revision of its set is updated in place, and has to become ready again.
func (c *ownController) writePod(r apiserver.Request, o *podorder.Pod) apiserver.Answer {
	if r.Verb == store.Create {
		pod := &store.Pod{}
		*pod.Plain() = *o
		return c.createPod(r, pod)
	}
	restart := false
	a := c.ChangePod(r, func(stored *store.Pod) {
		before := podset.RevisionOf(stored.Plain())
		takePod(stored, o)
		if restart = before != podset.RevisionOf(stored.Plain()) && c.env.setOf(stored) != nil; restart {
			stored.Ready, stored.ReadySince = false, c.Agenda.Now()
			stored.UpdatedTo(c.env.TemplateOf(stored))
		}
	})
	if restart {
		c.env.Life.Restart(r.Name)
	}
	return a
}

// writeDaemonPod is writePod for a pod of a DaemonSet. If its gate is closed, its node pulls images.
func (c *ownController) writeDaemonPod(r apiserver.Request, o *daemonset.Pod) apiserver.Answer {
	if r.Verb == store.Create {
		return c.createPod(r, &store.Pod{Pod: *o, OfDaemonSet: true})
	}
	closed := false
	a := c.ChangePod(r, func(stored *store.Pod) {
		takePod(stored, &o.Pod)
		closed = c.takeInPlace(stored, o)
	})
	if closed {
		c.env.Life.Pull(r.Name)
	}
	return a
}

// createPod creates a pod, which gets a name if it has none.
func (c *ownController) createPod(r apiserver.Request, p *store.Pod) apiserver.Answer {
	if p.Name == "" {
		p.Name = c.env.podName(p.ControllerName)
	}
	p.Template = c.env.TemplateOf(p)
	_, a := c.CreatePod(r, p)
	return a
}

// takePod takes over all that is no part of the life of a pod.
func takePod(stored *store.Pod, o *podorder.Pod) {
	stored.Labels, stored.Annotations = o.Labels, o.Annotations
	stored.ControllerKind, stored.ControllerName, stored.ControllerUID = o.ControllerKind, o.ControllerName, o.ControllerUID
}

// takeInPlace takes over all that an update in place changes, and reports whether the gate of the pod
// is closed. Once the gate is open, the pod is as ready as its containers.
func (c *ownController) takeInPlace(stored *store.Pod, o *daemonset.Pod) (closed bool) {
	wasOpen := stored.InPlace != nil && stored.InPlace.True
	containers := slices.Clone(o.Containers)
	for i := range containers {
		containers[i].Status = nil // the node writes it
		for _, of := range stored.Containers {
			if of.Name == containers[i].Name {
				containers[i].Status = of.Status
			}
		}
	}
	stored.ReadinessGates, stored.Containers, stored.InPlace = o.ReadinessGates, containers, o.InPlace
	if closed = isClosed(o.InPlace); closed {
		stored.UpdatedTo(c.env.TemplateOf(stored))
	} else {
		stored.Template = c.env.TemplateOf(stored)
	}
	opens := !wasOpen && o.InPlace != nil && o.InPlace.True && life.ContainersReady(stored)
	if closed && stored.Ready || opens && !stored.Ready {
		stored.Ready, stored.ReadySince = opens, c.Agenda.Now()
	}
	return closed
}

func isClosed(gate *inplace.ReadyCondition) bool { return gate != nil && !gate.True }
