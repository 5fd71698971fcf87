// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/replicaset"
)

// The edits to a manifest, as kubectl set image and kubectl rollout restart make them. The
// manifest without the edits is the running workload.
type edits struct {
	images  []string // CONTAINER=IMAGE
	restart bool

	found     []bool // for each of images
	restarted bool
}

func (e *edits) addFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&e.images, "set-image", nil, "from the files to them with this image, such as web=web:2, web=:2 or *=:2")
	f.BoolVar(&e.restart, "restart", false, "from the files to them as kubectl rollout restart leaves them")
}

// any reports whether anything is edited.
func (e *edits) any() bool { return e.restart || len(e.images) > 0 }

// check requires a container and an image in each --set-image.
func (e *edits) check() error {
	for _, pair := range e.images {
		if container, image, _ := strings.Cut(pair, "="); container == "" || strings.Trim(image, ":@") == "" {
			return fmt.Errorf("--set-image %s: must be CONTAINER=IMAGE or CONTAINER=:TAG, or * for all containers", pair)
		}
	}
	return nil
}

// at returns a function that edits a workload at a time.
func (e *edits) at(now time.Time) func(*unstructured.Unstructured) error {
	e.found = make([]bool, len(e.images))
	return func(u *unstructured.Unstructured) error {
		e.setImages(u)
		if e.restart {
			return e.restartAt(u, now.UTC().Format(time.RFC3339))
		}
		return nil
	}
}

// setImages sets the images of the containers of a template, including init containers.
func (e *edits) setImages(u *unstructured.Unstructured) {
	for _, list := range []string{"initContainers", "containers"} {
		found, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template", "spec", list)
		containers, _ := found.([]any)
		for _, c := range containers {
			container, _ := c.(map[string]any)
			for i, pair := range e.images {
				name, image, _ := strings.Cut(pair, "=")
				if container == nil || name != "*" && name != container["name"] {
					continue
				}
				e.found[i] = true
				if is, _ := container["image"].(string); strings.HasPrefix(image, ":") || strings.HasPrefix(image, "@") {
					image = repository(is) + image
				}
				container["image"] = image
			}
		}
	}
}

// repository returns an image without its tag and digest.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		return image[:i]
	}
	return image
}

// restartAt restarts a workload as kubectl rollout restart does, or the Argo Rollouts plugin.
func (e *edits) restartAt(u *unstructured.Unstructured, at string) error {
	if u.GetKind() == "Rollout" {
		if !strings.HasPrefix(u.GetAPIVersion(), "argoproj.io/") {
			return nil // its workload is restarted
		}
		e.restarted = true
		return unstructured.SetNestedField(u.Object, at, "spec", "restartAt")
	}
	_, found, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template")
	paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused")
	switch kind := u.GetKind(); {
	case kind == replicaset.Kind || kind == replicaset.KindController || !found:
		return nil // kubectl cannot restart these
	case paused && kind == "Deployment":
		return errors.New("can't restart paused deployment (run rollout resume first)")
	}
	e.restarted = true
	return unstructured.SetNestedField(u.Object, at, "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
}

// missed returns an error if no object has the container, or no workload can be restarted.
func (e *edits) missed() error {
	for i, found := range e.found {
		if container, _, _ := strings.Cut(e.images[i], "="); !found {
			return fmt.Errorf("--set-image %s: unable to find container named %q", e.images[i], container)
		}
	}
	if e.restart && !e.restarted {
		return errors.New("--restart: no workload in the input can be restarted")
	}
	return nil
}
