// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"slices"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

var argoFiles = []file{
	{"argo-rollouts", "argo_at_desired", canary(func(c argo.Canary) any { return c.AtDesired() })},
	{"argo-rollouts", "argo_basic_counts", canary(func(c argo.Canary) any { return c.Basic() })},
	{"argo-rollouts", "argo_routed_counts", canary(func(c argo.Canary) any { return c.Routed() })},
	{"argo-rollouts", "argo_desired_weight", canary(func(c argo.Canary) any { return c.CanaryWeight() })},
	{"argo-rollouts", "argo_new_set_replicas", preview},
	{"argo-rollouts", "argo_numbers", argoNumbers},
}

// canary decides a number of a canary.
func canary(decide func(c argo.Canary) any) func(t *testing.T, r recorded.Recording) answer {
	return func(t *testing.T, r recorded.Recording) answer {
		return same(r, decide(read[recordedCanary](t, r).canary()))
	}
}

func preview(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Strategy, ActiveHash, CurrentPodHash string
		Paused, PromoteFull                  bool
		ScaleUpPreviewCheckPoint             bool
		Replicas, PreviewReplicaCount        *int32
		NewSet                               struct{ Hash string }
		Sets                                 []struct{ Hash string }
	}](t, r)
	if in.Strategy != "BlueGreen" { // it has none at all
		return same(r, refused)
	}
	return same(r, argo.Preview{
		Replicas: orOne(in.Replicas), PreviewReplicaCount: in.PreviewReplicaCount, HasPauseConditions: in.Paused, PromoteFull: in.PromoteFull,
		ScaleUpPreviewCheckPoint: in.ScaleUpPreviewCheckPoint, ActiveSelector: in.ActiveHash, CurrentPodHash: in.CurrentPodHash, NewHash: in.NewSet.Hash,
		ActiveExists: slices.ContainsFunc(in.Sets, func(s struct{ Hash string }) bool { return s.Hash == in.ActiveHash }),
	}.PreviewSize())
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// The small numbers of Argo Rollouts.
func argoNumbers(t *testing.T, r recorded.Recording) answer {
	switch op := read[struct{ Op string }](t, r).Op; op {
	case "revision", "max-revision":
		return same(r, lastRevision(t, r))
	case "before-starting-step":
		return answer{want: r.Output, policy: "analysis"}
	case "threshold", "all-available", "for-scale-down", "set-available":
		return same(r, setNumber(t, r, op))
	case "approximate", "fenceposts", "max-surge", "max-unavailable":
		return same(r, limitNumber(t, r, op))
	default:
		return same(r, canaryNumber(op, read[recordedCanary](t, r)))
	}
}

func lastRevision(t *testing.T, r recorded.Recording) int64 {
	in := read[struct {
		Annotation  *string
		Annotations []*string
	}](t, r)
	numbers := []int64{}
	for _, a := range append(in.Annotations, in.Annotation) {
		annotations := map[string]string{}
		if a != nil {
			annotations["deployment.kubernetes.io/revision"] = *a
		}
		if n, err := revision.Number(annotations); err == nil {
			numbers = append(numbers, n)
		}
	}
	return revision.Max(numbers)
}

// setNumber is a number of one ReplicaSet, which may not be there.
func setNumber(t *testing.T, r recorded.Recording, op string) any {
	in := read[struct {
		Set *struct {
			Replicas  *int32
			Available int32
		}
		Threshold          *argo.Threshold
		Desired            int32
		IgnoreAvailability bool
	}](t, r)
	switch {
	case in.Set == nil && op == "for-scale-down":
		return 0
	case in.Set == nil:
		return false
	}
	replicas, available := orOne(in.Set.Replicas), in.Set.Available
	switch {
	case op == "set-available":
		return replicas > 0 && rollout.Saturated(rollout.Set{Wanted: replicas, Available: available}, replicas, replicas)
	case op != "for-scale-down":
		return in.Threshold.Met(replicas, available, in.Desired)
	case in.IgnoreAvailability:
		return replicas
	}
	return min(replicas, available)
}

func limitNumber(t *testing.T, r recorded.Recording, op string) any {
	in := read[struct {
		Replicas                 *int32
		Weight, MaxWeight        int32
		MaxSurge, MaxUnavailable recorded.Loose
		Strategy                 string
	}](t, r)
	replicas := orOne(in.Replicas)
	b := argo.Budget(replicas, in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent)
	if in.Strategy == "BlueGreen" { // which has no limits
		b = rollout.Budget{}
	}
	switch op {
	case "approximate":
		return argo.Approximate(replicas, in.Weight, in.MaxWeight, in.MaxSurge.OfUp(replicas))
	case "max-surge":
		return b.Surge
	case "max-unavailable":
		return b.Unavailable
	}
	return fenceposts(replicas, in.MaxSurge, in.MaxUnavailable)
}

func canaryNumber(op string, in recordedCanary) any {
	c := in.canary()
	switch op {
	case "set-weight":
		return c.SetWeight()
	case "weight-to-replicas": // a canary that is there, at this step
		step := int32(0)
		c.TrafficRouting, c.MaxTrafficWeight, c.StableRS = true, in.MaxWeight, "stable"
		c.Steps, c.CurrentStepIndex = []argo.Step{{SetWeight: &in.Weight}}, &step
		return c.Routed().Canary
	case "replicas-or-weight":
		if scale := c.CanaryScale(); scale != nil && scale.Replicas != nil && c.StableRS != "" {
			return map[string]any{"replicas": *scale.Replicas, "weight": 0}
		}
		return map[string]any{"replicas": nil, "weight": c.DesiredWeight()}
	}
	index := c.CurrentStepIndex // the first one, if none is written down yet
	if index == nil && len(c.Steps) > 0 {
		index = new(int32)
	}
	return map[string]any{"hasStep": index != nil && int(*index) < len(c.Steps), "index": index}
}
