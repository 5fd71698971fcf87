// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/kplan-go/kplan"

// A kind is what a kind of workload has of its own. A new one is a file of its own and a row
// of [kindOf].
type kind interface {
	// driver returns the driver in a style, "" if there is none.
	driver(style Style) Driver
	// inspect sets the revisions, whether the update goes back, and the key of the label.
	inspect(f *State, s *InspectSnapshot)
	// holdBack lets no pod be updated.
	holdBack(w *Workload, repair Quirks)
	// traits says what else sets it apart.
	traits() Traits
	// body adds to the spec of a merge patch where this kind has what a patch changes.
	body(p *Patch, spec map[string]any)
	// patch changes the same in a workload.
	patch(p *Patch, w *Workload)
}

// The kinds of workloads that are known, with their groups.
const (
	kindDeployment          = "apps/Deployment"
	kindStatefulSet         = "apps/StatefulSet"
	kindDaemonSet           = "apps/DaemonSet"
	kindCloneSet            = "apps.kruise.io/CloneSet"
	kindAdvancedStatefulSet = "apps.kruise.io/StatefulSet"
	kindAdvancedDaemonSet   = "apps.kruise.io/DaemonSet"
)

// kindOf returns the kind of a workload, nil if it is not known.
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

// driverOf returns the driver of a workload in a style, "" if it has none.
func driverOf(ref Ref, style Style) Driver {
	if k := kindOf(ref); k != nil {
		return k.driver(style)
	}
	return ""
}

// DriverOf returns the driver of a workload in a style, "" meaning the style Partition. The
// error, for a kind that is not known or that the style does not know, is a [kplan.FieldError]
// with the path WorkloadRef and the detail [KnownKinds].
func DriverOf(ref Ref, style Style) (Driver, error) {
	if d := driverOf(ref, style); d != "" {
		return d, nil
	}
	return "", &kplan.FieldError{Path: "WorkloadRef", Value: ref.GroupKind(), Detail: KnownKinds}
}

// Known reports whether the kind is known. Each such kind can be updated by partition.
func (r Ref) Known() bool { return kindOf(r) != nil }

// Traits returns what sets the kind apart, nothing if it is not known.
func (r Ref) Traits() Traits {
	if k := kindOf(r); k != nil {
		return k.traits()
	}
	return Traits{}
}

// HoldBack lets no pod be updated, until a BatchRelease takes the workload over. It is not
// for Deployments, which are paused.
func (w *Workload) HoldBack(repair Quirks) {
	if k := kindOf(w.Ref); k != nil {
		k.holdBack(w, repair)
	}
}
