// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of DaemonSets: defects of upstream.
// Plans have them by default; Repair of daemonset.Options takes the set to repair.
package quirk

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks. [Table] describes each.
const (
	OutsideNodesUseBudget                  Set = 1 << iota // nodes that should not run a pod use up the budget
	OldUnavailableNotCounted                               // old pods that are not available use up no budget
	MissingNodeStopsSurge                                  // an old pod on a missing node stops an update with surge
	OlderPodsRelabelled                                    // if several revisions have the template, all pods get one hash, pods of older templates too
	GenerationHidesHash                                    // a pod with an old hash and the template generation is new
	StatusCountsDeletedPod                                 // a node counts by its oldest pod, even if that is being deleted
	SurgeIgnoresBackoff                                    // with surge, pods that fail are replaced without delay
	SharesOfLastStatus                                     // partition and burst are shares of the desired nodes of the last status
	BurstRoundsToZero                                      // a burst in percent is 0 for few nodes, and no pod is ever created, deleted or updated
	CollisionCountNotRaised                                // a taken name of a revision is tried again and again
	DeletedPodCountsTwice                                  // an unavailable new pod in state PreparingDelete counts twice
	SucceededPodsStay                                      // pods that have succeeded are never replaced
	GateAddedTwice                                         // a readiness gate of the template is added again
	PodsOfMissingNodesDeletedAgain                         // unbound pods of missing nodes are deleted again and again
	InPlaceRemovesAllMetadata                              // an update in place removes metadata of other writers
	InPlaceLeftUnfinished                                  // an update in place does not end if the RollingType changes
	SurgeOnExcludedNodes                                   // nodes that should not run a pod get a second one
	SerialisationIsVersion                                 // the same template in another form is a new revision
	LongNameNotCut                                         // a revision with a long name cannot be created
	TerminatingNamespaceRaisesExpectations                 // creations in a terminating namespace are waited for
)

// All is all quirks.
const All Set = 1<<20 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names of the quirks, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the set as the list of its names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes the output of [Set.MarshalJSON]. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the set of the quirks with these names. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each unknown name.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

// Revision returns the options of package revision that repair the quirks of the set.
func (q Set) Revision() (o revision.Options) {
	if q.Has(SerialisationIsVersion) {
		o.Repair |= quirk.SerialisationIsVersion
	}
	if q.Has(LongNameNotCut) {
		o.Repair |= quirk.LongNameNotCut
	}
	return o
}

// Table returns the description of each quirk, in the order of the constants. It refers
// to Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9.
func Table() []kplan.Quirk {
	return slices.Concat(budgetQuirks(), passQuirks(), podQuirks())
}

// budgetQuirks are the first rows of the table.
func budgetQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "OutsideNodesUseBudget",
		Upstream: "Nodes that have a pod and should not run one count against a budget that is a share of the nodes that should.",
		Source:   "rollingUpdate, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Issue:    "openkruise/kruise#2387",
		Input:    "maxUnavailable 1; n1 old and available; n2 tainted NoSchedule, with a new pod that is not ready",
		Repair:   "Only nodes that should run a pod use up the budget.",
	}, {
		Name:     "OldUnavailableNotCounted",
		Upstream: "An old pod that is not available is replaced without using up the budget, so that each bad update takes one node more.",
		Source:   "rollingUpdate, OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#123232",
		Input:    "maxUnavailable 1; n1 old and not ready, n2 old and available",
		Repair:   "Such a node counts as unavailable, as in Kubernetes.",
	}, {
		Name:     "MissingNodeStopsSurge",
		Upstream: "Nodes that do not exist take part in an update with surge: an old pod there makes it fail, and an available one makes up for one that goes elsewhere.",
		Source:   "rollingUpdate, Kubernetes 1.36.3",
		Input:    "maxSurge 1; n1 old and available; an old pod bound to a node that is gone",
		Repair:   "Missing nodes do not count, and their pods are left to the garbage collector.",
	}, {
		Name:     "OlderPodsRelabelled",
		Upstream: "If several revisions have the template, all pods get the hash of the one that stays, those of older templates as well, which then are never updated.",
		Source:   "dedupCurHistories, Kubernetes 1.36.3; the same in OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#111280",
		Input:    "revisions v2 and v3 with the template, a pod of v1",
		Repair:   "Only pods of the revisions that go are relabelled.",
	}, {
		Name:     "GenerationHidesHash",
		Upstream: "A pod whose label has the template generation of the DaemonSet's annotation is new, whatever its hash.",
		Source:   "findUpdatedPodsOnNode, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Input:    "the annotation 5, a pod with the hash of v1 and the generation 5",
		Repair:   "Only the hash tells new pods from old ones.",
	}, {
		Name:     "StatusCountsDeletedPod",
		Upstream: "A node counts in the status by its oldest pod, even if that is being deleted or another one serves.",
		Source:   "updateDaemonSetStatus, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#122527",
		Input:    "an old pod that is being deleted beside an available new one",
		Repair:   "A node counts by its best pod: one that stays, is available, is ready, is new, is the oldest, in this order.",
	}, {
		Name:     "SurgeIgnoresBackoff",
		Upstream: "With surge, a node whose pods fail gets a new one in each pass, while failed ones wait for their delay.",
		Source:   "podsShouldBeOnNode, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#124388",
		Input:    "maxSurge 1; n1 with a failed pod and a delay that is not over",
		Repair:   "No pod is created while a failed one waits.",
	}}
}

