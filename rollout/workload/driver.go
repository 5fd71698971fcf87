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

// KnownKinds says which kinds of workloads are known.
const KnownKinds = "must be a Deployment, StatefulSet or DaemonSet of apps or a CloneSet, StatefulSet or DaemonSet of apps.kruise.io, " +
	"and a Deployment or CloneSet of these for a blue-green release"

// BlueGreen reports whether new pods are held by the surge.
func (d Driver) BlueGreen() bool {
	return d == DriverBlueGreenDeployment || d == DriverBlueGreenCloneSet
}

// ByPartition reports whether pods are labelled while they are upgraded.
func (d Driver) ByPartition() bool {
	return d == DriverDeployment || d == DriverCloneSet || d == DriverStatefulSet || d == DriverDaemonSet || d == DriverNativeDaemonSet
}

// unless returns a driver unless the style is blue-green, which it does not know.
func unless(style Style, d Driver) Driver {
	if style == BlueGreen {
		return ""
	}
	return d
}
