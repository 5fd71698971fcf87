// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/kplan-go/kplan/internal/base/union"

// Body returns the patch as a JSON merge patch for a kind of workload. For an unknown kind the result
// has only the metadata, because the layout of its spec is unknown. No plan patches a workload of an
// unknown kind.
func (p Patch) Body(ref Ref) string {
	body := map[string]any{}
	metadata := map[string]any{}
	put(metadata, "labels", p.Labels, len(p.Labels) > 0)
	put(metadata, "annotations", p.Annotations, len(p.Annotations) > 0)
	put(body, "metadata", metadata, len(metadata) > 0)
	spec := p.spec(ref)
	put(body, "spec", spec, len(spec) > 0)
	return union.Text(body)
}

func (p Patch) spec(ref Ref) map[string]any {
	k := kindOf(ref)
	if k == nil {
		return nil
	}
	spec := map[string]any{}
	put(spec, "replicas", p.Replicas, p.Replicas != nil)
	put(spec, "minReadySeconds", p.MinReadySeconds, p.MinReadySeconds != nil)
	put(spec, "progressDeadlineSeconds", p.ProgressDeadlineSeconds, p.ProgressDeadlineSeconds != nil)
	k.body(&p, spec)
	return spec
}
