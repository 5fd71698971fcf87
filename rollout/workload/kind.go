// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A kind is the behavior of one kind of workload. A new kind is a separate file and a row
// of [kindOf].
type kind interface {
	// driver returns the driver in a style, "" if the style is not supported.
	driver(style Style) Driver
	// inspect sets the revisions, whether the update goes back, and the key of the label.
	inspect(f *State, s *InspectSnapshot)
	// holdBack prevents updates of pods.
	holdBack(w *Workload, repair quirk.Set)
	// traits returns other properties of the kind.
	traits() Traits
	// body adds the changes of a patch to the spec of a merge patch, at the fields of this kind.
	body(p *Patch, spec map[string]any)
	// patch applies the same changes to a workload.
	patch(p *Patch, w *Workload)
}

// The known kinds of workloads, with their groups.
const (
	kindDeployment          = "apps/Deployment"
	kindStatefulSet         = "apps/StatefulSet"
	kindDaemonSet           = "apps/DaemonSet"
	kindCloneSet            = "apps.kruise.io/CloneSet"
	kindAdvancedStatefulSet = "apps.kruise.io/StatefulSet"
	kindAdvancedDaemonSet   = "apps.kruise.io/DaemonSet"
)

// kindOf returns the kind of a workload, nil if it is unknown.
func kindOf(r Ref) kind {
	switch r.GroupKind() {
	case kindDeployment:
		return deployment{}
	case kindCloneSet:
		return cloneSet{}
	case kindStatefulSet, kindAdvancedStatefulSet:
		return statefulSet{}
	case kindDaemonSet:
		return nativeDaemonSet{}
	case kindAdvancedDaemonSet:
		return daemonSet{}
	}
	return nil
}

// driverOf returns the driver of a workload in a style, or "".
func driverOf(ref Ref, style Style) Driver {
	if k := kindOf(ref); k != nil {
		return k.driver(style)
	}
	return ""
}

// DriverOf returns the driver of a workload in a style, "" meaning the style Partition. The
// error, for an unknown kind or a kind that the style does not support, is a [kplan.FieldError]
// with the path WorkloadRef and the detail [KnownKinds].
func DriverOf(ref Ref, style Style) (Driver, error) {
	if d := driverOf(ref, style); d != "" {
		return d, nil
	}
	return "", &kplan.FieldError{Path: "WorkloadRef", Value: ref.GroupKind(), Detail: KnownKinds}
}

// Known reports whether the kind is known. Each such kind can be updated by partition.
func (r Ref) Known() bool { return kindOf(r) != nil }

// Traits returns the traits of the kind, the zero value if it is unknown.
func (r Ref) Traits() Traits {
	if k := kindOf(r); k != nil {
		return k.traits()
	}
	return Traits{}
}

// HoldBack prevents updates of pods until a BatchRelease takes the workload over. It does
// nothing for a Deployment, which is paused.
func (w *Workload) HoldBack(repair quirk.Set) {
	if k := kindOf(w.Ref); k != nil {
		k.holdBack(w, repair)
	}
}
