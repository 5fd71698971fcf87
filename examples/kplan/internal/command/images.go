// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// changes returns the images of the containers of two pods, init containers first.
func changes(before, after *corev1.PodSpec) []view.Image {
	var images []view.Image
	add := func(containers []corev1.Container, set func(*view.Image, string)) {
		for i := range containers {
			at := slices.IndexFunc(images, func(c view.Image) bool { return c.Container == containers[i].Name })
			if at < 0 {
				at = len(images)
				images = append(images, view.Image{Container: containers[i].Name})
			}
			set(&images[at], containers[i].Image)
		}
	}
	for _, spec := range []*corev1.PodSpec{before, after} {
		set := func(c *view.Image, image string) { c.Before = image }
		if spec == after {
			set = func(c *view.Image, image string) { c.After = image }
		}
		add(spec.InitContainers, set)
		add(spec.Containers, set)
	}
	return images
}
