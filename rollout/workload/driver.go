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

// DriverOf returns the driver of a workload in a style, "" meaning the style Partition. The
// error, for a kind that is not known or that the style does not know, is a [FieldError]
// with the path Ref and the detail [KnownKinds].
func DriverOf(ref Ref, style Style) (Driver, error) {
	if d := driverOf(ref, style); d != "" {
		return d, nil
	}
	return "", &FieldError{Path: "WorkloadRef", Value: ref.GroupKind(), Detail: KnownKinds}
}

// KnownKinds says which kinds of workloads are known.
const KnownKinds = "must be a Deployment, StatefulSet or DaemonSet of apps or a CloneSet, StatefulSet or DaemonSet of apps.kruise.io, " +
	"and a Deployment or CloneSet of these for a blue-green release"

// driverOf returns the driver of a workload in a style, "" if it has none.
func driverOf(ref Ref, style Style) Driver {
	blueGreen := style == BlueGreen
	switch kind := ref.GroupKind(); {
	case kind == kindDeployment && blueGreen:
		return DriverBlueGreenDeployment
	case kind == kindDeployment && style == Canary:
		return DriverCanary
	case kind == kindDeployment:
		return DriverDeployment
	case kind == kindCloneSet && blueGreen:
		return DriverBlueGreenCloneSet
	case kind == kindCloneSet:
		return DriverCloneSet
	case kind == kindAdvancedDaemonSet && !blueGreen:
		return DriverDaemonSet
	case kind == kindDaemonSet && !blueGreen:
		return DriverNativeDaemonSet
	case (kind == kindStatefulSet || kind == kindAdvancedStatefulSet) && !blueGreen:
		return DriverStatefulSet
	}
	return ""
}

// BlueGreen reports whether new pods are held by the surge.
func (d Driver) BlueGreen() bool {
	return d == DriverBlueGreenDeployment || d == DriverBlueGreenCloneSet
}

// ByPartition reports whether pods are labelled while they are upgraded.
func (d Driver) ByPartition() bool {
	return d == DriverDeployment || d == DriverCloneSet || d == DriverStatefulSet || d == DriverDaemonSet || d == DriverNativeDaemonSet
}
