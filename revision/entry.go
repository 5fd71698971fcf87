// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"slices"
	"time"
)

// An Entry is a ReplicaSet in the history of its Deployment, with the fields that this package
// reads. Functions take entries in any order, and return indices of the list that they are given;
// -1 means none.
type Entry struct {
	Name          string            `json:"name"`
	UID           string            `json:"uid,omitzero"`
	ControllerUID string            `json:"controllerUID,omitzero"` // read by Collides
	Annotations   map[string]string `json:"annotations,omitempty"`
	Template      Template          `json:"template,omitzero"`
	// TemplateAnnotations are the annotations of the pod template. Only package
	// revision/kubectl reads them.
	TemplateAnnotations map[string]string `json:"templateAnnotations,omitempty"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	// Only [Entry.Hold], and so [CleanUp], reads the fields below.

	Generation int64       `json:"generation,omitzero"`
	Replicas   *int32      `json:"replicas,omitzero"` // spec.replicas; nil means 1
	Status     EntryStatus `json:"status,omitzero"`
}

// An EntryStatus is the status of a ReplicaSet.
type EntryStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitzero"`
	Replicas           int32 `json:"replicas,omitzero"` // existing pods
}

// A Workload is a Deployment, with the fields that this package reads.
type Workload struct {
	Kind        string            `json:"kind,omitzero"` // a kind of your own for messages; "" means Deployment
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Template    Template          `json:"template"`
	Paused      bool              `json:"paused,omitzero"`
}

// Split returns the index of the oldest entry with the template, or -1, and the indices of all
// other entries, oldest first.
//
// It mirrors FindNewReplicaSet and FindOldReplicaSets of the deployment util package
// of Kubernetes.
func Split(entries []Entry, t Template) (newest int, old []int) {
	order := ByAge(entries)
	at := slices.IndexFunc(order, func(i int) bool { return entries[i].Template.Same(t) })
	if at < 0 {
		return -1, order
	}
	newest = order[at]
	return newest, slices.Delete(order, at, at+1)
}

// listed returns the indices of the entries in the order in which the deployment controller
// searches a history: the old entries of [Split], oldest first, and then the newest.
func listed(entries []Entry, t Template) []int {
	newest, old := Split(entries, t)
	if newest >= 0 {
		return append(old, newest)
	}
	return old
}

// ByAge returns the indices of the entries, oldest first: by creation time, name and UID.
func ByAge(entries []Entry) []int {
	order := indices(len(entries))
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &entries[i], &entries[j]
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return order
}

// indices returns the numbers from 0 to n-1, or nil if n is 0.
func indices(n int) []int {
	if n == 0 {
		return nil
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
