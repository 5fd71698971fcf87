// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// tooMany rejects more replicas than a simulation supports.
func tooMany(n *int32) error {
	if n == nil || *n <= maxReplicas {
		return nil
	}
	return &kplan.FieldError{Path: "spec.replicas", Value: *n, Detail: fmt.Sprintf("must be at most %d to be simulated", maxReplicas)}
}

// check rejects a Deployment that cannot be simulated.
func check(w *manifest.Workload, now time.Time) error {
	if err := tooMany(w.Deployment.Spec.Replicas); err != nil {
		return w.Invalid(err)
	}
	snapshot, err := w.Snapshot()
	if err != nil {
		return err
	}
	if err := checkTemplates(w.File, snapshot.ReplicaSets); err != nil {
		return err
	}
	if _, err := deploy.Reconcile(snapshot, now, deploy.Options{}); err != nil {
		return w.Invalid(err)
	}
	return nil
}

// nextUID is the UID of an applied object while the world has the existing object as well.
const nextUID = "next"

// podsIn returns the UIDs of the pods of a Deployment.
func podsIn(w *manifest.Workload) map[types.UID]bool { return uidsOf(w.Pods) }

// uidsOf returns the UIDs of pods.
func uidsOf(lists ...[]*corev1.Pod) map[types.UID]bool {
	uids := map[types.UID]bool{}
	for _, p := range slices.Concat(lists...) {
		uids[p.UID] = true
	}
	return uids
}

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
		last = Later(Later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, rs := range w.ReplicaSets {
		last = Later(last, rs.CreationTimestamp.Time)
	}
	return latestOf(last, w.Pods)
}

// latestOf returns the latest of a time and the times of pods.
func latestOf(last time.Time, pods []*corev1.Pod) time.Time {
	last = Later(epoch, last)
	for _, p := range pods {
		last = Later(last, p.CreationTimestamp.Time)
		for _, c := range p.Status.Conditions {
			last = Later(last, c.LastTransitionTime.Time)
		}
	}
	return last.UTC()
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
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

// onlyWith returns wanted if there is an old object to apply it to, otherwise nil.
func onlyWith[T any](old, wanted *T) *T {
	if old == nil {
		return nil
	}
	return wanted
}
