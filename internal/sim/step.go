// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
)

// A Step is one pass of the Deployment's planner that wrote something, or the end
// of the run. Its counts are those after the ReplicaSets have followed.
type Step struct {
	Time        time.Duration  `json:"-"`                 // since the start
	Actions     deploy.Actions `json:"actions,omitempty"` // what the pass wrote; none at the end
	Holds       []deploy.Hold  `json:"holds,omitempty"`   // what it held back
	Pods        PodActions     `json:"pods"`              // what the ReplicaSets did since the last step
	ReplicaSets []ReplicaSet   `json:"replicaSets"`       // by creation
	Total       int32          `json:"total"`             // pods wanted
	Available   int32          `json:"available"`         // pods available
	Status      deploy.Status  `json:"status"`            // as the pass wrote it
	// Zones are how many pods run in each zone and are not being deleted; nil if the
	// nodes have none.
	Zones map[string]int32 `json:"zones,omitempty"`
}

// PodActions counts the writes of the ReplicaSets.
type PodActions struct {
	Created int32 `json:"created"`
	Deleted int32 `json:"deleted"`
}

// A ReplicaSet is what a [Step] tells of one.
type ReplicaSet struct {
	Name      string `json:"name"`
	Revision  int64  `json:"revision"` // 0 if it has none
	Replicas  int32  `json:"replicas"` // pods wanted
	Ready     int32  `json:"ready"`
	Available int32  `json:"available"`
}

// String returns one line such as
//
//	10s: Scaled down replica set web-1 from 8 to 3 (RolloutDown)
func (s Step) String() string {
	lines := make([]string, 0, len(s.Actions)+len(s.Holds))
	for _, a := range s.Actions {
		lines = append(lines, a.String())
	}
	if len(lines) == 0 {
		for _, h := range s.Holds {
			lines = append(lines, h.String())
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing to do")
	}
	return fmt.Sprintf("%v: %s", s.Time, strings.Join(lines, "; "))
}

// describe returns the sizes of ReplicaSets, in a list that may have room for them.
func describe(sets []*replicaSet, list []ReplicaSet) (s Step) {
	s.ReplicaSets = slices.Grow(list, len(sets))
	for _, rs := range sets {
		number, _ := revision.Number(rs.Annotations)
		s.ReplicaSets = append(s.ReplicaSets, ReplicaSet{
			Name: rs.Name, Revision: number, Replicas: sizeOf(rs),
			Ready: rs.Status.ReadyReplicas, Available: rs.Status.AvailableReplicas,
		})
		s.Total += sizeOf(rs)
		s.Available += rs.Status.AvailableReplicas
	}
	return s
}
