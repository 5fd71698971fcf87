package pausepoint_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// running returns an assigned, running pod that has been ready since t.
func running(uid string, t time.Time) podorder.Pod {
	return podorder.Pod{
		Name: "pod-" + uid, UID: uid, NodeName: "n1", Phase: podorder.Running,
		Ready: true, ReadySince: t, CreationTimestamp: t,
	}
}

// anyPods draws pods of which an order tells some apart and others not. Their UIDs are
// 000, 001 and so on, in any order.
func anyPods(t *rapid.T, n int) []podorder.Pod {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	pods := make([]podorder.Pod, n)
	for i, uid := range rapid.Permutation(numbers).Draw(t, "uids") {
		pods[i] = running(fmt.Sprintf("%03d", uid), t0.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 50}).Draw(t, "hours"))*time.Hour))
		pods[i].Phase = rapid.SampledFrom([]podorder.Phase{podorder.Running, podorder.Running, podorder.Pending}).Draw(t, "phase")
		pods[i].NodeName = rapid.SampledFrom([]string{"n1", "n1", "n2", ""}).Draw(t, "node")
		pods[i].Ready = rapid.IntRange(0, 7).Draw(t, "ready") > 0
		pods[i].Restarts = rapid.Int32Range(0, 2).Draw(t, "restarts")
	}
	return pods
}

func anyOrder(t *rapid.T) podorder.Order {
	return podorder.New(t0.Add(100*time.Hour), podorder.Neighbours{"n1": rapid.Int32Range(0, 2).Draw(t, "n1"), "n2": 1})
}
