// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
)

// A pass of machine-controller-manager, of which sizes are compared, and which half acted;
// annotations are written whenever a set gets a size.
type machinePass struct {
	NewSetScaled, OldSetsScaled bool
	Sets                        map[string]struct{ Size int32 }
}

func passOf(t *testing.T, r recorded.Recording) (out machinePass, sizes map[string]int32) {
	out = result[machinePass](t, r)
	sizes = map[string]int32{}
	for name, s := range out.Sets {
		sizes[name] = s.Size
	}
	return out, sizes
}

var machineControllerFiles = []file{
	{"machine-controller-manager", "mcm_rolling", machineControllerRoll},
	{"machine-controller-manager", "mcm_scale", machineControllerScale},
	{"machine-controller-manager", "mcm_numbers", machineControllerNumbers},
	{"machine-controller-manager", "mcm_deletion_order", machineControllerDeletion},
}

func machineControllerRoll(t *testing.T, r recorded.Recording) answer {
	out, recordedSizes := passOf(t, r)
	sizes, grown, shrunk := read[MachineRollout](t, r).Roll()
	return answer{want: []any{recordedSizes, out.NewSetScaled, out.OldSetsScaled}, got: []any{sizes, grown, shrunk}}
}

func machineControllerScale(t *testing.T, r recorded.Recording) answer {
	_, recordedSizes := passOf(t, r)
	return answer{want: recordedSizes, got: read[MachineRollout](t, r).Scale()}
}

func machineControllerNumbers(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		MachineRollout
		Op, Strategy, Orchestration string
		Sets                        []Machines
	}](t, r)
	b := rollout.Resolve(in.Replicas, in.MaxSurge, in.MaxUnavailable)
	rolls := in.Strategy == "RollingUpdate" || in.Strategy == "InPlaceUpdate"
	switch {
	case in.Op == "max-unavailable" && rolls:
		return same(r, b.Unavailable)
	case in.Op == "max-unavailable":
		return same(r, 0) // nothing says so
	case in.Strategy == "Recreate":
		size, _ := rollout.Recreate(in.Replicas, 0, 0)
		return same(r, size)
	case in.Orchestration == "Manual":
		return same(r, 0) // it gets machines that a person moves to it, and makes none
	case !rolls:
		return same(r, refused)
	}
	total := int64(0)
	for _, s := range in.Sets {
		total += rollout.MachineController().Existing(s.set(false))
	}
	return same(r, rollout.Grow(b, total, in.NewSet.Wanted, rollout.MachineController().Counting))
}
