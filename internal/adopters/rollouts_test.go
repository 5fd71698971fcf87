// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// The numbers of OpenKruise Rollouts that are one call each. Conditions, deadlines and the
// search for ReplicaSets are parts of planners, which its other recordings are for.
func TestVectorsRolloutsDeploymentUtil(t *testing.T) {
	compare(t, "rollouts_deployment_util", func(r recorded.Recording) (any, bool) {
		var op struct{ Op string }
		r.Read(t, &op)
		switch op.Op {
		case "limit", "max-unavailable", "fenceposts", "new-replicas", "satisfied":
		default:
			return nil, true
		}
		var in struct {
			MaxSurge, MaxUnavailable, Partition recorded.Loose
			Replicas, NewSet                    int32
			Generation                          int64
			Sets                                []int32
			Status                              struct {
				ObservedGeneration int64
				Replicas, Updated  int32
			}
		}
		r.Read(t, &in)
		surge, unavailable, limit := in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent, in.Partition.IntOrPercent
		b := rollout.Resolve(in.Replicas, surge, unavailable)
		switch op.Op {
		case "limit":
			return partition.Limit(limit, in.Replicas), false
		case "max-unavailable":
			return b.Unavailable, false
		case "new-replicas":
			total := int64(0)
			for _, n := range in.Sets {
				total += int64(n)
			}
			return partition.NewSize(limit, b, total, in.NewSet), false
		case "satisfied":
			_, waiting := partition.Progress{
				Generation: in.Generation, ObservedGeneration: in.Status.ObservedGeneration, Partition: limit,
				Replicas: in.Replicas, StatusReplicas: in.Status.Replicas, UpdatedReplicas: in.Status.Updated,
			}.Waiting()
			return !waiting, false
		}
		if recorded.Worst(in.MaxSurge, in.MaxUnavailable) == "malformed" {
			return map[string]bool{"error": true}, false
		}
		up, down := rollout.Fenceposts(in.Replicas, surge, unavailable)
		return map[string]int32{"surge": up, "unavailable": down}, false
	})
}

func TestVectorsRolloutsBatchUtil(t *testing.T) {
	compare(t, "rollouts_batch_util", func(r recorded.Recording) (any, bool) {
		var op struct{ Op string }
		r.Read(t, &op)
		switch op.Op {
		case "percentage":
			var in struct {
				All, Stable int32
				Canary      recorded.Loose
			}
			r.Read(t, &in)
			return partition.StableShare(in.Stable, in.All, in.Canary.IntOrPercent), false
		case "batch-replicas":
			var in struct {
				Batch    int
				Batches  []recorded.Loose
				Replicas int32
			}
			r.Read(t, &in)
			return partition.BatchSize(in.Batches[in.Batch].IntOrPercent, in.Replicas), false
		case "current-ge-desired":
			var in struct{ Current, Desired recorded.Loose }
			r.Read(t, &in)
			return partition.AtLeast(in.Current.IntOrPercent, in.Desired.IntOrPercent), false
		}
		return nil, true
	})
}
