// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// templateText returns a template as YAML, without the defaults that the API server always adds.
// It escapes characters that the API server accepts and YAML does not.
func templateText(t *corev1.PodTemplateSpec) (string, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	out, err := yaml.JSONToYAML(ascii(text))
	return string(out), err
}

// ascii escapes characters in strings of a JSON text that YAML may reject.
func ascii(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		if r < utf8.RuneSelf && r != 0x7f || strconv.IsPrint(r) || r > 0xffff {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.Bytes()
}

// Changes returns the images of the containers of two pods, init containers first.
func Changes(before, after *corev1.PodSpec) []view.Image {
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

// templateIf returns a template as YAML if a single revision is shown, otherwise "".
func templateIf(shown bool, t *corev1.PodTemplateSpec) (string, error) {
	if !shown {
		return "", nil
	}
	return templateText(t)
}
