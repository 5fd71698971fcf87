// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Our own planner passes all checks, whatever is drawn.
func TestReconcile(t *testing.T) {
	room.Sound(t, replicaset.Options{Repair: quirk.All}, random.CaughtUp, random.Truthful, random.Midway)
}

// A pod with another controller is taken in a change.
func TestTheft(t *testing.T) {
	state := func(controller string) replicaset.Snapshot {
		return replicaset.Snapshot{
			ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1"},
			Pods:       []podorder.Pod{{Name: "web-a", UID: "p1", ControllerUID: controller}},
		}
	}
	change := plantest.Change[replicaset.Snapshot, replicaset.Options]{Before: state("other"), After: state("r1"), Now: plantest.Now()}
	room.Finds(t, `
    one controller per pod: web-a goes from controller other to r1
    one controller per pod: Adopted pod: web-a () has a controller
`, func(t rapid.TB) { Kit().Only("one controller per pod").CheckChange(t, change) })
}
