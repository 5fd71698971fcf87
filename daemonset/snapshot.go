// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"time"

	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// Kind is the kind of a DaemonSet in an owner reference.
const Kind = "DaemonSet"

func (ds *DaemonSet) kind() string { return cmp.Or(ds.Kind, Kind) }

// podKind returns the kind of the pods, or "" for Kubernetes pods.
func (ds *DaemonSet) podKind() string { return unless(ds.PodKind, "Pod") }

// unless returns the kind, or "" for the usual kind.
func unless(kind, usual string) string {
	if kind == usual {
		return ""
	}
	return kind
}

// A Snapshot is everything that [Reconcile] looks at. Reconcile does not change a
// Snapshot and keeps no part of it.
//
// Without one of the first eight fields of this table there is an error that names the field.
// Without any other field, the plan is made as noted.
//
//	now                               decides which pods are available, and when to look again
//	DaemonSet.Name                    new revisions are named after it
//	DaemonSet.UID                     says which pods and revisions are its own
//	DaemonSet.Selector                says which pods and revisions it adopts
//	DaemonSet.Template.Hash           names a new revision
//	Nodes[].Name                      says which pods are on it
//	Pods[].Name                       actions name it
//	Revisions[].Name                  actions name it
//	DaemonSet.Template.Data           without it, all templates are one
//	DaemonSet.Template.Tolerations    without them, nodes with taints are left out
//	Nodes[].Taints                    without them, pods run on it
//	Nodes[].Labels                    without them, selectors of nodes leave it out
//	DaemonSet.MaxUnavailable          without it, 1 node may be unavailable
//	DaemonSet.MinReadySeconds         without it, a ready pod is available
//	Pods[].ControllerUID              without it, it is adopted by the selector, or not looked at
//	Pods[].NodeName                   without it and an affinity for a node, it is on none
//	Pods[].Labels                     without the hash, it is old; without others, it is released
//	Pods[].Phase                      without it, one that has failed stays
//	Pods[].DeletionTimestamp          without it, one that is being deleted counts
//	Pods[].Ready                      without it, it is not ready
//	Pods[].ReadySince                 without it and with MinReadySeconds, it is never available
//	Revisions[].Data                  without it, it is of another template
//	Unseen                            without it, pods just created are created again
//
// DaemonSet.Generation and Status are read for the next status.
type Snapshot struct {
	DaemonSet DaemonSet `json:"daemonSet"`
	// Nodes are all nodes of the cluster, in any order.
	Nodes []Node `json:"nodes,omitempty"`
	// Pods are, in any order, all pods that the DaemonSet controls, whatever their labels and
	// phase and even if they are being deleted, and all orphans that its selector selects, to
	// be adopted. Other pods of the namespace are optional: they are not looked at.
	Pods []Pod `json:"pods,omitempty"`
	// Revisions are, in any order, all revisions that the DaemonSet controls, all orphans that
	// its selector selects, and the revision with the name of the template's revision,
	// whatever its controller. Other revisions of the namespace may be left out.
	Revisions []revision.ControllerRevision `json:"revisions,omitempty"`
	// Backoff is the table of the previous plan.
	Backoff Backoff `json:"backoff,omitempty"`
	// Unseen means that the informers have not yet shown all creations and deletions of pods of
	// earlier plans. The plan then creates, deletes and updates no pods.
	Unseen bool `json:"unseen,omitzero"`
	// Written are the versions that earlier passes have left, from [Result.Written], and Read
	// the versions up to which the caches had read when Pods and DaemonSet were taken from
	// them. While Read is older than Written, nothing is planned. A cache that cannot tell how
	// far it has read leaves Read empty, and then no pass waits for it.
	Written expect.Versions `json:"written,omitzero"`
	Read    expect.Versions `json:"read,omitzero"`
}

// A Strategy is how a DaemonSet replaces pods of an old template.
type Strategy string

// The strategies of a DaemonSet. The empty Strategy is RollingUpdate.
const (
	RollingUpdate Strategy = "RollingUpdate"
	OnDelete      Strategy = "OnDelete"
)

// A RollingType is how a rolling update replaces a pod.
type RollingType string

// The types of a rolling update. The empty RollingType is Standard.
const (
	Standard          RollingType = "Standard"
	Surging           RollingType = "Surging" // of v1alpha1: Standard, with a surge of 1 if none is given
	InPlaceIfPossible RollingType = "InPlaceIfPossible"
)