// passQuirks are the next rows of the table.
func passQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "SharesOfLastStatus",
		Upstream: "The partition and the burst are shares of the desired nodes of the last status, which is 0 at first.",
		Source:   "getBurstReplicas, updatedDesiredNodeCounts and filterDaemonPodsNodeToUpdate, OpenKruise at 07169cfac7b9",
		Input:    "partition 50 %; two nodes with old pods, a status of 0 desired nodes",
		Repair:   "They are shares of the nodes that are desired now.",
	}, {
		Name:     "BurstRoundsToZero",
		Upstream: "A burst is rounded down, so that a percentage of few nodes is 0, and no pod is ever created, deleted or updated.",
		Source:   "getBurstReplicas, OpenKruise at 07169cfac7b9",
		Input:    "burst 10 %; one node without a pod",
		Repair:   "A percentage above 0 % is at least 1.",
	}, {
		Name:     "CollisionCountNotRaised",
		Upstream: "If the name of the new revision is taken, the collision count of a native DaemonSet is read and raised, so that the same name is tried again.",
		Source:   "snapshot, OpenKruise at 07169cfac7b9",
		Input:    "a revision agent-v2 with other data than the template, whose hash is v2",
		Repair:   "The collision count of this DaemonSet is raised, as in Kubernetes.",
	}, {
		Name:     "DeletedPodCountsTwice",
		Upstream: "A new pod that is about to go and is not available counts twice against the budget.",
		Source:   "rollingUpdate, OpenKruise at 07169cfac7b9",
		Input:    "maxUnavailable 2; n1 with an old pod and a new one in state PreparingDelete that is not ready; n2 old and available",
		Repair:   "It counts once.",
	}, {
		Name:     "SucceededPodsStay",
		Upstream: "A pod that has succeeded is neither deleted nor replaced.",
		Source:   "podsShouldBeOnNode, OpenKruise at 07169cfac7b9",
		Input:    "one node with a pod that has succeeded",
		Repair:   "It is deleted, as in Kubernetes.",
	}, {
		Name:     "GateAddedTwice",
		Upstream: "With InPlaceIfPossible the readiness gate is added to created pods even if the template lists it.",
		Source:   "NewPod, OpenKruise at 07169cfac7b9",
		Input:    "InPlaceIfPossible; a template with the readiness gate InPlaceUpdateReady; one node without a pod",
		Repair:   "It is listed once.",
	}, {
		Name:     "PodsOfMissingNodesDeletedAgain",
		Upstream: "An unbound pod of a missing node is deleted in each pass, even while it is being deleted, and the controller waits five minutes for an event that does not come.",
		Source:   "getUnscheduledPodsWithoutNode, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#75836",
		Input:    "a pod pinned to a node that is gone, being deleted",
		Repair:   "It is deleted once.",
	}}
}

// podQuirks are the last rows of the table.
func podQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "InPlaceRemovesAllMetadata",
		Upstream: "An update in place to a template without any labels, or annotations, removes all that the pod has, whoever put them there.",
		Source:   "defaultCalculateInPlaceUpdateSpec, OpenKruise at 07169cfac7b9",
		Input:    "InPlaceIfPossible; an old template with an annotation, a new one with none",
		Repair:   "Those of the old template are removed.",
	}, {
		Name:     "InPlaceLeftUnfinished",
		Upstream: "Kubernetes knows of no updates in place, so that the pod of one that is under way keeps its readiness gate closed.",
		Source:   "rollingUpdate, Kubernetes 1.36.3",
		Input:    "no InPlaceIfPossible; a pod whose gate InPlaceUpdateReady is closed",
		Repair:   "Updates in place are taken further whatever the type.",
	}, {
		Name:     "SurgeOnExcludedNodes",
		Upstream: "With surge, a node with an old pod gets a new one even if it should not run one; that is deleted again as misplaced, or waited for.",
		Source:   "rollingUpdate, OpenKruise at 07169cfac7b9",
		Input:    "maxSurge 1; n1 tainted NoSchedule, with an old pod",
		Repair:   "Only nodes that should run a pod get a second one, as in Kubernetes.",
	}, {
		Name:     "SerialisationIsVersion",
		Upstream: "Data that says the same in another form, as another release writes it, is a new revision, and all pods are replaced.",
		Source:   "Match, Kubernetes 1.36.3; the same in OpenKruise at 07169cfac7b9",
		Issue:    "kubernetes/kubernetes#134773",
		Input:    "a revision v2 whose data has a space more than the template",
		Repair:   "Data is compared in its normal form.",
	}, {
		Name:     "LongNameNotCut",
		Upstream: "The name of a revision is not cut, and the API server refuses one of more than 253 bytes.",
		Source:   "snapshot, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Input:    "a DaemonSet whose name has 250 bytes, without a revision",
		Repair:   "It is cut as that of a ReplicaSet is.",
	}, {
		Name:     "TerminatingNamespaceRaisesExpectations",
		Upstream: "A creation that is refused because the namespace is being deleted is waited for all the same, for five minutes.",
		Source:   "syncNodes, Kubernetes 1.36.3 and OpenKruise at 07169cfac7b9",
		Input:    "a plan with a creation that is answered with NamespaceTerminating",
		Repair:   "It is not waited for.",
	}}
}
