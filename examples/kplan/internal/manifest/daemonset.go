// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
)

// A DaemonSet is a DaemonSet of Kubernetes or an Advanced DaemonSet of OpenKruise, with the nodes,
// and with the pods and revisions of its namespace.
type DaemonSet struct {
	File      string
	Object    *appsv1.DaemonSet
	Advanced  *kubekruise.Advanced // nil for one of Kubernetes
	Pods      []*corev1.Pod
	Revisions []*appsv1.ControllerRevision

	*surroundings
	failures failures
}

// Name returns the kind and name of the DaemonSet, for messages.
func (d *DaemonSet) Name() string { return describe(daemonset.Kind, d.Object.Name) }

// Key identifies the DaemonSet. DaemonSets of the two APIs may have the same name.
func (d *DaemonSet) Key() string {
	return fmt.Sprint(d.Advanced != nil, "/", key(d.Object))
}

// Invalid returns err as an error of the DaemonSet.
func (d *DaemonSet) Invalid(err error) error {
	return &Error{File: d.File, Object: d.Name(), Err: err}
}

// Dialect returns the API whose rules apply to the DaemonSet.
func (d *DaemonSet) Dialect() daemonset.Dialect {
	if d.Advanced != nil {
		return daemonset.OpenKruise
	}
	return daemonset.Kubernetes
}

// Snapshot returns the input of the planner.
func (d *DaemonSet) Snapshot() (daemonset.Snapshot, error) {
	s, err := kube.DaemonSetSnapshot(d.Object, d.Nodes, d.Pods, d.Revisions)
	if err == nil && d.Advanced != nil {
		s.DaemonSet, err = kubekruise.AdvancedDaemonSet(d.Object, *d.Advanced)
	}
	if err != nil {
		return s, d.Invalid(err)
	}
	return s, nil
}

// Controlled returns the pods that the DaemonSet controls.
func (d *DaemonSet) Controlled() []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(d.Pods), func(p *corev1.Pod) bool {
		owner := metav1.GetControllerOfNoCopy(p)
		return owner == nil || owner.UID != d.Object.UID
	})
}

// Own returns the pods and ControllerRevisions that the DaemonSet controls or adopts.
func (d *DaemonSet) Own() (pods []*corev1.Pod, revisions []*appsv1.ControllerRevision) {
	selects, err := metav1.LabelSelectorAsSelector(d.Object.Spec.Selector)
	own := func(o metav1.Object) bool {
		owner := metav1.GetControllerOfNoCopy(o)
		return owner != nil && owner.UID == d.Object.UID || owner == nil && err == nil && selects.Matches(labels.Set(o.GetLabels()))
	}
	for _, p := range d.Pods {
		if own(p) {
			pods = append(pods, p)
		}
	}
	for _, r := range d.Revisions {
		if own(r) {
			revisions = append(revisions, r)
		}
	}
	return pods, revisions
}

// History returns the ControllerRevisions of the DaemonSet that kubectl shows, which it both
// controls and selects, and the same as package revision reads them.
func (d *DaemonSet) History() (objects []*appsv1.ControllerRevision, revisions []revision.ControllerRevision) {
	selects, err := metav1.LabelSelectorAsSelector(d.Object.Spec.Selector)
	if err != nil {
		return nil, nil // validation refuses it
	}
	for _, r := range d.Revisions {
		if metav1.IsControlledBy(r, d.Object) && selects.Matches(labels.Set(r.Labels)) {
			objects, revisions = append(objects, r), append(revisions, kube.ControllerRevision(r))
		}
	}
	return objects, revisions
}

// ErrNoNode is the error for a DaemonSet in an input without nodes.
var ErrNoNode = errors.New("no Node in the input; --nodes makes some")

// advancedDaemonSet is an Advanced DaemonSet of apps.kruise.io/v1alpha1 or v1beta1: a DaemonSet of
// Kubernetes with more fields.
type advancedDaemonSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		appsv1.DaemonSetSpec `json:",inline"`

		UpdateStrategy advancedStrategy    `json:"updateStrategy"`
		BurstReplicas  *intstr.IntOrString `json:"burstReplicas"`
		Lifecycle      struct {
			PreDelete *struct {
				LabelsHandler     map[string]string `json:"labelsHandler"`
				FinalizersHandler []string          `json:"finalizersHandler"`
				MarkPodNotReady   bool              `json:"markPodNotReady"`
			} `json:"preDelete"`
		} `json:"lifecycle"`
		ScaleStrategy struct { // of v1beta1
			PartitionedScaling bool `json:"partitionedScaling"`
		} `json:"scaleStrategy"`
	} `json:"spec"`
	Status struct {
		appsv1.DaemonSetStatus `json:",inline"`

		UpdateRevision string `json:"updateRevision"` // of v1beta1
		DaemonSetHash  string `json:"daemonSetHash"`  // of v1alpha1
	} `json:"status"`
}

type advancedStrategy struct {
	Type          appsv1.DaemonSetUpdateStrategyType `json:"type"`
	RollingUpdate *struct {
		appsv1.RollingUpdateDaemonSet `json:",inline"`

		RollingUpdateType daemonset.RollingType `json:"rollingUpdateType"`
		Partition         *intstr.IntOrString   `json:"partition"`
		Selector          *metav1.LabelSelector `json:"selector"`
		Paused            bool                  `json:"paused"`
	} `json:"rollingUpdate"`
}

// split separates the fields of a DaemonSet of Kubernetes from the fields of OpenKruise.
func (a *advancedDaemonSet) split() *DaemonSet {
	ds := &appsv1.DaemonSet{TypeMeta: a.TypeMeta, ObjectMeta: a.ObjectMeta, Spec: a.Spec.DaemonSetSpec, Status: a.Status.DaemonSetStatus}
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: a.Spec.UpdateStrategy.Type}
	rest := &kubekruise.Advanced{
		Burst: a.Spec.BurstReplicas, Progressive: a.Spec.ScaleStrategy.PartitionedScaling,
		UpdateRevision: cmp.Or(a.Status.UpdateRevision, a.Status.DaemonSetHash),
	}
	if rolling := a.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		ds.Spec.UpdateStrategy.RollingUpdate = &rolling.RollingUpdateDaemonSet
		rest.RollingType, rest.Partition, rest.Selector, rest.Paused = rolling.RollingUpdateType, rolling.Partition, rolling.Selector, rolling.Paused
	}
	if hook := a.Spec.Lifecycle.PreDelete; hook != nil {
		rest.PreDelete = &daemonset.PreDelete{Finalizers: hook.FinalizersHandler, Labels: hook.LabelsHandler, MarkNotReady: hook.MarkPodNotReady}
	}
	return &DaemonSet{Object: ds, Advanced: rest}
}

// ID returns the ID of the DaemonSet.
func (d *DaemonSet) ID() ID {
	id := ID{daemonset.Kind, "apps", d.Object.Namespace, d.Object.Name}
	if d.Advanced != nil {
		id.Group = kruiseApps
	}
	return id
}

// Failures returns the failure that an event reports about pods the DaemonSet could not create, if
// there is one.
func (d *DaemonSet) Failures() []Failure {
	if f, ok := d.failures.byUID[d.Object.UID]; ok {
		return []Failure{f}
	}
	return nil
}
