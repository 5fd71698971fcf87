// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Patch holds the changes of a workload. Its members are absolute; an unset member changes
// nothing.
type Patch struct {
	Labels      map[string]*string `json:"labels,omitempty"`      // nil removes
	Annotations map[string]*string `json:"annotations,omitempty"` // nil removes

	Replicas     *int32  `json:"replicas,omitempty"`
	Paused       *bool   `json:"paused,omitempty"`
	StrategyType *string `json:"strategyType,omitempty"`
	// Partition is written if it is set; ClearPartition removes it.
	Partition      rollout.IntOrPercent `json:"partition,omitzero"`
	ClearPartition bool                 `json:"clearPartition,omitzero"`
	MaxSurge       rollout.IntOrPercent `json:"maxSurge,omitzero"`
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"`
	// StrategyPaused unpauses the rolling update of a StatefulSet or DaemonSet.
	StrategyPaused          *bool  `json:"strategyPaused,omitempty"`
	MinReadySeconds         *int32 `json:"minReadySeconds,omitempty"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`
	// ReplaceStrategy drops all fields of the update strategy except the type.
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

// put sets a member if it is given.
func put(object map[string]any, key string, value any, given bool) {
	if given {
		object[key] = value
	}
}

// strategy adds the strategy of a kind that has a block for a rolling update.
func (p *Patch) strategy(spec map[string]any, key string) {
	strategy, rolling := map[string]any{}, map[string]any{}
	put(strategy, "type", p.StrategyType, p.StrategyType != nil)
	put(strategy, "rollingUpdate", nil, p.ReplaceStrategy)
	p.limits(rolling)
	put(strategy, "rollingUpdate", rolling, len(rolling) > 0)
	put(spec, key, strategy, len(strategy) > 0)
}

// limits adds the fields of a rolling update.
func (p *Patch) limits(rolling map[string]any) {
	put(rolling, "paused", p.StrategyPaused, p.StrategyPaused != nil)
	put(rolling, "partition", p.Partition, !p.Partition.IsZero())
	put(rolling, "partition", nil, p.ClearPartition)
	put(rolling, "maxSurge", p.MaxSurge, !p.MaxSurge.IsZero())
	put(rolling, "maxUnavailable", p.MaxUnavailable, !p.MaxUnavailable.IsZero())
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// roll changes the strategy of a kind that has a block for a rolling update.
func (p *Patch) roll(w *Workload) {
	set(&w.StrategyType, p.StrategyType)
	rolling := map[string]any{}
	p.limits(rolling)
	switch {
	case len(rolling) > 0:
		w.RollingUpdate = p.limit(w)
	case p.ReplaceStrategy:
		w.RollingUpdate = nil
	}
}

// limit returns the limits of a workload with the limits of the patch applied.
func (p *Patch) limit(w *Workload) *partition.RollingUpdate {
	limits := w.Limits()
	if !p.MaxSurge.IsZero() {
		limits.MaxSurge = p.MaxSurge
	}
	if !p.MaxUnavailable.IsZero() {
		limits.MaxUnavailable = p.MaxUnavailable
	}
	return &limits
}

// divide sets the partition and the pause, for a kind that has both in the block of the rolling
// update.
func (p *Patch) divide(w *Workload) {
	if w.RollingUpdate == nil && p.ReplaceStrategy {
		w.Partition, w.Paused = rollout.IntOrPercent{}, false
	}
	set(&w.Paused, p.StrategyPaused)
	switch {
	case p.ClearPartition:
		w.Partition = rollout.IntOrPercent{}
	case !p.Partition.IsZero():
		w.Partition = p.Partition
	}
}
