// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A DaemonSetControl is the content of the annotation [workload.AnnotationDaemonSetControl].
type DaemonSetControl struct {
	Partition     string `json:"partition"`
	BatchRevision string `json:"batch-revision"`
}

func parseControl(text string) DaemonSetControl {
	var c DaemonSetControl
	if json.Unmarshal([]byte(text), &c) != nil {
		return DaemonSetControl{}
	}
	return c
}

// A DaemonSetPod is a pod of a native DaemonSet that is updated in batches.
type DaemonSetPod struct {
	Name              string    `json:"name"`
	UID               string    `json:"uid,omitzero"`
	Revision          string    `json:"revision"`
	Ready             bool      `json:"ready,omitzero"`
	Pending           bool      `json:"pending,omitzero"`
	DeletionCost      string    `json:"deletionCost,omitzero"` // as annotated; 0 if that is not an int32
	CreationTimestamp time.Time `json:"creationTimestamp"`
	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"`
}

// A NativeBatch is the input of the helper of native DaemonSets.
type NativeBatch struct {
	Partition              string               `json:"partition"` // pods that stay old; only its leading number counts, after blanks
	Revision               string               `json:"revision"`
	MaxUnavailable         rollout.IntOrPercent `json:"maxUnavailable,omitzero"` // unset means 1
	DesiredNumberScheduled int32                `json:"desiredNumberScheduled"`
	Pods                   []DaemonSetPod       `json:"pods,omitempty"` // in any order: pods that are alike go by name
}

// Allowed returns how many pods may be unavailable, at least one.
func (b NativeBatch) Allowed() int32 {
	if b.MaxUnavailable.IsZero() {
		return 1
	}
	return max(1, b.MaxUnavailable.Of(b.DesiredNumberScheduled))
}

// Desired returns how many pods must have the update revision. The error is a [kplan.FieldError]
// for a Partition that does not begin with an int32, after optional blanks.
func (b NativeBatch) Desired() (int32, error) {
	var stable int32
	if _, err := fmt.Sscanf(b.Partition, "%d", &stable); err != nil {
		return 0, &kplan.FieldError{Path: "Partition", Value: b.Partition, Detail: "must begin with a whole number", Err: err}
	}
	return max(0, int32(len(b.Pods))-stable), nil // in int32, as upstream
}

// Counts returns the number of pods with the update revision, and how many of these are not ready.
func (b NativeBatch) Counts() (updated, notReady int32) {
	for i := range b.Pods {
		if b.Pods[i].Revision == b.Revision {
			updated++
			if !b.Pods[i].Ready {
				notReady++
			}
		}
	}
	return updated, notReady
}

// Victims returns the names of the pods to delete, or the error of [NativeBatch.Desired]. Pods
// that are not ready are deleted without a limit, ready pods as far as [NativeBatch.Allowed]
// permits.
//
// Like upstream, it may name a pod that is being deleted, or one more pod in its place,
// because it does not count deletions under way: see [quirk.DeletingPodsListed].
func (b NativeBatch) Victims(repair quirk.Set) ([]string, error) {
	updated, unavailable := b.Counts()
	desired, err := b.Desired()
	need := int64(desired) - int64(updated)
	if err != nil || need <= 0 {
		return nil, err
	}
	candidates := b.candidates()
	if repair.Has(quirk.DeletingPodsListed) {
		for _, p := range candidates {
			if !p.DeletionTimestamp.IsZero() {
				need-- // the one that takes its place is updated
			}
		}
	}
	count, limit := 0, b.Allowed()
	var living []string
	for _, p := range candidates {
		if int64(count) >= need {
			break
		}
		if !p.DeletionTimestamp.IsZero() {
			unavailable++
			continue
		}
		if p.Ready {
			if unavailable >= limit {
				break
			}
			unavailable++
		}
		count++
		living = append(living, p.Name)
	}
	if repair.Has(quirk.DeletingPodsListed) {
		return living, nil
	}
	var names []string
	for _, p := range candidates[:count] {
		names = append(names, p.Name)
	}
	return names, nil
}

// candidates returns the pods of other revisions in the order of deletion.
func (b NativeBatch) candidates() []*DaemonSetPod {
	var list []*DaemonSetPod
	for i := range b.Pods {
		if b.Pods[i].Revision != b.Revision {
			list = append(list, &b.Pods[i])
		}
	}
	slices.SortFunc(list, func(p, q *DaemonSetPod) int {
		return cmp.Or(first(p.Pending, q.Pending), first(!p.Ready, !q.Ready), cmp.Compare(cost(p), cost(q)),
			q.CreationTimestamp.Compare(p.CreationTimestamp), cmp.Compare(p.Name, q.Name), cmp.Compare(p.UID, q.UID))
	})
	return list
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func cost(p *DaemonSetPod) int64 {
	n, err := strconv.ParseInt(p.DeletionCost, 10, 32)
	if err != nil {
		return 0
	}
	return n
}
