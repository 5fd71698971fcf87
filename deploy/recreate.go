// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
)

// removeOld returns the sizing of the first step of Recreate, which scales the old ReplicaSets
// down, and whether new pods may start. They may start when all old pods have ended.
//
// It mirrors rolloutRecreate of the deployment controller of Kubernetes.
func (in *input) removeOld() (z sizing, start bool) {
	wanted, left := int64(0), int64(0)
	for i, s := range in.activeOld {
		wanted += int64(s.size)
		if keeps := in.leastSize(i); keeps < s.size {
			z.changes = append(z.changes, change{set: i, to: keeps, reason: reason.RecreateDown})
		} else {
			z.holds = append(z.holds, hold(s.rs.Name, reason.Kept, int64(s.size), int64(keeps)))
		}
	}
	if wanted == 0 {
		left, z.holds = in.oldPods()
	}
	_, start = rollout.Recreate(in.replicas, wanted, left)
	return z, start
}

// startNew returns the sizing of the second step of Recreate, which starts the new pods.
func (in *input) startNew() (z sizing) {
	size, start := rollout.Recreate(in.replicas, 0, 0)
	if size = max(size, in.leastSize(in.newAt)); start && size != in.newSet().size {
		z.changes = []change{{set: in.newAt, to: size, reason: reason.RecreateUp}}
	}
	return z
}

// OldPodsRunning reports whether Recreate must still wait for old pods to end. A controller should
// plan again when the result becomes false. Upstream plans again after the deletion of each pod of
// a Recreate Deployment (1.36 and earlier: only of the last pod, see kubernetes/kubernetes#128798).
// If a pod ends before it is deleted, the status of its ReplicaSet changes, and [Effects] returns
// the Deployment for that event. The error is the error of [Reconcile].
func OldPodsRunning(s Snapshot, now time.Time, opts Options) (bool, error) {
	var in input
	if err := in.admit(&s, now, &opts); err != nil {
		return false, err
	}
	left, _ := in.oldPods()
	return left > 0, nil
}

// oldPods returns the number of old pods that Recreate waits for, and holds for their sets. If the
// old sets report pods, these count; otherwise the pods of the snapshot that have not ended count.
// A pod that is being deleted counts until it has ended.
func (in *input) oldPods() (left int64, holds []kplan.Hold) {
	for _, s := range in.old {
		left += int64(s.status().Replicas)
	}
	if left = in.policy.Sum(left); left > 0 { // by default the sum wraps around, as in Kubernetes
		for _, s := range in.old {
			if n := s.status().Replicas; n > 0 {
				holds = append(holds, hold(s.rs.Name, reason.OldPodsRemain, int64(n), 0))
			}
		}
		return left, holds
	}
	running := in.runningPods()
	left = 0
	for i, s := range in.old {
		if n := int64(running[i]); n > 0 {
			left, holds = left+n, append(holds, hold(s.rs.Name, reason.OldPodsRemain, n, 0))
		}
	}
	return left, holds
}

// runningPods returns how many pods of each set have not ended.
func (in *input) runningPods() []int32 {
	running := make([]int32, len(in.sets))
	if in.tracked != nil {
		for i := range in.sets {
			running[i] = in.tracked.running.Of(in.sets[i].rs.UID)
		}
		return running
	}
	indexByUID := in.indexByUID()
	for i := range in.pods {
		if owner, ok := in.ownerOf(&in.pods[i], indexByUID); ok && !in.pods[i].Finished() {
			running[owner]++
		}
	}
	return running
}

// indexByUID returns the indexes of the sets, sorted by UID, for [input.ownerOf].
func (in *input) indexByUID() []int {
	indexes := make([]int, len(in.sets))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortFunc(indexes, func(i, j int) int { return cmp.Compare(in.sets[i].rs.UID, in.sets[j].rs.UID) })
	return indexes
}

// ownerOf returns the index of the set that controls a pod; ok is false if no set does. The
// argument indexByUID is the result of [input.indexByUID].
func (in *input) ownerOf(p *podorder.Pod, indexByUID []int) (owner int, ok bool) {
	at, found := slices.BinarySearchFunc(indexByUID, p.ControllerUID, func(i int, uid string) int {
		return cmp.Compare(in.sets[i].rs.UID, uid)
	})
	if !found {
		return 0, false
	}
	return indexByUID[at], true
}
