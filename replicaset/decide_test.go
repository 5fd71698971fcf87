// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// The size of a change is a function of numbers.
func TestChange(t *testing.T) {
	for name, c := range map[string]struct {
		numbers numbers
		want    change
	}{
		"nothing":             {numbers{wanted: 3, active: 3, ready: 3, available: 3, burst: 500}, change{}},
		"too few":             {numbers{wanted: 3, active: 1, burst: 500}, change{create: 2}},
		"too many":            {numbers{wanted: 1, active: 3, burst: 500}, change{remove: 2}},
		"creations in bursts": {numbers{wanted: 1200, burst: 500}, change{create: 500, holds: []kplan.Hold{newHold(reason.Burst, 1200, 500)}}},
		"deletions in bursts": {numbers{active: 501, burst: 500}, change{remove: 500, holds: []kplan.Hold{newHold(reason.Burst, 501, 500)}}},
		"all of int32":        {numbers{wanted: 1<<31 - 1, burst: 1<<31 - 1}, change{create: 1<<31 - 1}},
		"waiting": {
			numbers{wanted: 3, burst: 500, outstanding: 2, waiting: true},
			change{holds: []kplan.Hold{newHold(reason.Expectations, 2, 0)}},
		},
		"given up": {
			numbers{wanted: 3, burst: 500, outstanding: 2},
			change{create: 3, holds: []kplan.Hold{newHold(reason.Expired, 2, 0)}},
		},
		"given up, with nothing to do": {numbers{outstanding: 2, burst: 500}, change{}},
		"being deleted": {
			numbers{wanted: 3, active: 1, burst: 500, deleting: true},
			change{holds: []kplan.Hold{newHold(reason.Deleting, 1, 3)}},
		},
		"one has yet to end":   {numbers{wanted: 3, terminating: 1, burst: 500}, change{create: 2, holds: []kplan.Hold{newHold(reason.Terminating, 1, 3)}}},
		"all have yet to end":  {numbers{wanted: 1, terminating: 2, burst: 500}, change{holds: []kplan.Hold{newHold(reason.Terminating, 2, 1)}}},
		"not ready":            {numbers{wanted: 3, active: 3, ready: 1, burst: 500}, change{holds: []kplan.Hold{newHold(reason.NotReady, 1, 3)}}},
		"not available":        {numbers{wanted: 3, active: 3, ready: 3, available: 2, burst: 500}, change{holds: []kplan.Hold{newHold(reason.NotAvailable, 2, 3)}}},
		"neither, but waiting": {numbers{wanted: 3, active: 3, burst: 500, outstanding: 1, waiting: true}, change{holds: []kplan.Hold{newHold(reason.Expectations, 1, 0)}}},
	} {
		require.Equal(t, c.want, c.numbers.change(), name)
	}
}
