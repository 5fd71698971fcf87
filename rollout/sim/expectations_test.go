// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
)

// An excess counts pods that are created although what owns them has as many as it ever wanted, or
// their node has one.
type excess struct {
	w    *sim.World
	most map[string]int32 // replicas by the name of a ReplicaSet
	pods int
}

func (e *excess) saw(c sim.Change) {
	if e.w == nil {
		return // it is being made
	}
	switch v := e.w.View(); {
	case c.Kind == sim.KindReplicaSet:
		if rs := v.ReplicaSet(c.Name); rs != nil && rs.Replicas != nil {
			e.most[c.Name] = max(e.most[c.Name], *rs.Replicas)
		}
	case c.Kind != sim.KindPod || c.Verb != sim.Create:
	case v.Pod(c.Name) != nil:
		p, active := v.Pod(c.Name), int32(0)
		for _, o := range v.PodsOf(p.ControllerUID) {
			if o.Active() {
				active++
			}
		}
		if p.ControllerKind == replicaset.Kind && active > e.most[p.ControllerName] {
			e.pods++
		}
	default:
		active := 0
		for _, o := range v.DaemonPods() {
			if o.Active() {
				active++
			}
		}
		if active > len(v.Nodes()) {
			e.pods++
		}
	}
}

// TestExpectations: with caches that lag, hardly any world has more pods than were ever wanted.
// Some have, since a cache that shows what was before what it has shown already undoes what was
// observed, and no controller can know. A controller that forgets what it expects is beyond that
// in most worlds, and still at rest with what is wanted in the end.
func TestExpectations(t *testing.T) {
	s := scenario{faults: sim.Faults{Stale: 1.5, Skip: 1}, every: 20 * time.Second, faultsFor: 2 * time.Minute}
	for i := range subjects {
		sub := &subjects[i]
		most := map[string]int{"ReplicaSet": 14, "DaemonSet": 20}[sub.name]
		if most == 0 {
			continue // the same controllers, and slower
		}
		worlds := 0
		for seed := range uint64(40) {
			if _, pods := s.run(t, sub, seed, nil); pods > 0 {
				worlds++
			}
		}
		require.LessOrEqual(t, worlds, most, sub.name)
	}
}
