// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// The floors of the benchmarks are the shortest programs that give the same answers for the pods of
// clusterPods, and for no others: they rely on ranges of numbers and on fields that these pods do
// not have.

// chooseOnce is the floor of a choice from pods that are all neighbours: it counts pods by a hash
// of the name of their node, considers only the pods that are not ready, if these are enough, and
// sorts two numbers of each.
func chooseOnce(pods []podorder.Pod, victims int, now time.Time) []int {
	nodes, at := make([]nodeTally, 1<<bits.Len(uint(1+len(pods)/10))), make([]int32, len(pods))
	front := make([]int32, 0, len(pods))
	ready := 0
	for i := range pods {
		p := &pods[i]
		if !p.Active() {
			continue
		}
		at[i] = countOn(nodes, p.NodeName)
		if p.Ready {
			ready++
		} else {
			front = append(front, int32(i))
		}
	}
	if len(front) <= victims {
		front = front[:0]
		for i := range pods {
			front = append(front, int32(i))
		}
	}
	list := make([]podNumbers, len(front))
	for i, index := range front {
		list[i] = numbersOf(&pods[index], nodes[at[index]].pods, now)
		list[i].index = index
	}
	slices.SortFunc(list, func(a, b podNumbers) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return cmp.Compare(a.uid, b.uid)
	})
	chosen := make([]int, victims)
	for i := range chosen {
		chosen[i] = int(list[i].index)
	}
	return chosen
}

// A nodeTally is a node, known by a hash of its name, and how many pods are on it.
type nodeTally struct {
	hash uint32
	pods int32
}

func countOn(nodes []nodeTally, name string) int32 {
	h := wordOf(name)
	for rest := name; len(rest) > 8; {
		rest = rest[min(8, len(rest)-8):]
		high, low := bits.Mul64(h^wordOf(rest), 0x9e3779b97f4a7c15)
		h = high ^ low
	}
	h *= 0xe7037ed1a0b428db
	hash := uint32(h>>32) | 1
	for i := hash >> 1; ; i++ {
		n := &nodes[i&uint32(len(nodes)-1)]
		if n.hash == 0 {
			n.hash = hash
		}
		if n.hash == hash {
			n.pods++
			return int32(i & uint32(len(nodes)-1))
		}
	}
}

func wordOf(s string) (n uint64) {
	if len(s) >= 8 {
		return uint64(s[0])<<56 | uint64(s[1])<<48 | uint64(s[2])<<40 | uint64(s[3])<<32 | uint64(s[4])<<24 | uint64(s[5])<<16 | uint64(s[6])<<8 | uint64(s[7])
	}
	for i := range len(s) {
		n |= uint64(s[i]) << (56 - 8*i)
	}
	return n
}

// podNumbers are the numbers by which two pods are compared: readiness, cost, neighbours, and for a
// pod that is not ready restarts and age, for another the time since it became ready; then the UID.
type podNumbers struct {
	first, uid uint64
	index      int32
}

func numbersOf(p *podorder.Pod, neighbours int32, now time.Time) podNumbers {
	cost := 0
	if len(p.Annotations) > 0 {
		cost, _ = strconv.Atoi(p.Annotations[podorder.AnnotationDeletionCost])
	}
	first := uint64(cost)<<32 | uint64(1<<16-neighbours)<<8
	if p.Ready {
		first = first | 1<<63 | uint64(bits.Len64(uint64(now.Sub(p.ReadySince))))
	} else {
		first = first<<16 | uint64(255-p.Restarts)<<8 | uint64(bits.Len64(uint64(now.Sub(p.CreationTimestamp))))
	}
	return podNumbers{first: first, uid: wordOf(p.UID)}
}

// readOnce is the floor of a pass: of each pod it reads its owner, its end, the labels
// of the template and readiness, without which no status is known.
func readOnce(s *replicaset.Snapshot) (ready int) {
	for i := range s.Pods {
		p := &s.Pods[i]
		if p.ControllerUID == s.ReplicaSet.UID && p.Active() && p.Labels["app"] == "web" && p.Labels["pod-template-hash"] == "a" && p.Ready {
			ready++
		}
	}
	return ready
}

// readObjectsOnce is [readOnce] for objects of the API, as any adapter has to read them.
func readObjectsOnce(rs *appsv1.ReplicaSet, pods []*corev1.Pod) (ready int) {
	for _, p := range pods {
		if owner := &p.OwnerReferences[0]; !*owner.Controller || owner.UID != rs.UID || p.DeletionTimestamp != nil || p.Status.Phase != corev1.PodRunning ||
			p.Labels["app"] != "web" || p.Labels["pod-template-hash"] != "a" {
			continue
		}
		if c := &p.Status.Conditions[2]; c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			ready++
		}
	}
	return ready
}

// The floors come to the answers of the planners.
func TestFloors(t *testing.T) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			pods, victims := snapshots(clusterPods(n)), max(1, n/10)
			order := podorder.New(benchNow, nil)
			order.Related = func(*podorder.Pod) bool { return true }
			require.Equal(t, order.Choose(pods, nil, victims).Victims, chooseOnce(pods, victims, benchNow))

			s := kube.ReplicaSetSnapshot(benchSet(n), clusterPods(n), nil)
			plan := must(replicaset.Reconcile(s, benchNow, replicaset.Options{}))
			ready := readOnce(&s)
			require.Equal(t, int(plan.Status.ReadyReplicas), ready)
			require.Equal(t, ready, readObjectsOnce(benchSet(n), clusterPods(n)))
		})
	}
}
