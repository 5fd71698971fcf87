// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"slices"
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An argoSet is a ReplicaSet of Argo; it may not be there.
type argoSet struct {
	Hash                string
	Replicas, Available int32
}

func TestVectorsArgoPreview(t *testing.T) {
	compare(t, "argo_new_set_replicas", func(r recorded.Recording) (any, bool) {
		var in struct {
			Strategy, ActiveHash, CurrentPodHash string
			Paused, PromoteFull                  bool
			ScaleUpPreviewCheckPoint             bool
			Replicas, PreviewReplicaCount        *int32
			NewSet                               argoSet
			Sets                                 []argoSet
		}
		r.Read(t, &in)
		if in.Strategy != "BlueGreen" { // it has none at all
			return map[string]bool{"error": true}, false
		}
		p := argo.Preview{
			Replicas: 1, PreviewReplicaCount: in.PreviewReplicaCount, HasPauseConditions: in.Paused, PromoteFull: in.PromoteFull,
			ScaleUpPreviewCheckPoint: in.ScaleUpPreviewCheckPoint, ActiveSelector: in.ActiveHash, CurrentPodHash: in.CurrentPodHash, NewHash: in.NewSet.Hash,
			ActiveExists: slices.ContainsFunc(in.Sets, func(s argoSet) bool { return s.Hash == in.ActiveHash }),
		}
		if in.Replicas != nil {
			p.Replicas = *in.Replicas
		}
		return p.PreviewSize(), false
	})
}

// The small numbers of Argo Rollouts that are one call each. Others are parts of counts that
// are recorded as a whole, or read one field.
func TestVectorsArgoNumbers(t *testing.T) {
	compare(t, "argo_numbers", func(r recorded.Recording) (any, bool) {
		var in struct {
			Op                         string
			Replicas                   *int32
			Weight, MaxWeight, Desired int32
			MaxSurge, MaxUnavailable   recorded.Loose
			CurrentStepIndex           *int32
			Steps                      []argo.Step
			Strategy                   string
			Set                        *argoSet
			Threshold                  *argo.Threshold
		}
		var op struct{ Op string }
		if r.Read(t, &op); op.Op == "approximate" || op.Op == "threshold" || op.Op == "fenceposts" || op.Op == "max-surge" || op.Op == "max-unavailable" || op.Op == "set-weight" {
			r.Read(t, &in)
		}
		replicas, surge, unavailable := int32(1), in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent
		if in.Replicas != nil {
			replicas = *in.Replicas
		}
		switch op.Op {
		case "approximate":
			return argo.Approximate(replicas, in.Weight, in.MaxWeight, surge.OfUp(replicas)), false
		case "threshold":
			set := argoSet{}
			if in.Set == nil {
				return false, false
			}
			set = *in.Set
			return in.Threshold.Met(set.Replicas, set.Available, in.Desired), false
		case "fenceposts":
			up, down := rollout.Fenceposts(replicas, surge, unavailable)
			return map[string]int32{"surge": up, "unavailable": down}, false
		case "max-surge", "max-unavailable":
			b := argo.Budget(replicas, surge, unavailable)
			if in.Strategy == "BlueGreen" { // which has no limits
				b = rollout.Budget{}
			}
			if op.Op == "max-surge" {
				return b.Surge, false
			}
			return b.Unavailable, false
		case "set-weight":
			return argo.Canary{Replicas: in.Replicas, CurrentStepIndex: in.CurrentStepIndex, Steps: in.Steps}.SetWeight(), false
		}
		return nil, true
	})
}
