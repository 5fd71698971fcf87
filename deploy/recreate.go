package deploy

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/podorder"
)

// recreate makes one step of a Recreate update: all old pods go, and
// only when the last has ended does the new ReplicaSet start.
//
// It mirrors rolloutRecreate of the deployment controller of Kubernetes 1.36.3.
func (st *state) recreate() {
	down := false
	for i := range st.activeOld {
		down = st.setScale(i, 0, ReasonRecreateDown, false) || down
	}
	if down || st.oldPodsRunning() {
		return
	}
	if st.newest < 0 && !st.create() {
		return
	}
	st.setScale(st.newest, st.replicas, ReasonRecreateUp, false)
	if st.complete(&st.d.Status) {
		st.cleanUpHistory()
	}
}

// oldPodsRunning reports whether a pod of an old template has not ended, and
// records a hold if so. A pod that is being deleted counts until it has.
func (st *state) oldPodsRunning() bool {
	reported := int64(0)
	for _, s := range st.old {
		reported += int64(s.status().Replicas)
	}
	if st.asInt32Sum(reported) > 0 {
		for _, s := range st.old {
			if n := s.status().Replicas; n > 0 {
				st.hold(s.rs.Name, ReasonOldPodsRemain, n, 0)
			}
		}
		return true
	}
	running := false
	left := make([]int32, len(st.sets)) // pods that have not ended, by set
	byUID := st.byUID()
	for i := range st.pods {
		if owner, ok := st.ownerOf(&st.pods[i], byUID); ok && !st.pods[i].Finished() {
			left[owner]++
		}
	}
	for i, s := range st.old {
		if left[i] > 0 {
			st.hold(s.rs.Name, ReasonOldPodsRemain, left[i], 0)
			running = true
		}
	}
	return running
}

// byUID returns the numbers of the sets in the order of their UIDs.
func (st *state) byUID() []int {
	numbers := make([]int, len(st.sets))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(i, j int) int { return cmp.Compare(st.sets[i].rs.UID, st.sets[j].rs.UID) })
	return numbers
}

// ownerOf returns the number of the set that controls the pod, given the sets'
// numbers in the order of their UIDs.
func (st *state) ownerOf(p *podorder.Pod, byUID []int) (owner int, ok bool) {
	at, found := slices.BinarySearchFunc(byUID, p.ControllerUID, func(i int, uid string) int {
		return cmp.Compare(st.sets[i].rs.UID, uid)
	})
	if !found {
		return 0, false
	}
	return byUID[at], true
}
