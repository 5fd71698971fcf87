// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/workload"
)

// checkDeployments tells what is wrong with Deployments that should be finished.
func (w *World) checkDeployments() error {
	if len(w.store.deployments.all()) != 1 {
		return fmt.Errorf("%d deployments", len(w.store.deployments.all()))
	}
	return w.checkDeployment(w.store.deployments.all()[0])
}

// checkDeployment tells what is wrong with a Deployment that should be finished.
func (w *World) checkDeployment(d *Deployment) error {
	if !deploy.Complete(d.Status, *d.Replicas, d.Generation) {
		return fmt.Errorf("deployment is at rest but not complete: %v, %d wanted", d.Status, *d.Replicas)
	}
	active := 0
	for _, rs := range w.store.replicaSets.all() {
		if rs.ControllerUID != d.UID || sizeOf(rs) == 0 {
			continue
		}
		active++
		if !rs.Template.Same(d.Template) || sizeOf(rs) != *d.Replicas {
			return fmt.Errorf("replica set %s has template %s and %d pods, wanted are %s and %d", rs.Name, rs.Template.ID, sizeOf(rs), d.Template.ID, *d.Replicas)
		}
		pods := slices.DeleteFunc(slices.Clone(w.store.pods.all()), func(p *podorder.Pod) bool {
			return p.ControllerUID != rs.UID || !p.Active() || !p.Available(rs.MinReadySeconds, w.now)
		})
		if len(pods) != int(sizeOf(rs)) {
			return fmt.Errorf("replica set %s has %d available pods of %d", rs.Name, len(pods), sizeOf(rs))
		}
	}
	if active != min(int(*d.Replicas), 1) {
		return fmt.Errorf("%d replica sets are in use", active)
	}
	return nil
}

// checkDaemonSets tells what is wrong with DaemonSets that should be finished.
func (w *World) checkDaemonSets() error {
	d := w.store.daemonSets.all()[0]
	var c *daemonSetController
	for _, o := range w.controllers {
		if o, ok := o.worker.(*daemonSetController); ok {
			c = o
		}
	}
	placer := daemonset.NewPlacer(&d.Template, c.options)
	hash := ""
	for _, r := range w.store.revisions.all() {
		if r.ControllerUID == d.UID && string(r.Data) == string(d.Template.Data) {
			hash = r.Labels[daemonset.LabelHash]
		}
	}
	for _, n := range w.store.nodes.all() {
		place := placer.Place(&n.Node)
		pods := 0
		for _, p := range w.store.daemons.all() {
			if p.ControllerUID != d.UID || p.NodeName != n.Name || !p.Active() {
				continue
			}
			pods++
			switch {
			case place.ShouldRun && p.Labels[daemonset.LabelHash] != hash:
				return fmt.Errorf("node %s: pod %s has hash %s, wanted is %s", n.Name, p.Name, p.Labels[daemonset.LabelHash], hash)
			case place.ShouldRun && !p.Available(d.MinReadySeconds, w.now):
				return fmt.Errorf("node %s: pod %s is not available", n.Name, p.Name)
			case !place.ShouldContinueRunning:
				return fmt.Errorf("node %s: pod %s should not run", n.Name, p.Name)
			}
		}
		if pods > 1 || pods == 0 && place.ShouldRun {
			return fmt.Errorf("node %s: %d pods", n.Name, pods)
		}
	}
	return nil
}

// checkSet tells what is wrong with a set that should be finished.
func (w *World) checkSet(o *Set) error {
	replicas, available := o.DesiredReplicas(), int32(0)
	wanted := o.Name + "-" + w.hash(o.Template.ID, nil)
	for _, p := range w.store.pods.all() {
		if p.ControllerUID != o.UID || !p.Active() {
			continue
		}
		if podset.RevisionOf(p) != wanted {
			return fmt.Errorf("pod %s is of %s, wanted is %s", p.Name, podset.RevisionOf(p), wanted)
		}
		if p.Available(o.MinReadySeconds, w.now) {
			available++
		}
	}
	want := workload.Status{
		ObservedGeneration: o.Generation, Replicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas, UpdatedReplicas: replicas, UpdatedReadyReplicas: replicas,
	}
	if available != replicas || o.Status != want || o.StableRevision != wanted {
		return fmt.Errorf("set has %d available pods of %d, of %s, status %v", available, replicas, o.StableRevision, o.Status)
	}
	return nil
}
