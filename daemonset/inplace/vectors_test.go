// SPDX-License-Identifier: Apache-2.0

package inplace_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/stretchr/testify/require"
)

func wrap(template json.RawMessage) []byte {
	return []byte(`{"spec":{"template":` + string(template) + `}}`)
}

// metadataPatch reads a merge patch; null instead of a map removes all entries.
func metadataPatch(patch map[string]map[string]*string) (p inplace.MetadataPatch) {
	labels, hasLabels := patch["labels"]
	annotations, hasAnnotations := patch["annotations"]
	return inplace.MetadataPatch{
		Labels: labels, AllLabels: hasLabels && labels == nil,
		Annotations: annotations, AllAnnotations: hasAnnotations && annotations == nil,
	}
}

func TestVectorsInPlaceSpec(t *testing.T) {
	for _, v := range vectors(t, "kruise", "inplace_spec") {
		in, out := decode[struct {
			OldTemplate, NewTemplate json.RawMessage
			NewHash                  string
		}, struct {
			Possible              bool
			Revision              string
			ContainerImages       map[string]string
			ContainerRefMetadata  map[string]inplace.RefMetadata
			UpdateEnvFromMetadata bool
			MetadataPatch         struct{ Metadata map[string]map[string]*string }
		}](t, v)
		spec, ok := inplace.CalculateSpec(wrap(in.OldTemplate), wrap(in.NewTemplate), in.NewHash, inplace.Options{})
		require.Equal(t, out.Possible, ok, v.Name)
		if !ok {
			continue
		}
		want := inplace.Spec{
			Revision: out.Revision, Images: out.ContainerImages, Refs: out.ContainerRefMetadata,
			FromEnv: out.UpdateEnvFromMetadata, Metadata: metadataPatch(out.MetadataPatch.Metadata),
		}
		if diff := cmp.Diff(want, spec, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", v.Name, diff, v.Input)
		}
	}
}

type vStatus struct {
	Name, Image, ImageID string
	Ready                bool
}

func withStatuses(containers []inplace.Container, statuses []vStatus) []inplace.Container {
	for i := range containers {
		for _, s := range statuses {
			if s.Name == containers[i].Name {
				containers[i].Status = &inplace.ContainerStatus{Image: s.Image, ImageID: s.ImageID, Ready: s.Ready}
			}
		}
	}
	return containers
}

func TestVectorsInPlacePatch(t *testing.T) {
	for _, v := range vectors(t, "kruise", "inplace_patch") {
		in, out := decode[struct {
			OldTemplate, NewTemplate  json.RawMessage
			NewHash                   string
			PodLabels, PodAnnotations map[string]string
			ContainerStatuses         []vStatus
		}, struct {
			Images, Labels, Annotations map[string]string
			State                       json.RawMessage
		}](t, v)
		spec, ok := inplace.CalculateSpec(wrap(in.OldTemplate), wrap(in.NewTemplate), in.NewHash, inplace.Options{})
		require.True(t, ok, v.Name)
		containers := withStatuses(inplace.Containers(wrap(in.OldTemplate)), in.ContainerStatuses)
		put := inplace.FirstBatch(containers, &spec, epoch)
		images := map[string]string{}
		for _, c := range containers {
			images[c.Name] = c.Image
		}
		apply := func(to, set map[string]string, remove []string, all bool) map[string]string {
			to = maps.Clone(to)
			if all {
				clear(to)
			}
			maps.Copy(to, set)
			for _, key := range remove {
				delete(to, key)
			}
			return to
		}
		state, err := json.Marshal(put.State)
		require.NoError(t, err)
		var wantState, gotState map[string]any
		require.NoError(t, json.Unmarshal(out.State, &wantState))
		require.NoError(t, json.Unmarshal(state, &gotState))
		diff := cmp.Diff(wantState, gotState) + cmp.Diff(out.Images, apply(images, put.Images, nil, false)) +
			cmp.Diff(out.Labels, apply(in.PodLabels, put.Labels, put.RemoveLabels, put.AllLabels)) +
			cmp.Diff(out.Annotations, apply(in.PodAnnotations, put.Annotations, put.RemoveAnnotations, put.AllAnnotations))
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", v.Name, diff, v.Input)
		}
	}
}

func TestVectorsInPlaceCompleted(t *testing.T) {
	for _, v := range vectors(t, "kruise", "inplace_completed") {
		in, out := decode[struct {
			Annotations       map[string]string
			Containers        []inplace.Container
			ContainerStatuses []vStatus
		}, struct{ Completed bool }](t, v)
		p := inplace.Pod{Containers: withStatuses(in.Containers, in.ContainerStatuses)}
		p.Annotations = in.Annotations
		if got := inplace.Completed(p); got != out.Completed {
			t.Errorf("%s: %v, want %v\n%s", v.Name, got, out.Completed, v.Input)
		}
	}
}
