// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"

	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A State is the input of a rollout pass about a workload.
type State struct {
	Ref
	UID         string            `json:"uid,omitzero"`
	Generation  int64             `json:"generation"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// Consistent means that the workload's controller has seen the last change. Otherwise nothing
	// else is known.
	Consistent       bool   `json:"consistent"`
	Replicas         int32  `json:"replicas"`
	StableRevision   string `json:"stableRevision,omitzero"`   // before the update
	CanaryRevision   string `json:"canaryRevision,omitzero"`   // after it
	PodTemplateHash  string `json:"podTemplateHash,omitzero"`  // of the new pods
	RevisionLabelKey string `json:"revisionLabelKey,omitzero"` // the key of that label
	InRollback       bool   `json:"inRollback,omitzero"`       // the update goes back to the stable revision
	InProgress       bool   `json:"inProgress,omitzero"`       // admission has let it in
	// ProgressDeadlineSeconds is the field of the workload; nil means 600, [InfiniteDeadline] none.
	// Only [quirk.DeadlineNotReported] reads it.
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`
}

// RolloutID returns the id of a release: the label, or the revision.
func (f State) RolloutID(repair quirk.Set) string {
	id := NamedRelease(f.Labels, f.Annotations, repair)
	switch {
	case id != "":
		return id
	case f.InRollback:
		return rollbackPrefix + f.CanaryRevision
	}
	return f.CanaryRevision
}

// rollbackPrefix begins the id of a release that goes back to the stable revision.
const rollbackPrefix = "rollback-"

// NamedRelease returns the id of a release that the user has set, or "".
func NamedRelease(labels, annotations map[string]string, repair quirk.Set) string {
	if id := annotations[LabelRolloutID]; id != "" && repair.Has(quirk.RolloutIDReadDifferently) {
		return id
	}
	return labels[LabelRolloutID]
}

// LastPart returns the part after the last hyphen.
func LastPart(s string) string { return s[strings.LastIndexByte(s, '-')+1:] }

// An InspectSnapshot is everything that [Inspect] looks at.
type InspectSnapshot struct {
	Workload Workload `json:"workload"`
	Style    Style    `json:"style"`
	// Sets are the ReplicaSets that a Deployment controls, in any order.
	Sets []Set `json:"sets,omitempty"`
	// CanarySets are the ReplicaSets of the newest canary Deployment, in any order.
	CanarySets []Set `json:"canarySets,omitempty"`
	// Revisions are the ControllerRevisions of a native DaemonSet, in any order.
	Revisions []DaemonSetRevision `json:"revisions,omitempty"`
}

// A DaemonSetRevision is a ControllerRevision of a DaemonSet.
type DaemonSetRevision struct {
	Revision int64  `json:"revision"`
	Hash     string `json:"hash"` // its label controller-revision-hash
}
