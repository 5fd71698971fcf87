// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

func TestVectorsPartitionLimit(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/new_rs_replicas_limit", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Partition recorded.Loose
			Replicas  int32
		}
		r.Read(t, &in)
		rule := in.Partition.Rule
		if rule == "malformed" {
			rule = "" // 0, whatever it is
		}
		return partition.Limit(in.Partition.IntOrPercent, in.Replicas), rule
	})
}

type looseUpdate struct{ MaxSurge, MaxUnavailable recorded.Loose }

func (u *looseUpdate) limits() *partition.RollingUpdate {
	if u == nil {
		return nil
	}
	return &partition.RollingUpdate{MaxSurge: u.MaxSurge.IntOrPercent, MaxUnavailable: u.MaxUnavailable.IntOrPercent}
}

func (u *looseUpdate) rule() string {
	if u == nil {
		return ""
	}
	return recorded.Worst(u.MaxSurge, u.MaxUnavailable)
}

func TestVectorsPartitionLowerBound(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/new_rs_replicas_lower_bound", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Replicas      int32
			RollingUpdate *looseUpdate
		}
		r.Read(t, &in)
		ru := in.RollingUpdate.limits()
		if in.RollingUpdate.rule() == "malformed" { // one that cannot be read is as none at all
			ru = nil
		}
		b := partition.Budget(in.Replicas, ru, false)
		return map[string]int32{
			"lowerBound": partition.LowerBound(b), "maxSurge": b.Surge, "maxUnavailable": b.Unavailable,
		}, ""
	})
}

func TestVectorsPartitionNewSize(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/new_rs_new_replicas", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			MaxSurge, MaxUnavailable, Partition recorded.Loose
			Replicas, NewReplicas               int32
			OldReplicas                         []int32
		}
		r.Read(t, &in)
		total := in.NewReplicas
		for _, n := range in.OldReplicas {
			total += n
		}
		b := rollout.Resolve(in.Replicas, in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent)
		return partition.NewSize(in.Partition.IntOrPercent, b, int64(total), in.NewReplicas), ""
	})
}

func TestVectorsBatchSize(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/calculate_batch_replicas", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Batch    recorded.Loose
			Replicas int32
		}
		r.Read(t, &in)
		return partition.BatchSize(in.Batch.IntOrPercent, in.Replicas), ""
	})
}

func TestVectorsPartitionAtLeast(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/is_current_ge_desired", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct{ Current, Desired recorded.Loose }
		r.Read(t, &in)
		return partition.AtLeast(in.Current.IntOrPercent, in.Desired.IntOrPercent), ""
	})
}

func TestVectorsStableShare(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/stable_count_as_percentage", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			AllReplicas, StableReplicas int32
			CanaryReplicas              recorded.Loose
		}
		r.Read(t, &in)
		return partition.StableShare(in.StableReplicas, in.AllReplicas, in.CanaryReplicas.IntOrPercent), ""
	})
}

func TestVectorsDefaultStrategy(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/default_deployment_strategy", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			RollingStyle  string
			RollingUpdate *looseUpdate
			Paused        bool
			Partition     recorded.Loose
		}
		r.Read(t, &in)
		s := partition.Strategy{
			RollingStyle: in.RollingStyle, RollingUpdate: in.RollingUpdate.limits(), Paused: in.Paused, Partition: in.Partition.IntOrPercent,
		}
		return json.RawMessage(s.Default(false).Text()), in.RollingUpdate.rule()
	})
}

func TestVectorsPartitionProgress(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/deployment_rollout_satisfied", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Generation, ObservedGeneration            int64
			Partition                                 recorded.Loose
			Replicas, StatusReplicas, UpdatedReplicas int32
		}
		r.Read(t, &in)
		hold, waiting := partition.Progress{
			Generation: in.Generation, ObservedGeneration: in.ObservedGeneration, Partition: in.Partition.IntOrPercent,
			Replicas: in.Replicas, StatusReplicas: in.StatusReplicas, UpdatedReplicas: in.UpdatedReplicas,
		}.Waiting()
		produced.Note(hold)
		var out struct{ Message string }
		require.NoError(t, json.Unmarshal(r.Output, &out))
		for reason, text := range map[kplan.Reason]string{
			partition.ReasonNotObserved: "observed generation", partition.ReasonSizeNotReached: "status replicas", partition.ReasonTooFewUpdated: "updated replicas",
		} {
			if waiting && hold.Reason == reason {
				require.True(t, strings.Contains(out.Message, text), "%s: %v, but %s", r.ID, hold, out.Message)
			}
		}
		return map[string]any{"satisfied": !waiting, "message": out.Message}, ""
	})
}
