// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

// world maps a name to an event that may happen between two plans.
var world = map[string]func(random.Source, *daemonset.Snapshot, time.Time){"pods live": live, "pods die": die, "nodes change": change, "it is told": told}

// live acts as the scheduler and the kubelets for some pods: deleted pods end, and other pods
// are bound, run their new images, and become ready unless a gate is closed.
func live(s random.Source, snapshot *daemonset.Snapshot, now time.Time) {
	snapshot.Pods = slices.DeleteFunc(snapshot.Pods, func(p daemonset.Pod) bool {
		return !p.DeletionTimestamp.IsZero() && random.Bool(s, "ends")
	})
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		if p.Finished() || !random.Bool(s, "goes on") {
			continue
		}
		if p.NodeName == "" {
			p.NodeName = p.PinnedNode
			continue
		}
		for c := range p.Containers {
			image := p.Containers[c].Image
			p.Containers[c].Status = &inplace.ContainerStatus{Image: image, ImageID: "id-" + image, Ready: true}
		}
		if closed := p.InPlace != nil && !p.InPlace.True; !closed && !p.Ready {
			p.Phase, p.Ready, p.ReadySince = podorder.Running, true, now
		}
	}
}

// die makes pods fail, lose their readiness, or go because another client deletes them.
func die(s random.Source, snapshot *daemonset.Snapshot, now time.Time) {
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		switch random.Below(s, "dies", 8) {
		case 5:
			p.Phase, p.Ready, p.ReadySince = podorder.Failed, false, time.Time{}
		case 6:
			p.Ready, p.ReadySince = false, time.Time{}
		case 7:
			if p.DeletionTimestamp.IsZero() {
				p.DeletionTimestamp = now
			}
		}
	}
}

// change adds a node, or taints one or frees it.
func change(s random.Source, snapshot *daemonset.Snapshot, _ time.Time) {
	n := len(snapshot.Nodes)
	if n == 0 || n < 10 && random.OneIn(s, "new", 4) {
		snapshot.Nodes = append(snapshot.Nodes, daemonset.Node{Name: fmt.Sprint("new", n), Labels: map[string]string{"zone": "a"}})
		return
	}
	node := &snapshot.Nodes[random.Below(s, "node", n)]
	node.Taints = random.OneOf(s, "taints", nil, []daemonset.Taint{{Key: "x", Effect: daemonset.NoSchedule}}, []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}})
}

// told makes a user set another template or other limits.
func told(s random.Source, snapshot *daemonset.Snapshot, _ time.Time) {
	d := &snapshot.DaemonSet
	if random.Bool(s, "limits") {
		d.MaxUnavailable = random.DaemonLimit(s, "unavailable")
	} else {
		version := random.OneOf(s, "version", "v1", "v2", "v7")
		d.Template.Hash, d.Template.Data = version, random.Stored(version)
	}
	d.Generation++
}

// drift is how many pods have changed, or are there on one side only.
func drift(before, after *daemonset.Snapshot) (n int64) {
	if before.DaemonSet.Generation != after.DaemonSet.Generation || !slices.EqualFunc(before.Nodes, after.Nodes, sameNode) {
		return properties.Unknown
	}
	there := map[string]*daemonset.Pod{}
	for i := range before.Pods {
		there[before.Pods[i].Name] = &before.Pods[i]
	}
	for i := range after.Pods {
		p := &after.Pods[i]
		if q := there[p.Name]; q == nil || q.Phase != p.Phase || q.Ready != p.Ready || q.DeletionTimestamp != p.DeletionTimestamp || q.NodeName != p.NodeName {
			n++
		}
		delete(there, p.Name)
	}
	return n + int64(len(there))
}

func sameNode(a, b daemonset.Node) bool { return a.Name == b.Name && slices.Equal(a.Taints, b.Taints) }
