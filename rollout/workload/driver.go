// SPDX-License-Identifier: Apache-2.0

package workload

// A Driver is the way in which a workload is updated.
type Driver string

// The drivers.
const (
	DriverDeployment          Driver = "Deployment"          // by partition
	DriverCloneSet            Driver = "CloneSet"            // by partition
	DriverStatefulSet         Driver = "StatefulSet"         // by partition, of Kubernetes or OpenKruise
	DriverDaemonSet           Driver = "DaemonSet"           // of OpenKruise, by partition
	DriverNativeDaemonSet     Driver = "NativeDaemonSet"     // by deleting pods
	DriverCanary              Driver = "Canary"              // by an extra Deployment
	DriverBlueGreenDeployment Driver = "BlueGreenDeployment" // by surge
	DriverBlueGreenCloneSet   Driver = "BlueGreenCloneSet"   // by surge
)

// KnownKinds is the detail of the error about a kind of workload that is not supported.
const KnownKinds = "must be a Deployment, StatefulSet or DaemonSet of apps or a CloneSet, StatefulSet or DaemonSet of apps.kruise.io, " +
	"and a Deployment or CloneSet of these for a blue-green release"

// A way holds the properties of a driver.
type way struct {
	beside    bool // new pods run next to the old ones, in addition to them
	annotated bool // its partition is an annotation, by which ReplicaSets are sized
	share     bool // its partition may be a percentage of old pods
}

// way is the table of drivers.
func (d Driver) way() way {
	switch d {
	case DriverDeployment:
		return way{annotated: true}
	case DriverCloneSet:
		return way{share: true}
	case DriverCanary, DriverBlueGreenDeployment, DriverBlueGreenCloneSet:
		return way{beside: true}
	}
	return way{}
}

// Beside reports whether new pods run next to the old pods, which all stay until the end. Pods
// are then labelled after they are updated.
func (d Driver) Beside() bool { return d.way().beside }

// SizesReplicaSets reports whether ReplicaSets are sized by a partition that counts new pods.
func (d Driver) SizesReplicaSets() bool { return d.way().annotated }

// KeepsShare reports whether the partition is a percentage of old pods, which cannot express
// every number of pods.
func (d Driver) KeepsShare() bool { return d.way().share }

// unless returns a driver that does not support blue-green: "" in that style.
func unless(style Style, d Driver) Driver {
	if style == BlueGreen {
		return ""
	}
	return d
}
