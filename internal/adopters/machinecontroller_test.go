// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
)

// A pass of machine-controller-manager, of which sizes are compared, and which half acted;
// annotations are written whenever a set gets a size.
type machinePass struct {
	NewSetScaled, OldSetsScaled bool
	Sets                        map[string]struct{ Size int32 }
}

func passOf(t *testing.T, r recorded.Recording) (out machinePass, sizes map[string]int32) {
	recorded.Recording{ID: r.ID, Input: r.Output}.Read(t, &out)
	sizes = map[string]int32{}
	for name, s := range out.Sets {
		sizes[name] = s.Size
	}
	return out, sizes
}

func TestVectorsMachineControllerRoll(t *testing.T) {
	compareAs(t, "mcm_rolling", func(r recorded.Recording) (want, got any, missing bool) {
		var in MachineRollout
		r.Read(t, &in)
		out, recordedSizes := passOf(t, r)
		sizes, grown, shrunk := in.Roll()
		return []any{recordedSizes, out.NewSetScaled, out.OldSetsScaled}, []any{sizes, grown, shrunk}, false
	})
}

func TestVectorsMachineControllerScale(t *testing.T) {
	compareAs(t, "mcm_scale", func(r recorded.Recording) (want, got any, missing bool) {
		var in MachineRollout
		r.Read(t, &in)
		_, recordedSizes := passOf(t, r)
		return recordedSizes, in.Scale(), false
	})
}
