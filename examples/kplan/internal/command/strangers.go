// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/revision"
)

// An oldTemplate is another template that pods may have been created from.
type oldTemplate struct {
	name string // of the revision or ReplicaSet
	hash string
	spec *corev1.PodSpec
}

// The strangers are pods with another image than the current template.
type strangers struct {
	pods  []*corev1.Pod
	image string      // of the first pod
	of    oldTemplate // template with all images of that pod, if any
}

// strangersOf returns the pods with another image than a template. It compares only containers in
// both: admission and sidecar injection add containers.
func strangersOf(pods []*corev1.Pod, template *corev1.PodSpec, others []oldTemplate) (s strangers) {
	for _, p := range pods {
		image := otherImage(p, template)
		if image == "" {
			continue
		}
		if s.pods = append(s.pods, p); len(s.pods) > 1 {
			continue
		}
		s.image = image
		at := slices.IndexFunc(others, func(o oldTemplate) bool { return otherImage(p, o.spec) == "" })
		if at >= 0 {
			s.of = others[at]
		}
	}
	return s
}

// otherImage returns the first image of a pod that differs from the template, or "".
func otherImage(p *corev1.Pod, template *corev1.PodSpec) string {
	for _, lists := range [][2][]corev1.Container{{p.Spec.InitContainers, template.InitContainers}, {p.Spec.Containers, template.Containers}} {
		for _, c := range lists[0] {
			for _, wanted := range lists[1] {
				if c.Name == wanted.Name && c.Image != wanted.Image {
					return c.Image
				}
			}
		}
	}
	return ""
}

// newestOf returns the ReplicaSet of the current template, or nil.
func newestOf(w *manifest.Workload) *appsv1.ReplicaSet {
	history, entries := w.History()
	if newest, _ := revision.Split(entries, history.Template); newest >= 0 {
		return w.Controlled()[newest]
	}
	return nil
}
