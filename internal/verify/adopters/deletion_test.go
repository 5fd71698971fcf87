// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
)

func machineHealthy(t *testing.T, r recorded.Recording) answer {
	return same(r, read[DeletableMachine](t, r).Healthy())
}

func machineDeletion(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Count    int
		Order    string
		Machines []DeletableMachine
	}](t, r)
	return same(r, machinesOf(t, r, Delete(in.Machines, in.Order, in.Count)))
}

func machineControllerDeletion(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Op       string
		Count    int
		Machines []RankedMachine
	}](t, r)
	if in.Op == "sort" {
		return same(r, machinesOf(t, r, Rank(in.Machines)))
	}
	names := []string{}
	for _, i := range DeleteRanked(in.Machines, in.Count) {
		names = append(names, in.Machines[i].Name)
	}
	return same(r, names)
}

// machinesOf are the machines at some places of a case, as they are written there.
func machinesOf(t *testing.T, r recorded.Recording, places []int) []json.RawMessage {
	all, some := read[struct{ Machines []json.RawMessage }](t, r), []json.RawMessage{}
	for _, i := range places {
		some = append(some, all.Machines[i])
	}
	return some
}
