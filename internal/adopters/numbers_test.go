// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
)

// The small numbers of Cluster API are one call each. Whether a rollout is complete is left
// out: it compares four numbers of a status.
func TestVectorsClusterAPINumbers(t *testing.T) {
	compare(t, "capi_numbers", func(r recorded.Recording) (any, bool) {
		var in struct {
			Op, Strategy           string
			Replicas, NewSetWanted int32
			MaxSurge               recorded.Loose
			MaxUnavailable         recorded.Loose
			Sets                   []MachineSet
			Set                    Machines
		}
		r.Read(t, &in)
		surge, unavailable := in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent
		b := rollout.Resolve(in.Replicas, surge, unavailable)
		if in.Strategy == "OnDelete" {
			b.Surge, b.Unavailable = 0, 0
		}
		total := int64(0)
		for _, s := range in.Sets {
			total += machines.Existing(s.set())
		}
		switch in.Op {
		case "max-surge":
			return b.Surge, false
		case "max-unavailable":
			return b.Unavailable, false
		case "replica-sum":
			return total, false
		case "new-replicas":
			return rollout.Grow(b, total, in.NewSetWanted, rollout.Policy{}), false
		case "saturated":
			return rollout.Saturated(in.Set.set(), number(in.Set.DesiredReplicasAnnotation, 0), in.Replicas), false
		case "fenceposts":
			if recorded.Worst(in.MaxSurge, in.MaxUnavailable) == "malformed" {
				return map[string]bool{"error": true}, false
			}
			up, down := rollout.Fenceposts(in.Replicas, surge, unavailable)
			return map[string]int32{"surge": up, "unavailable": down}, false
		}
		return nil, true
	})
}
