// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// maxReplicas is the largest number of replicas in a simulation.
const maxReplicas = 100_000

// epoch is the present for files without any time.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// checkTemplates rejects ReplicaSets that do not select their own pods, as the API server does:
// they would create pods forever.
func checkTemplates(file string, sets []replicaset.ReplicaSet) error {
	for i := range sets {
		rs := &sets[i]
		if matches, err := selector.FromLabelSelector(rs.Selector); rs.Selector != nil && err == nil && !matches.Matches(rs.TemplateLabels) {
			return &manifest.Error{File: file, Object: fmt.Sprintf("ReplicaSet %q", rs.Name), Err: &kplan.FieldError{
				Path: "spec.template.metadata.labels", Value: rs.TemplateLabels, Detail: "must match the selector",
			}}
		}
	}
	return nil
}

// latest returns the latest time in the objects, the best estimate of the time when they were
// read.
func latest(w *manifest.Workload) time.Time {
	last := epoch
	for _, c := range w.Deployment.Status.Conditions {
		last = later(later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, rs := range w.ReplicaSets {
		last = later(last, rs.CreationTimestamp.Time)
	}
	return latestOf(last, w.Pods)
}

// latestOf returns the latest of a time and the times of pods.
func latestOf(last time.Time, pods []*corev1.Pod) time.Time {
	last = later(epoch, last)
	for _, p := range pods {
		last = later(last, p.CreationTimestamp.Time)
		for _, c := range p.Status.Conditions {
			last = later(last, c.LastTransitionTime.Time)
		}
	}
	return last.UTC()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// imagesOf returns the images of the containers of each template.
func imagesOf(workloads ...*manifest.Workload) map[string]string {
	byTemplate := map[string]string{}
	for _, w := range workloads {
		if w == nil {
			continue
		}
		byTemplate[kube.TemplateID(&w.Deployment.Spec.Template)] = images(&w.Deployment.Spec.Template)
		for _, rs := range w.ReplicaSets {
			byTemplate[kube.TemplateID(&rs.Spec.Template)] = images(&rs.Spec.Template)
		}
	}
	return byTemplate
}

func images(t *corev1.PodTemplateSpec) string {
	var names []string
	for i := range t.Spec.Containers {
		names = append(names, t.Spec.Containers[i].Image)
	}
	return strings.Join(names, ", ")
}
