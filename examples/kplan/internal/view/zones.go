// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// zonesOf returns the zones of a rollout, sorted; none if the nodes have none.
func zonesOf(r Result) []string {
	return slices.Sorted(maps.Keys(r.Steps[len(r.Steps)-1].Zones))
}

// spreadText writes how many pods run in each zone, such as 3/2/3.
func spreadText(s *Step, zones []string) string {
	var counts []string
	for _, zone := range zones {
		counts = append(counts, fmt.Sprint(s.Zones[zone]))
	}
	return strings.Join(counts, "/")
}

// peakSkew returns by how many pods zones differ at most, and the first step, from 1, in
// which they do.
func peakSkew(r Result) (most int32, step int) {
	for i := range r.Steps {
		if n := r.Steps[i].peak; i == 0 || n > most {
			most, step = n, i+1
		}
	}
	return most, step
}
