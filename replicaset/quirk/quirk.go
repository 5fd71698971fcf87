// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of ReplicaSets: defects of upstream.
// Plans have them by default; Repair of replicaset.Options takes the set to repair.
package quirk

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks, in the order of [Table].
const (
	FailureConditionNotRefreshed           Set = 1 << iota // an existing ReplicaFailure keeps its old reason and text
	WaitingRemovesFailure                                  // a pass that waits for expectations removes ReplicaFailure
	TerminatingNamespaceRaisesExpectations                 // a pass waits for creations in a namespace that is going away
	UnusableSelectorIgnored                                // a selector that cannot be used is no error
	RecheckWithoutReadyTime                                // a ready pod without a ready time causes endless rechecks
	FailedClaimHidesStatus                                 // one failed claim prevents the write of the status
)

// All is the set of all quirks.
const All Set = 1<<6 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names of the quirks, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the list of names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes a list of names. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the quirks with these names. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each unknown name.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

// Table returns the descriptions of the quirks, in the order of the constants.
func Table() []kplan.Quirk {
	return []kplan.Quirk{
		{
			Name:     "FailureConditionNotRefreshed",
			Upstream: "A condition ReplicaFailure that is there already keeps its status, reason, message and time when the next pass fails with another error.",
			Source:   "calculateStatus, Kubernetes 1.36.3",
			Issue:    "kubernetes/kubernetes#127081",
			Input:    "replicas 1, no pod, ReplicaFailure is True with the message \"old\"; the creation fails with \"exceeded quota\"",
			Repair:   "The condition says what is wrong now. Its time stays that of the change to True. Another name of a pod in the message alone does not change the condition.",
		},
		{
			Name:     "WaitingRemovesFailure",
			Upstream: "A pass that waits for expectations tries nothing, counts as a success, and removes ReplicaFailure.",
			Source:   "syncReplicaSet, Kubernetes 1.36.3",
			Input:    "replicas 3, no pod, one creation outstanding, ReplicaFailure is True",
			Repair:   "The condition stays until a pass has managed the pods.",
		},
		{
			Name:     "TerminatingNamespaceRaisesExpectations",
			Upstream: "Creations that are refused because the namespace goes away count as made, and are waited for until they expire.",
			Source:   "manageReplicas, Kubernetes 1.36.3",
			Input:    "replicas 1, no pod; the creation is answered NamespaceTerminating",
			Repair:   "They are not expected. They are still no failure.",
		},
		{
			Name:     "UnusableSelectorIgnored",
			Upstream: "A selector that cannot be compiled ends each pass without a write, a retry or an error that a caller sees.",
			Source:   "syncReplicaSet, Kubernetes 1.36.3",
			Input:    "a selector with the operator \"Near\"",
			Repair:   "Reconcile returns an error with the path of the selector.",
		},
		{
			Name:     "RecheckWithoutReadyTime",
			Upstream: "A ready pod whose condition has no time never becomes available, and the ReplicaSet is looked at every minReadySeconds for it.",
			Source:   "syncReplicaSet, Kubernetes 1.36.3",
			Input:    "replicas 1, minReadySeconds 10, one ready pod without a ready time",
			Repair:   "Nothing is looked at again on account of such a pod.",
		},
		{
			Name:     "FailedClaimHidesStatus",
			Upstream: "If one adoption or release fails, the pass ends before the status of all other pods is written.",
			Source:   "syncReplicaSet, claimPods, Kubernetes 1.36.3",
			Input:    "replicas 1, an orphan that is selected; its adoption is refused",
			Repair:   "The counts of the pods that are there are written. The pass still fails, and no pod is created or deleted.",
		},
	}
}
