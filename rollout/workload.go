package rollout

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/revision"
)

// A Workload is a Deployment, CloneSet, StatefulSet or DaemonSet, as far as a
// BatchRelease and admission look at it.
type Workload struct {
	WorkloadRef
	UID         string            `json:"uid,omitzero"`
	Generation  int64             `json:"generation,omitzero"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`

	// Replicas is how many pods are wanted; nil means 1. Of a DaemonSet it is the
	// status desiredNumberScheduled.
	Replicas *int32            `json:"replicas,omitzero"`
	Template revision.Template `json:"template,omitzero"`
	Paused   bool              `json:"paused,omitzero"`
	// StrategyType is the type of the (update) strategy.
	StrategyType string `json:"strategyType,omitzero"`
	// RollingUpdate holds the limits. Nil means that the block is absent.
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	// Partition is how many pods stay old, of all but a Deployment; unset if absent.
	Partition IntOrPercent `json:"partition,omitzero"`
	// Unordered tells that a StatefulSet of OpenKruise is updated in any order.
	Unordered               bool   `json:"unordered,omitzero"`
	MinReadySeconds         int32  `json:"minReadySeconds,omitzero"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitzero"` // nil means 600

	StableRevision string `json:"stableRevision,omitzero"` // before the update
	UpdateRevision string `json:"updateRevision,omitzero"` // after it

	Status WorkloadStatus `json:"status,omitzero"`
}

// A WorkloadStatus is what a workload reports.
type WorkloadStatus struct {
	ObservedGeneration   int64 `json:"observedGeneration,omitzero"`
	Replicas             int32 `json:"replicas,omitzero"`
	ReadyReplicas        int32 `json:"readyReplicas,omitzero"`
	AvailableReplicas    int32 `json:"availableReplicas,omitzero"`
	UpdatedReplicas      int32 `json:"updatedReplicas,omitzero"`
	UpdatedReadyReplicas int32 `json:"updatedReadyReplicas,omitzero"`
}

func (w *Workload) replicas() int32 {
	if w.Replicas == nil {
		return 1
	}
	return *w.Replicas
}

// limits returns the limits of a rolling update, unset ones if there are none.
func (w *Workload) limits() RollingUpdate {
	if w.RollingUpdate == nil {
		return RollingUpdate{}
	}
	return *w.RollingUpdate
}

// A Pod is a pod of a workload, as far as batches look at it.
type Pod struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Labels            map[string]string `json:"labels,omitempty"`
	Ready             bool              `json:"ready,omitzero"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"` // zero unless being deleted
	// TemplateHash is the hash of the template of the ReplicaSet that owns the pod,
	// "" if none does. It is read if the pod has no label controller-revision-hash.
	TemplateHash string `json:"templateHash,omitzero"`
}

// consistent reports whether the pod is of a revision, which both are known by their
// hashes or by a name that ends with it.
func (p *Pod) consistent(rev string, repair Quirks) bool {
	return hashes(rev, p.Labels[LabelPodTemplateHash], repair) || hashes(rev, p.Labels[LabelControllerRevision], repair)
}

// hashes reports whether a revision ends with a hash that is known. Upstream does not
// look at what stands before it ([HashSuffixMatches]).
func hashes(rev, hash string, repair Quirks) bool {
	before, ends := strings.CutSuffix(rev, hash)
	return hash != "" && ends && (before == "" || strings.HasSuffix(before, "-") || !repair.Has(HashSuffixMatches))
}

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

// DriverOf returns the driver of a workload under a plan. The error, for a
// kind that is not known or that the style does not know, is a [FieldError] with the path
// WorkloadRef.
func DriverOf(ref WorkloadRef, plan ReleasePlan) (Driver, error) {
	if d := driverOf(ref, &plan); d != "" {
		return d, nil
	}
	var es field.Errors
	addUndriven(&es, "WorkloadRef", ref)
	return "", es.Join()
}

// addUndriven records that a workload has no driver.
func addUndriven(es *field.Errors, path string, ref WorkloadRef) {
	es.Add(path, ref.kind(), "must be a Deployment, StatefulSet or DaemonSet of apps or a CloneSet, StatefulSet or DaemonSet of apps.kruise.io, "+
		"and a Deployment or CloneSet of these for a blue-green release")
}

// driverOf returns the driver of a workload under a plan, "" if it has none.
func driverOf(ref WorkloadRef, plan *ReleasePlan) Driver {
	style := plan.RollingStyle
	if style == "" && plan.EnableExtraWorkloadForCanary {
		style = Canary
	}
	blueGreen := style == BlueGreen
	switch kind := ref.kind(); {
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

// blueGreen reports whether new pods are held by the surge.
func (d Driver) blueGreen() bool {
	return d == DriverBlueGreenDeployment || d == DriverBlueGreenCloneSet
}

// byPartition reports whether pods are labelled while they are upgraded.
func (d Driver) byPartition() bool {
	return d == DriverDeployment || d == DriverCloneSet || d == DriverStatefulSet || d == DriverDaemonSet || d == DriverNativeDaemonSet
}

// controlInfo is the annotation by which a workload names its BatchRelease.
type controlInfo struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         bool   `json:"controller"`
	BlockOwnerDeletion bool   `json:"blockOwnerDeletion"`
}

// ControlInfo returns the annotation [AnnotationControlInfo] of a workload that a
// BatchRelease drives.
func ControlInfo(br BatchRelease) string {
	return union.Text(controlInfo{
		APIVersion: "rollouts.kruise.io/v1beta1", Kind: "BatchRelease", Name: br.Name, UID: br.UID,
		Controller: true, BlockOwnerDeletion: true,
	})
}

// ControlledBy returns the UID of the BatchRelease that drives a workload, "" if none
// does or the annotation cannot be read.
func (w Workload) ControlledBy() string {
	var info controlInfo
	if json.Unmarshal([]byte(w.Annotations[AnnotationControlInfo]), &info) != nil {
		return ""
	}
	return info.UID
}
