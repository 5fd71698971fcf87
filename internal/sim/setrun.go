// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// beginSet is that of a CloneSet or a StatefulSet. What it keeps old is nothing: all of its
// pods are of one template.
func (w *World) beginSet(set *podset.Set) {
	o := &Set{Set: *set}
	w.ref.APIVersion, w.ref.Kind = o.APIVersion, o.Kind
	o.Ref, o.UID, o.Generation, o.Labels, o.Annotations = w.ref, "", 1, nil, nil
	o.Status, o.StableRevision, o.UpdateRevision = workload.Status{}, "", ""
	o.Partition, o.Paused, o.TemplateLabels = rollout.IntOrPercent{}, false, appWeb
	w.addSetController()
	create(w, &w.store.sets, by(User), o)
}

// A DaemonSetRelease is a DaemonSet as it is before a release, and what it is to run then.
type DaemonSetRelease struct {
	Ref       workload.Ref
	DaemonSet daemonset.DaemonSet
	Nodes     []daemonset.Node
	Template  daemonset.Template // the new one
	Options   daemonset.Options
}

// beginDaemonSet is that of a DaemonSet. One of Kubernetes has a helper.
func (w *World) beginDaemonSet(c *DaemonSetRelease) {
	w.ref.APIVersion, w.ref.Kind = c.Ref.APIVersion, c.Ref.Kind
	d := &DaemonSet{DaemonSet: c.DaemonSet}
	w.daemonTemplates = map[string]daemonset.Template{d.Template.Hash: d.Template, c.Template.Hash: c.Template}
	for hash, t := range w.daemonTemplates {
		t.Labels = appWeb
		w.daemonTemplates[hash] = t
	}
	d.Name, d.UID, d.Status, d.Annotations, d.Generation = w.ref.Name, "", daemonset.Status{}, nil, 1
	d.Selector, d.Template.Labels = selector.FromLabels(appWeb), appWeb
	d.Partition, d.Paused = rollout.IntOrPercent{}, false
	for _, n := range c.Nodes {
		create(w, &w.store.nodes, by(User), &Node{Node: n})
	}
	w.addDaemonSetController(c.Options)
	if w.ref.Group() == "apps" {
		w.addDaemonHelper()
	}
	create(w, &w.store.daemonSets, by(User), d)
}

// describePods adds the pods of a workload without ReplicaSets. Its status may count available
// ones that are going.
func (r *rolloutRecorder) describePods(step *RolloutStep, wanted string, available int32) {
	for revision, n := range r.pods {
		if revision == wanted {
			step.New, step.NewReady = n, r.ready[revision]
		} else {
			step.Old += n
			step.OldReady += r.ready[revision]
		}
	}
	step.Available = min(available, step.NewReady+step.OldReady)
}

// countDaemon counts a pod of a DaemonSet that has changed.
func (r *rolloutRecorder) countDaemon(old, p *daemonset.Pod) {
	pod := func(d *daemonset.Pod) *podorder.Pod {
		if d == nil {
			return nil
		}
		return &d.Pod
	}
	r.count(pod(old), pod(p))
}
