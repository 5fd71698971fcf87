// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

func TestVectorsSize(t *testing.T) {
	recorded.Agree(t, "adopters/lws_surge", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct{ Replicas, MaxSurge, MaxUnavailable, Unready int32 }
		r.Read(t, &in)
		return ordinal.Size(ordinal.Limits(in.Replicas, rollout.Int(in.MaxSurge), rollout.Int(in.MaxUnavailable)), in.Unready), ""
	})
}

func TestVectorsPartition(t *testing.T) {
	recorded.Agree(t, "adopters/lws_partition", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Groups                       []ordinal.Group
			Size, Step, CurrentPartition int32
		}
		r.Read(t, &in)
		return ordinal.Partition(in.Groups, in.Size, in.Step, in.CurrentPartition), ""
	})
}

func TestVectorsRoll(t *testing.T) {
	recorded.Agree(t, "adopters/lws_parameters", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Groups                  []ordinal.Group
			Leaders                 *struct{ Partition, ReplicasWhenLastSeen, Size int32 }
			MaxSurge                rollout.IntOrPercent
			MaxUnavailable          rollout.IntOrPercent
			Replicas, UserPartition int32
			TemplateChanged         bool
		}
		r.Read(t, &in)
		next := ordinal.Next{Size: in.Replicas}
		if l := in.Leaders; l != nil {
			s := ordinal.State{Groups: in.Groups, Size: l.Size, Partition: l.Partition, Replicas: l.ReplicasWhenLastSeen, Changed: in.TemplateChanged}
			next = ordinal.Roll(ordinal.Limits(in.Replicas, in.MaxSurge, in.MaxUnavailable), s, in.UserPartition)
		}
		return map[string]int32{"leaders": next.Size, "partition": next.Partition}, ""
	})
}
