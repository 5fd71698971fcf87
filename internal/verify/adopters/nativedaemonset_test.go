// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// A nativePod is a pod of a native DaemonSet as it is recorded.
type nativePod struct {
	Created                     int64
	DeletionCost, Phase         string
	Ready, Terminating, Updated bool
}

// batch returns the decision for these pods, each of which is named by its index.
func batch(pods []nativePod) batchrelease.NativeBatch {
	b := batchrelease.NativeBatch{
		Revision: "new", Partition: "0", MaxUnavailable: rollout.Percent(100), DesiredNumberScheduled: int32(len(pods)),
	}
	for i, p := range pods {
		pod := batchrelease.DaemonSetPod{
			Name: strconv.Itoa(i), Revision: "old", Ready: p.Ready, Pending: p.Phase == "Pending", DeletionCost: p.DeletionCost, CreationTimestamp: seconds(p.Created),
		}
		if p.Updated {
			pod.Revision = "new"
		}
		if p.Terminating {
			pod.DeletionTimestamp = seconds(1)
		}
		b.Pods = append(b.Pods, pod)
	}
	return b
}

// victims are the places of the pods that go, in order.
func victims(t *testing.T, b batchrelease.NativeBatch) []int {
	names, err := b.Victims(0)
	require.NoError(t, err)
	places := []int{}
	for _, name := range names {
		i, err := strconv.Atoi(name)
		require.NoError(t, err)
		places = append(places, i)
	}
	return places
}

// The helper of native DaemonSets, part by part: the victims show the order and the costs.
func nativeDaemonSet(t *testing.T, r recorded.Recording) answer {
	op := read[struct{ Op string }](t, r).Op
	switch op {
	case "desired-updated", "max-unavailable":
		return same(r, nativeNumber(t, r, op))
	case "deletion-cost":
		return same(r, nativeCost(t, read[struct{ Annotation string }](t, r).Annotation))
	case "deletion-quota", "deletion-constraints":
		return nativeQuota(t, r, op)
	}
	pods := read[struct{ Pods []nativePod }](t, r).Pods
	b := batch(pods)
	switch op {
	case "being-deleted":
		return same(r, slices.ContainsFunc(b.Pods, func(p batchrelease.DaemonSetPod) bool { return !p.DeletionTimestamp.IsZero() }))
	case "sort":
		return same(r, victims(t, b))
	}
	updated, notReady := b.Counts()
	gone := victims(t, b)
	slices.Sort(gone)
	return same(r, map[string]any{"toDelete": gone, "updated": updated, "updatedNotReady": notReady})
}

func nativeNumber(t *testing.T, r recorded.Recording, op string) any {
	in := read[struct {
		Partition        string
		Pods             json.RawMessage
		MaxUnavailable   recorded.Loose
		DesiredScheduled int32
	}](t, r)
	b := batchrelease.NativeBatch{Partition: in.Partition, MaxUnavailable: in.MaxUnavailable.IntOrPercent, DesiredNumberScheduled: in.DesiredScheduled}
	if op == "max-unavailable" {
		return b.Allowed()
	}
	var n int
	require.NoError(t, json.Unmarshal(in.Pods, &n))
	b.Pods = make([]batchrelease.DaemonSetPod, n)
	desired, err := b.Desired()
	if err != nil {
		return refused
	}
	return desired
}

// nativeCost is the least cost of a pod that goes no sooner than one with this annotation.
func nativeCost(t *testing.T, annotation string) int {
	low, high := int64(math.MinInt32), int64(math.MaxInt32)
	for low < high {
		cost := low + (high-low)/2
		b := batch([]nativePod{{DeletionCost: annotation, Ready: true}, {DeletionCost: strconv.FormatInt(cost, 10), Ready: true}})
		b.Partition = "1"
		if victims(t, b)[0] == 0 {
			high = cost
		} else {
			low = cost + 1
		}
	}
	return int(low)
}

// How many of so many pods may go now.
func nativeQuota(t *testing.T, r recorded.Recording, op string) answer {
	in := read[struct {
		Available, NeedToDelete, UpdatedNotReady int
		MaxUnavailable                           int32
		Pods                                     []nativePod
	}](t, r)
	if op == "deletion-constraints" {
		for range in.Available {
			in.Pods = append(in.Pods, nativePod{Ready: true})
		}
	}
	old := len(in.Pods)
	for range in.UpdatedNotReady {
		in.Pods = append(in.Pods, nativePod{Updated: true})
	}
	b := batch(in.Pods)
	b.MaxUnavailable, b.Partition = rollout.Int(in.MaxUnavailable), strconv.Itoa(old-in.NeedToDelete)
	a := same(r, min(len(victims(t, b)), max(0, in.NeedToDelete)))
	if in.MaxUnavailable < 1 || in.NeedToDelete < 0 {
		a.policy = "never without one"
	}
	return a
}
