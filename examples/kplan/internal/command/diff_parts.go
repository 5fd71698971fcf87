// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// errNoRelease tells that a Rollout has nothing to do.
var errNoRelease = errors.New("there is nothing to release")

// A missing error tells that --from lacks a workload, so that nothing can be released.
type missing struct{ kind string }

func (m *missing) Error() string {
	return "nothing is being released; --from must hold its " + m.kind + " as it is before the release"
}

// Is makes it one of errNoRelease.
func (m *missing) Is(target error) bool { return target == errNoRelease }

// differences names what differs between two shapes of a workload: images by container,
// replicas, and that other parts of the template do.
func differences(before, after shape) []view.Difference {
	var list []view.Difference
	if after.template == nil {
		return nil
	}
	if before.template == nil {
		return []view.Difference{{Part: "new"}}
	}
	old := before.template.DeepCopy()
	for _, i := range changes(&old.Spec, &after.template.Spec) {
		if i.Before != i.After {
			list = append(list, view.Difference{Part: "image of " + i.Container, Before: i.Before, After: i.After})
		}
	}
	for i := range old.Spec.Containers {
		for _, c := range after.template.Spec.Containers {
			if c.Name == old.Spec.Containers[i].Name {
				old.Spec.Containers[i].Image = c.Image
			}
		}
	}
	for i := range old.Spec.InitContainers {
		for _, c := range after.template.Spec.InitContainers {
			if c.Name == old.Spec.InitContainers[i].Name {
				old.Spec.InitContainers[i].Image = c.Image
			}
		}
	}
	if !equality.Semantic.DeepEqual(old, after.template) {
		list = append(list, view.Difference{Part: "other parts of the template"})
	}
	if a, b := replicasText(before), replicasText(after); a != b {
		list = append(list, view.Difference{Part: "replicas", Before: a, After: b})
	}
	return list
}

func replicasText(s shape) string {
	if s.replicas == nil {
		return ""
	}
	return fmt.Sprint(*s.replicas)
}

// goneOf returns the workloads that are in one set alone.
func goneOf(from, set *manifest.Set) []view.Subject {
	var list []view.Subject
	deployments := indexed(set.Workloads)
	for i := range from.Workloads {
		if w := &from.Workloads[i]; deployments[w.Key()] == nil {
			list = append(list, view.Subject{Kind: "Deployment", Namespace: w.Place().Namespace, Name: w.Place().Name})
		}
	}
	daemonSets := indexed(set.DaemonSets)
	for i := range from.DaemonSets {
		if d := &from.DaemonSets[i]; daemonSets[d.Key()] == nil {
			list = append(list, view.Subject{Kind: "DaemonSet", Namespace: d.Object.Namespace, Name: d.Object.Name})
		}
	}
	rollouts := indexed(set.Argo)
	for i := range from.Argo {
		if r := &from.Argo[i]; rollouts[r.Key()] == nil {
			list = append(list, view.Subject{Kind: "Rollout", Namespace: r.Object.Namespace, Name: r.Object.Name})
		}
	}
	replicaSets := indexed(set.ReplicaSets)
	for i := range from.ReplicaSets {
		if r := &from.ReplicaSets[i]; replicaSets[r.Key()] == nil {
			list = append(list, view.Subject{Kind: r.Kind, Namespace: r.Namespace, Name: r.Snapshot.ReplicaSet.Name})
		}
	}
	return list
}
