// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
)

// The small numbers of Cluster API are one call each.
func machineNumbers(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Op, Strategy                   string
		Replicas, NewSetWanted         int32
		MaxSurge, MaxUnavailable       recorded.Loose
		Sets                           []MachineSet
		Set                            Machines
		Available, There, UpToDate     int32
		Generation, ObservedGeneration int64
	}](t, r)
	surge, unavailable := in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent
	b := rollout.Resolve(in.Replicas, surge, unavailable)
	if in.Strategy == "OnDelete" {
		b.Surge, b.Unavailable = 0, 0
	}
	total := int64(0)
	for _, s := range in.Sets {
		total += rollout.ClusterAPI().Existing(s.set(false))
	}
	switch in.Op {
	case "max-surge":
		return same(r, b.Surge)
	case "max-unavailable":
		return same(r, b.Unavailable)
	case "replica-sum":
		return same(r, total)
	case "new-replicas":
		return same(r, rollout.Grow(b, total, in.NewSetWanted, rollout.Counting{}))
	case "saturated":
		return same(r, rollout.Saturated(in.Set.set(false), number(in.Set.DesiredReplicasAnnotation, 0), in.Replicas))
	case "complete":
		return same(r, deploy.Complete(deploy.Status{
			ObservedGeneration: in.ObservedGeneration, Replicas: in.There, UpdatedReplicas: in.UpToDate, AvailableReplicas: in.Available,
		}, in.Replicas, in.Generation))
	}
	return same(r, fenceposts(in.Replicas, in.MaxSurge, in.MaxUnavailable))
}

// fenceposts are the two limits, or an error for text that is none.
func fenceposts(replicas int32, surge, unavailable recorded.Loose) any {
	if recorded.Worst(surge, unavailable) == "malformed" {
		return refused
	}
	up, down := rollout.Fenceposts(replicas, surge.IntOrPercent, unavailable.IntOrPercent)
	return map[string]int32{"surge": up, "unavailable": down}
}
