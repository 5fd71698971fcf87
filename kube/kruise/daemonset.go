// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
)

// AnnotationProgressive is the annotation that asks for progressive creation of a
// DaemonSet of apps.kruise.io/v1alpha1, with the value true.
const AnnotationProgressive = "daemonset.kruise.io/progressive-create-pod"

// Advanced holds the fields that an Advanced DaemonSet of OpenKruise has in addition to
// a DaemonSet of Kubernetes. Its API is not a dependency of this module, so the caller
// takes the fields from the object. The zero Advanced changes nothing. The comments
// name the fields of apps.kruise.io/v1beta1.
type Advanced struct {
	// RollingType is spec.updateStrategy.rollingUpdate.rollingUpdateType; "" means
	// Standard.
	RollingType daemonset.RollingType
	// Partition is spec.updateStrategy.rollingUpdate.partition: the number of nodes
	// that keep their old pods; nil means 0.
	Partition *intstr.IntOrString
	// Selector is spec.updateStrategy.rollingUpdate.selector. Only pods on nodes that
	// it selects may be updated; nil means all.
	Selector *metav1.LabelSelector
	// Paused is spec.updateStrategy.rollingUpdate.paused.
	Paused bool
	// Burst is spec.burstReplicas: the number of pods that a plan may create, delete
	// and update; nil means 250.
	Burst *intstr.IntOrString
	// Progressive is spec.scaleStrategy.partitionedScaling. The annotation
	// [AnnotationProgressive] of the DaemonSet means the same.
	Progressive bool
	// PreDelete is spec.lifecycle.preDelete, with finalizersHandler, labelsHandler and
	// markPodNotReady; nil means none.
	PreDelete *daemonset.PreDelete
	// UpdateRevision is status.updateRevision; "" means none yet.
	UpdateRevision string
}

const (
	pathRollingType = "spec.updateStrategy.rollingUpdate.rollingUpdateType"
	pathPartition   = "spec.updateStrategy.rollingUpdate.partition"
	pathBurst       = "spec.burstReplicas"
)

// AdvancedDaemonSet returns the snapshot of an Advanced DaemonSet, with the fields of ds
// and a. It shares with ds the same parts as [kube.DaemonSet], and with a the hook and
// the parts of the selector. The error is the one of [kube.DaemonSet], and covers the
// fields of a as well.
//
// Partition, selector, pause and rolling type belong to the rolling update, and are left
// unset with the strategy OnDelete.
func AdvancedDaemonSet(ds *appsv1.DaemonSet, a Advanced) (daemonset.DaemonSet, error) {
	d, err := kube.DaemonSet(ds)
	if err = addAdvanced(&d, ds, a, err); err != nil {
		return daemonset.DaemonSet{}, err
	}
	return d, nil
}

// AdvancedDaemonSetSnapshot is [kube.DaemonSetSnapshot] for an Advanced DaemonSet. The
// error is the one of [AdvancedDaemonSet].
func AdvancedDaemonSetSnapshot(ds *appsv1.DaemonSet, a Advanced, nodes []*corev1.Node, pods []*corev1.Pod, revisions []*appsv1.ControllerRevision) (daemonset.Snapshot, error) {
	s, err := kube.DaemonSetSnapshot(ds, nodes, pods, revisions)
	if err = addAdvanced(&s.DaemonSet, ds, a, err); err != nil {
		return daemonset.Snapshot{}, err
	}
	return s, nil
}

// addAdvanced sets the fields of a in d, the snapshot of ds. It returns the errors of a
// together with the errors of ds.
func addAdvanced(d *daemonset.DaemonSet, ds *appsv1.DaemonSet, a Advanced, of error) error {
	var es kplan.FieldErrors
	if list, ok := of.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			if e, ok := err.(*kplan.FieldError); ok {
				es = append(es, e)
			}
		}
	}
	ds = convert.Or(ds)
	d.Burst = convert.Limit(&es, pathBurst, a.Burst)
	d.PreDelete = a.PreDelete
	d.Status.UpdateRevision = a.UpdateRevision
	if ds.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
		d.RollingType = a.RollingType
		d.Partition = convert.Limit(&es, pathPartition, a.Partition)
		d.NodeSelector = kube.LabelSelector(a.Selector)
		d.Paused = a.Paused
		d.Progressive = a.Progressive || ds.Annotations[AnnotationProgressive] == "true"
		checkRollingType(a.RollingType, &es)
	}
	return es.Join()
}

func checkRollingType(t daemonset.RollingType, es *kplan.FieldErrors) {
	switch t {
	case "", daemonset.Standard, daemonset.Surging, daemonset.InPlaceIfPossible:
	default:
		es.Add(pathRollingType, string(t), "must be Standard, Surging or InPlaceIfPossible")
	}
}
