// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// Labels and annotations that the planner reads, or that its plans write.
const (
	// LabelHash carries the hash of the revision that a pod was made from.
	LabelHash = revision.LabelRevision
	// LabelGeneration carries the template generation that a pod was made from.
	LabelGeneration = "pod-template-generation"
	// AnnotationGeneration carries the template generation of a DaemonSet.
	AnnotationGeneration = "deprecated.daemonset.template.generation"
	// LabelState and AnnotationStateSince carry the lifecycle of a pod.
	LabelState           = "lifecycle.apps.kruise.io/state"
	AnnotationStateSince = "lifecycle.apps.kruise.io/timestamp"
	// StatePreparingDelete is the state of a pod whose deletion is held back.
	StatePreparingDelete = "PreparingDelete"
	// GateKruiseReady is the readiness gate that a hook can close.
	GateKruiseReady = "KruisePodReady"
)

// A Pod holds the fields of a pod that the planner reads.
type Pod struct {
	podorder.Pod
	// PinnedNode is the node that the required node affinity pins the pod to; see
	// [TargetNode]. It is read only while NodeName is empty.
	PinnedNode string   `json:"pinnedNode,omitzero"`
	Finalizers []string `json:"finalizers,omitempty"` // read only if the DaemonSet has a PreDelete

	// Only the OpenKruise dialect reads the following fields: for updates in place, for its status,
	// and for PreDelete.

	ReadinessGates []string            `json:"readinessGates,omitempty"`
	Containers     []inplace.Container `json:"containers,omitempty"`
	// InPlace is the condition InPlaceUpdateReady, nil if the pod has none.
	InPlace *inplace.ReadyCondition `json:"inPlace,omitempty"`
	// RuntimePlain means that the hashes that the node agent reports match the specs of all
	// containers, without environment variables from metadata. RuntimeEnv means the same with them.
	RuntimePlain bool `json:"runtimePlain,omitzero"`
	RuntimeEnv   bool `json:"runtimeEnv,omitzero"`
}

// TemplateGeneration returns the template generation in the annotations of a DaemonSet, and whether
// there is one that can be read.
func TemplateGeneration(annotations map[string]string) (int64, bool) {
	text, ok := annotations[AnnotationGeneration]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// A Version distinguishes new pods from old pods.
type Version struct {
	Hash       string // of the current revision; "" matches no pod
	Generation string // the decimal template generation; "" matches no pod

	// The plan gives pods with a hash in relabelled (sorted) the label Hash, and all pods if
	// relabelAll is set.
	relabelled []string
	relabelAll bool
}

// NewVersion returns the version of a DaemonSet, given the hash of its current revision.
func NewVersion(hash string, annotations map[string]string) Version {
	v := Version{Hash: hash}
	if n, ok := TemplateGeneration(annotations); ok {
		v.Generation = strconv.FormatInt(n, 10)
	}
	return v
}

// Current reports whether a pod with the labels is new.
func (v Version) Current(labels map[string]string) bool {
	return (v.Hash != "" && labels[LabelHash] == v.Hash) || (v.Generation != "" && labels[LabelGeneration] == v.Generation)
}

// hashOf returns the hash of a pod after the plan has relabelled it.
func (v *Version) hashOf(p *Pod) string {
	hash := p.Labels[LabelHash]
	if v.relabels(hash) {
		return v.Hash
	}
	return hash
}

// relabels reports whether the plan replaces a hash by the current hash.
func (v *Version) relabels(hash string) bool {
	return hash != v.Hash && (v.relabelAll || isIn(hash, v.relabelled))
}

// isIn reports whether a text is in a sorted list.
func isIn(text string, sorted []string) bool {
	_, found := slices.BinarySearch(sorted, text)
	return found
}

// current is [Version.Current] after the plan has relabelled the pod.
func (v *Version) current(p *Pod) bool { return v.matches(v.hashOf(p), p) }

// matches is current for a pod with a known hash after relabelling.
func (v *Version) matches(hash string, p *Pod) bool {
	return (v.Hash != "" && hash == v.Hash) || (v.Generation != "" && p.Labels[LabelGeneration] == v.Generation)
}

// compareAge orders pods as upstream does: bound pods before unbound pods, then by creation time,
// the oldest first, then by name and, unlike upstream, by UID.
func compareAge(a, b *Pod) int {
	return cmp.Or(compareBool(b.NodeName != "", a.NodeName != ""),
		a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// An Availability decides when a pod counts as available.
type Availability struct {
	MinReadySeconds int32
	Now             time.Time
	// Strict excludes the boundary, as in OpenKruise: with 10 seconds, a pod that is ready since t
	// is not available at t+10s, but after it.
	Strict bool
}

// Available reports whether the pod is available.
func (a *Availability) Available(p *Pod) bool {
	if p == nil {
		return false
	}
	if !p.Ready || a.MinReadySeconds == 0 {
		return p.Ready
	}
	at, ok := a.At(p)
	return ok && !at.After(a.Now)
}

// At returns the first instant at which the pod is available if it stays ready, and
// whether there is one.
func (a *Availability) At(p *Pod) (time.Time, bool) {
	at, ok := zero.Or(p).AvailableAt(a.MinReadySeconds)
	if ok && a.Strict && a.MinReadySeconds != 0 {
		at = at.Add(time.Nanosecond)
	}
	return at, ok
}

// StatusAvailable reports whether the status of the OpenKruise dialect counts the pod as
// available: an update in place must not be under way.
func (a *Availability) StatusAvailable(p *Pod) bool {
	return a.Available(p) && (p.InPlace == nil || p.InPlace.True || !p.hasGate(inplace.Gate))
}

func (p *Pod) terminating() bool { return !p.DeletionTimestamp.IsZero() }

// preparing reports whether the label of the pod says that it is prepared for deletion.
func (p *Pod) preparing() bool { return p.Labels[LabelState] == StatePreparingDelete }

func (p *Pod) hasGate(gate string) bool { return slices.Contains(p.ReadinessGates, gate) }

// target returns the node that the pod belongs to, "" if none.
func (p *Pod) target() string {
	if p.NodeName != "" {
		return p.NodeName
	}
	return p.PinnedNode
}

// InPlacePod returns the fields of the pod that updates in place read.
func (p *Pod) InPlacePod() inplace.Pod {
	p = zero.Or(p)
	return inplace.Pod{Annotations: p.Annotations, Containers: p.Containers, RuntimePlain: p.RuntimePlain, RuntimeEnv: p.RuntimeEnv}
}

// touched reports whether the pod may have an update in place under way.
func (p *Pod) touched() bool {
	return p.hasGate(inplace.Gate) || inplace.UnderWay(p.Annotations)
}
