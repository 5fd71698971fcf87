package rollout

import "strings"

// A WorkloadRef names a workload.
type WorkloadRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Group returns the API group, which is the part of APIVersion before the slash.
func (r WorkloadRef) Group() string {
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

// kind returns the kind with its group.
func (r WorkloadRef) kind() string { return r.Group() + "/" + r.Kind }

// IsDeployment reports whether it is a Deployment of apps.
func (r WorkloadRef) IsDeployment() bool { return r.kind() == kindDeployment }

// IsCloneSet reports whether it is a CloneSet of OpenKruise.
func (r WorkloadRef) IsCloneSet() bool { return r.kind() == kindCloneSet }

// IsDaemonSet reports whether it is a DaemonSet, of apps or of OpenKruise.
func (r WorkloadRef) IsDaemonSet() bool {
	return r.kind() == kindDaemonSet || r.kind() == kindAdvancedDaemonSet
}

// Known reports whether the kind is one that can be updated by partition.
func (r WorkloadRef) Known() bool { return driverOf(r, Partition) != "" }

// same reports whether both name the same workload, whatever the version.
func (r WorkloadRef) same(o WorkloadRef) bool {
	return r.Group() == o.Group() && r.Kind == o.Kind && r.Name == o.Name
}
