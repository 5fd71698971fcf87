package workload

import (
	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/rollout"
)

// A Patch is what changes about a workload. Its members are absolute; what is
// not set stays.
type Patch struct {
	Labels      map[string]*string `json:"labels,omitempty"`      // nil removes
	Annotations map[string]*string `json:"annotations,omitempty"` // nil removes

	Replicas     *int32  `json:"replicas,omitempty"`
	Paused       *bool   `json:"paused,omitempty"`
	StrategyType *string `json:"strategyType,omitempty"`
	// Partition is set if it is not unset; ClearPartition removes it.
	Partition      rollout.IntOrPercent `json:"partition,omitzero"`
	ClearPartition bool                 `json:"clearPartition,omitzero"`
	MaxSurge       rollout.IntOrPercent `json:"maxSurge,omitzero"`
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"`
	// StrategyPaused unpauses the rolling update of a StatefulSet or DaemonSet.
	StrategyPaused          *bool  `json:"strategyPaused,omitempty"`
	MinReadySeconds         *int32 `json:"minReadySeconds,omitempty"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`
	// ReplaceStrategy drops what the update strategy holds beside the type.
	ReplaceStrategy bool `json:"replaceStrategy,omitzero"`
}

// Annotate sets an annotation.
func (p *Patch) Annotate(key, value string) {
	if p.Annotations == nil {
		p.Annotations = map[string]*string{}
	}
	p.Annotations[key] = &value
}

// RemoveAnnotations removes annotations.
func (p *Patch) RemoveAnnotations(keys ...string) {
	if p.Annotations == nil {
		p.Annotations = map[string]*string{}
	}
	for _, key := range keys {
		p.Annotations[key] = nil
	}
}

// Label sets a label, or removes it if the value is nil.
func (p *Patch) Label(key string, value *string) {
	if p.Labels == nil {
		p.Labels = map[string]*string{}
	}
	p.Labels[key] = value
}

// Body returns the patch as a JSON merge patch for a kind of workload. Of a kind that is
// not known nobody knows where its strategy is: the patch has only the metadata then. No
// plan holds such a patch.
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

// put sets a member if it is given.
func put(object map[string]any, key string, value any, given bool) {
	if given {
		object[key] = value
	}
}

func (p Patch) spec(ref Ref) map[string]any {
	spec := map[string]any{}
	put(spec, "replicas", p.Replicas, p.Replicas != nil)
	put(spec, "minReadySeconds", p.MinReadySeconds, p.MinReadySeconds != nil)
	put(spec, "progressDeadlineSeconds", p.ProgressDeadlineSeconds, p.ProgressDeadlineSeconds != nil)
	strategy, rolling, key := map[string]any{}, map[string]any{}, "updateStrategy"
	switch ref.Kind {
	case "Deployment":
		key = "strategy"
		put(spec, "paused", p.Paused, p.Paused != nil)
	case "CloneSet":
		rolling = strategy // it has no block of its own
		put(strategy, "paused", p.Paused, p.Paused != nil)
	case "StatefulSet", "DaemonSet":
	default:
		return nil
	}
	put(strategy, "type", p.StrategyType, p.StrategyType != nil)
	put(rolling, "paused", p.StrategyPaused, p.StrategyPaused != nil)
	put(rolling, "partition", p.Partition, !p.Partition.IsZero())
	put(rolling, "partition", nil, p.ClearPartition)
	put(rolling, "maxSurge", p.MaxSurge, !p.MaxSurge.IsZero())
	put(rolling, "maxUnavailable", p.MaxUnavailable, !p.MaxUnavailable.IsZero())
	put(strategy, "rollingUpdate", nil, p.ReplaceStrategy)
	if ref.Kind != "CloneSet" {
		put(strategy, "rollingUpdate", rolling, len(rolling) > 0)
	}
	put(spec, key, strategy, len(strategy) > 0)
	return spec
}
