// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/reason"
)

// derive returns a plan that turns the pods of before into the pods of after. A controller
// that must not write anything, and does not, is assumed to know the reason.
func derive(before, after *daemonset.Snapshot, o *daemonset.Options) daemonset.Plan {
	there := map[string]*daemonset.Pod{}
	for i := range after.Pods {
		there[after.Pods[i].Name] = &after.Pods[i]
	}
	var actions daemonset.Actions
	for i := range before.Pods {
		p := &before.Pods[i]
		q := there[p.Name]
		if q != nil && q.UID == p.UID {
			delete(there, p.Name)
		} else {
			q = nil
		}
		actions = append(actions, written(p, q)...)
	}
	for i := range after.Pods {
		if p := &after.Pods[i]; there[p.Name] != nil {
			actions = append(actions, daemonset.CreatePod{Node: nodeOf(p), Hash: p.Labels[daemonset.LabelHash]})
		}
	}
	plan := daemonset.Plan{Actions: actions, Status: after.DaemonSet.Status, Backoff: after.Backoff}
	switch {
	case before.Unseen:
		plan.Holds = []kplan.Hold{{Reason: reason.Unseen}}
	case o.Freeze:
		plan.Holds = []kplan.Hold{{Reason: reason.Frozen}}
	case !before.DaemonSet.DeletionTimestamp.IsZero():
		plan.Holds = []kplan.Hold{{Reason: reason.Deleting}}
	}
	return plan
}

// written returns the actions that turn pod p into pod q, or delete p if q is nil.
func written(p, q *daemonset.Pod) (actions daemonset.Actions) {
	object := daemonset.Object{Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion}
	if q == nil || p.DeletionTimestamp.IsZero() && !q.DeletionTimestamp.IsZero() {
		return daemonset.Actions{daemonset.DeletePod{Object: object, Node: nodeOf(p)}}
	}
	if state := q.Labels[daemonset.LabelState]; state != p.Labels[daemonset.LabelState] && state == daemonset.StatePreparingDelete {
		actions = append(actions, daemonset.PreparePod{Object: object, Node: nodeOf(p), State: state})
	}
	from, to := p.Labels[daemonset.LabelHash], q.Labels[daemonset.LabelHash]
	sameImage := func(a, b inplace.Container) bool { return a.Image == b.Image }
	switch {
	case from == to:
	case slices.EqualFunc(p.Containers, q.Containers, sameImage):
		actions = append(actions, daemonset.RelabelPod{Object: object, From: from, To: to})
	default:
		actions = append(actions, daemonset.UpdatePod{Object: object, Node: nodeOf(p), From: from, To: to})
	}
	return actions
}

func nodeOf(p *daemonset.Pod) string {
	if p.NodeName != "" {
		return p.NodeName
	}
	return p.PinnedNode
}
