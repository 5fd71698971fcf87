package workload

import "strings"

// A Ref names a workload.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Group returns the API group, which is the part of APIVersion before the slash.
func (r Ref) Group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		return ""
	}
	return group
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

// GroupKind returns the kind with its group.
func (r Ref) GroupKind() string { return r.Group() + "/" + r.Kind }

// IsDeployment reports whether it is a Deployment of apps.
func (r Ref) IsDeployment() bool { return r.GroupKind() == kindDeployment }

// IsCloneSet reports whether it is a CloneSet of OpenKruise.
func (r Ref) IsCloneSet() bool { return r.GroupKind() == kindCloneSet }

// IsDaemonSet reports whether it is a DaemonSet, of apps or of OpenKruise.
func (r Ref) IsDaemonSet() bool {
	return r.GroupKind() == kindDaemonSet || r.GroupKind() == kindAdvancedDaemonSet
}

// Known reports whether the kind is one that can be updated by partition.
func (r Ref) Known() bool { return driverOf(r, Partition) != "" }

// Same reports whether both name the same workload, whatever the version.
func (r Ref) Same(o Ref) bool {
	return r.Group() == o.Group() && r.Kind == o.Kind && r.Name == o.Name
}
