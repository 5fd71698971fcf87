// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"
	"testing"

	"github.com/kplan-go/kplan/internal/recorded"
)

func TestVectorsClusterAPIHealthy(t *testing.T) {
	compare(t, "capi_machine_healthy", func(r recorded.Recording) (any, bool) {
		var in DeletableMachine
		r.Read(t, &in)
		return in.Healthy(), false
	})
}

func TestVectorsClusterAPIDeletionOrder(t *testing.T) {
	compare(t, "capi_deletion_order", func(r recorded.Recording) (any, bool) {
		var in struct {
			Count    int
			Order    string
			Machines []DeletableMachine
		}
		var items struct{ Machines []json.RawMessage }
		r.Read(t, &in)
		r.Read(t, &items)
		got := []json.RawMessage{}
		for _, i := range Delete(in.Machines, in.Order, in.Count) {
			got = append(got, items.Machines[i])
		}
		return got, false
	})
}

func TestVectorsMachineControllerDeletionOrder(t *testing.T) {
	compare(t, "mcm_deletion_order", func(r recorded.Recording) (any, bool) {
		var in struct {
			Op       string
			Count    int
			Machines []RankedMachine
		}
		var items struct{ Machines []json.RawMessage }
		r.Read(t, &in)
		r.Read(t, &items)
		if in.Op == "sort" {
			got := []json.RawMessage{}
			for _, i := range Rank(in.Machines) {
				got = append(got, items.Machines[i])
			}
			return got, false
		}
		got := []string{}
		for _, i := range DeleteRanked(in.Machines, in.Count) {
			got = append(got, in.Machines[i].Name)
		}
		return got, false
	})
}