// A DaemonSet is the desired state and the last written status. Kinds decide nothing: the UID
// of its controller identifies the owner of a pod or revision.
type DaemonSet struct {
	Kind        string            `json:"kind,omitzero"`      // a kind of your own; "" means DaemonSet
	PodKind     string            `json:"podKind,omitzero"`   // of its pods, for texts; "" means Pod
	Namespace   string            `json:"namespace,omitzero"` // events name pods with it
	Name        string            `json:"name"`
	UID         string            `json:"uid"`
	Generation  int64             `json:"generation,omitzero"`
	Annotations map[string]string `json:"annotations,omitempty"`

	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	Selector *selector.LabelSelector `json:"selector"` // must be set; an empty one stops everything
	Template Template                `json:"template"`
	Strategy Strategy                `json:"strategy,omitzero"` // "" means RollingUpdate
	MaxSurge rollout.IntOrPercent    `json:"maxSurge,omitzero"` // of the desired nodes, rounded up; unset means 0
	// MaxUnavailable is a share of the desired nodes, rounded up. Unset means 1, and 0 next to
	// a surge in the OpenKruise dialect.
	MaxUnavailable       rollout.IntOrPercent `json:"maxUnavailable,omitzero"`
	MinReadySeconds      int32                `json:"minReadySeconds,omitzero"`
	RevisionHistoryLimit *int32               `json:"revisionHistoryLimit,omitzero"` // nil means 10

	// Fields of the Advanced DaemonSet of OpenKruise only.

	// RollingType is how pods are replaced; "" means Standard.
	RollingType RollingType `json:"rollingType,omitzero"`
	// Partition is how many nodes stay as they are, rounded down; unset means 0.
	Partition rollout.IntOrPercent `json:"partition,omitzero"`
	// NodeSelector admits only nodes with these labels to the update; nil admits all.
	NodeSelector *selector.LabelSelector `json:"nodeSelector,omitempty"`
	// Paused stops the update, but not the creation of missing pods.
	Paused bool `json:"paused,omitzero"`
	// Burst is how many pods a plan may create, how many delete, and how many update in
	// place, rounded down; unset means 250.
	Burst rollout.IntOrPercent `json:"burst,omitzero"`
	// Progressive creates pods only on nodes that the partition has released.
	Progressive bool `json:"progressive,omitzero"`
	// PreDelete is the hook that holds back the deletion of a pod; nil holds nothing.
	PreDelete *PreDelete `json:"preDelete,omitempty"`

	Status Status `json:"status,omitzero"`
}

// A PreDelete holds back the deletion of a pod that carries any of the finalizers or
// any of the labels.
type PreDelete struct {
	Finalizers   []string          `json:"finalizers,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	MarkNotReady bool              `json:"markNotReady,omitzero"` // a held pod also stops being ready
}

// A Template holds the fields of a pod template that the planner reads.
type Template struct {
	// Hash names a new revision; see [revision.Hash] and Status.CollisionCount.
	Hash string `json:"hash"`
	// Data is the template as a revision stores it: {"spec":{"template":{…}}}.
	Data        []byte            `json:"data,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`

	NodeName     string                 `json:"nodeName,omitzero"` // the only node that pods may run on
	NodeSelector map[string]string      `json:"nodeSelector,omitempty"`
	Affinity     *selector.NodeSelector `json:"affinity,omitempty"` // required node affinity; nil demands nothing
	Tolerations  []Toleration           `json:"tolerations,omitempty"`
	HostNetwork  bool                   `json:"hostNetwork,omitzero"`
	// ReadinessGates are read with InPlaceIfPossible only.
	ReadinessGates []string `json:"readinessGates,omitempty"`
}

// A Status is the status of a DaemonSet. Counts are of nodes.
type Status struct {
	ObservedGeneration     int64  `json:"observedGeneration,omitzero"`
	DesiredNumberScheduled int32  `json:"desiredNumberScheduled"`          // that should run a pod
	CurrentNumberScheduled int32  `json:"currentNumberScheduled,omitzero"` // of these, with a pod
	NumberMisscheduled     int32  `json:"numberMisscheduled,omitzero"`     // that should not run a pod and have one
	NumberReady            int32  `json:"numberReady,omitzero"`            // desired, with a ready pod
	NumberAvailable        int32  `json:"numberAvailable,omitzero"`        // desired, with an available pod
	NumberUnavailable      int32  `json:"numberUnavailable,omitzero"`      // desired, without an available pod
	UpdatedNumberScheduled int32  `json:"updatedNumberScheduled,omitzero"` // desired, with a new pod
	CollisionCount         *int32 `json:"collisionCount,omitzero"`         // hash collisions so far, nil means none
	UpdateRevision         string `json:"updateRevision,omitzero"`         // the current hash; OpenKruise only
}

// A Node holds the fields of a node that the planner reads.
type Node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Taints []Taint           `json:"taints,omitempty"`
	// Rank is the caller's order of updates: nodes of lower rank come first, nodes of equal
	// rank by name. No other decision reads it.
	Rank int32 `json:"rank,omitzero"`
}

// An Effect is the effect of a taint on pods that do not tolerate it.
type Effect string

// The effects of a taint.
const (
	NoSchedule       Effect = "NoSchedule"
	PreferNoSchedule Effect = "PreferNoSchedule"
	NoExecute        Effect = "NoExecute"
)

// A Taint keeps pods off a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitzero"`
	Effect Effect `json:"effect"`
}

// A TolerationOperator is how the value of a toleration compares.
type TolerationOperator string

// The operators of a toleration. The empty one compares as Equal does, but is
// another one when default tolerations are added. Others tolerate nothing.
const (
	TolerationEqual  TolerationOperator = "Equal"
	TolerationExists TolerationOperator = "Exists"
)

// A Toleration lets a pod onto a node in spite of a taint.
type Toleration struct {
	Key      string             `json:"key,omitzero"` // "" is every key
	Operator TolerationOperator `json:"operator,omitzero"`
	Value    string             `json:"value,omitzero"`
	Effect   Effect             `json:"effect,omitzero"` // "" is every effect
	Seconds  *int64             `json:"tolerationSeconds,omitzero"`
}

// Holds reports whether the hook holds back the deletion of a pod: it carries any of
// the finalizers or any of the labels.
func (h *PreDelete) Holds(p *Pod) bool {
	if h == nil || p == nil {
		return false
	}
	if slices.ContainsFunc(h.Finalizers, func(f string) bool { return slices.Contains(p.Finalizers, f) }) {
		return true
	}
	for key, want := range h.Labels {
		if got, ok := p.Labels[key]; ok && got == want {
			return true
		}
	}
	return false
}
