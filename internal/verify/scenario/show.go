// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// show prints the objects of a kind, or only the objects with the given names.
func (c *Cluster) show(kind string, names []string, _ map[string][]string) error {
	switch kind {
	case "deployments":
		return list(c, c.deployments, deploymentName, names, describeDeployment)
	case "replicasets":
		return list(c, c.replicaSets, replicaSetName, names, describeReplicaSet)
	case "daemonsets":
		return list(c, c.daemonSets, daemonSetName, names, describeDaemonSet)
	case "revisions":
		return list(c, c.revisions, revisionName, names, func(r *revision.ControllerRevision) string {
			return fmt.Sprintf("number %d, hash %s, data %s", r.Revision, r.Labels[daemonset.LabelHash], r.Data)
		})
	case "pods":
		return list(c, c.pods, podName, names, describePod)
	}
	return fmt.Errorf("unknown kind %s", kind)
}

// list prints one line for each object, or a line that says that there is no object.
func list[T any](c *Cluster, objects []*T, nameOf func(*T) string, names []string, describe func(*T) string) error {
	shown := 0
	for _, o := range objects {
		if len(names) == 0 || slices.Contains(names, nameOf(o)) {
			shown++
			fmt.Fprintf(&c.out, "%s: %s\n", nameOf(o), describe(o))
		}
	}
	if shown == 0 {
		fmt.Fprintln(&c.out, "none")
	}
	return nil
}

func describeDeployment(d *deploy.Deployment) string {
	s := d.Status
	text := fmt.Sprintf("%d wanted, %d pods, %d updated, %d ready, %d available, %d unavailable", wanted(d.Replicas),
		s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas, s.UnavailableReplicas)
	if s.TerminatingReplicas != nil {
		text += fmt.Sprintf(", %d terminating", *s.TerminatingReplicas)
	}
	text += ", revision " + cmp.Or(d.Annotations[revision.AnnotationRevision], "none")
	if s.CollisionCount != nil {
		text += fmt.Sprintf(", %d collisions", *s.CollisionCount)
	}
	if s.ObservedGeneration != d.Generation {
		text += ", not observed"
	}
	for _, condition := range s.Conditions {
		text += strings.TrimRight(fmt.Sprintf("\n  %s %s %s", condition.Type, condition.Status, condition.Reason), " ")
	}
	return text
}

func describeReplicaSet(rs *replicaset.ReplicaSet) string {
	s := rs.Status
	text := fmt.Sprintf("%d wanted, %d pods, %d labelled, %d ready, %d available", wanted(rs.Replicas),
		s.Replicas, s.FullyLabeledReplicas, s.ReadyReplicas, s.AvailableReplicas)
	if s.TerminatingReplicas != nil {
		text += fmt.Sprintf(", %d terminating", *s.TerminatingReplicas)
	}
	text += ", of " + cmp.Or(rs.ControllerName, rs.ControllerUID, "nobody")
	for _, key := range slices.Sorted(maps.Keys(rs.Annotations)) {
		_, short, _ := strings.Cut(key, "/")
		text += fmt.Sprintf(", %s %s", cmp.Or(short, key), rs.Annotations[key])
	}
	if s.ObservedGeneration != rs.Generation {
		text += ", not observed"
	}
	for _, condition := range s.Conditions {
		text += strings.TrimRight(fmt.Sprintf("\n  %s %s %s", condition.Type, condition.Status, condition.Reason), " ")
	}
	return text
}

func describeDaemonSet(ds *daemonset.DaemonSet) string {
	s := ds.Status
	text := fmt.Sprintf("%d desired, %d current, %d ready, %d available, %d updated, %d misscheduled", s.DesiredNumberScheduled,
		s.CurrentNumberScheduled, s.NumberReady, s.NumberAvailable, s.UpdatedNumberScheduled, s.NumberMisscheduled)
	if s.CollisionCount != nil {
		text += fmt.Sprintf(", %d collisions", *s.CollisionCount)
	}
	return text
}

func describePod(p *daemonset.Pod) string {
	text := string(p.Phase)
	if p.Ready {
		text += " ready"
	}
	if !p.DeletionTimestamp.IsZero() {
		text += " terminating"
	}
	if p.PinnedNode != "" {
		text += " on " + cmp.Or(p.NodeName, "no node")
	}
	text += ", of " + cmp.Or(p.ControllerName, p.ControllerUID, "nobody")
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		text += fmt.Sprintf(", %s=%s", key, p.Labels[key])
	}
	return text
}

func wanted(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
