// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"unique"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A head is the namespace, name and UID of an object.
type head struct {
	namespace, name string
	uid             types.UID
}

func headOf(o metav1.Object) head { return head{o.GetNamespace(), o.GetName(), o.GetUID()} }

// placed returns the kind and name of an object, with its namespace if it has one.
func placed(kind string, h head) string {
	if h.namespace == "" {
		return describe(kind, h.name)
	}
	return describe(kind, h.namespace+"/"+h.name)
}

// key returns the [key] of the object.
func (h head) key() string {
	return key(&metav1.ObjectMeta{Namespace: h.namespace, Name: h.name})
}

// An encoded object can be written and read in the form in which the API server stores it.
type encoded[T any] interface {
	*T
	metav1.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// A held object is kept in the form in which the API server stores it, which takes a fraction of
// the memory, and is decoded on demand. The head has its namespace and UID, which manifests may get
// later.
type held[T any, P encoded[T]] struct {
	head
	text   packed.Text
	packer *packed.Packer
	kind   unique.Handle[metav1.TypeMeta] // the stored form lacks it
	object P                              // nil unless it is open
	pinned bool                           // whether it stays open
}

// hold returns a held object that is not open.
func hold[T any, P encoded[T]](o P, kind metav1.TypeMeta, packer *packed.Packer) held[T, P] {
	h := held[T, P]{head: headOf(o), packer: packer, kind: unique.Make(kind)}
	h.namespace, h.name, h.uid = strings.Clone(h.namespace), strings.Clone(h.name), types.UID(strings.Clone(string(h.uid)))
	text, err := o.Marshal()
	if err != nil { // it has no stored form
		h.object, h.pinned = o, true
		return h
	}
	h.text = packer.Pack(kind.Kind, text)
	return h
}

// open returns the decoded object. It is the same one until close.
func (h *held[T, P]) open() P {
	if h.object == nil {
		h.object = new(T)
		text, err := h.packer.Unpack(h.text)
		if err == nil {
			err = h.object.Unmarshal(text)
		}
		if err != nil { // Marshal wrote the text, so any answer would be wrong
			panic(fmt.Errorf("%s %s/%s: %w", h.kind.Value().Kind, h.namespace, h.name, err))
		}
	}
	h.object.SetNamespace(h.namespace)
	if h.object.GetUID() != h.uid {
		h.object.SetUID(h.uid)
	}
	return h.object
}

// close releases the decoded object, unless it is pinned.
func (h *held[T, P]) close() {
	if !h.pinned {
		h.object = nil
	}
}

// A heldDeployment is a held Deployment.
type heldDeployment struct {
	held[appsv1.Deployment, *appsv1.Deployment]
	canaryOf string // the Deployment for which a Rollout has made this canary
	replicas *int32 // set by an autoscaler, or nil
	hadSets  bool   // whether it has ReplicaSets by its status
}

func holdDeployment(d *appsv1.Deployment, packer *packed.Packer) *heldDeployment {
	return &heldDeployment{held: hold(d, d.TypeMeta, packer), canaryOf: strings.Clone(d.Labels[workload.LabelCanaryDeployment])}
}

func (h *heldDeployment) open() *appsv1.Deployment {
	d := h.held.open()
	d.TypeMeta = h.kind.Value()
	d.Generation = max(d.Generation, 1)
	if h.replicas != nil {
		d.Spec.Replicas = h.replicas
	}
	return d
}

// identify gives a manifest without a UID a UID.
func (h *heldDeployment) identify() {
	if h.uid == "" {
		h.uid = madeUID("", h.namespace, h.name)
	}
}

// A heldSet is a held ReplicaSet, or a ReplicationController converted to one.
type heldSet struct {
	held[appsv1.ReplicaSet, *appsv1.ReplicaSet]
	controller types.UID  // the UID of its controller
	controlled bool       // whether it has a controller
	made       bool       // whether it is a manifest that was given a UID
	replicas   int32      // in the status
	labels     labels.Set // if it has no controller
	wrong      error      // of [checkReplicaSet]
}

func holdSet(rs *appsv1.ReplicaSet, packer *packed.Packer) *heldSet {
	h := &heldSet{held: hold(rs, rs.TypeMeta, packer), replicas: rs.Status.Replicas, wrong: checkReplicaSet(rs)}
	if c := metav1.GetControllerOfNoCopy(rs); c != nil {
		h.controller, h.controlled = types.UID(strings.Clone(string(c.UID))), true
	} else {
		h.labels = rs.Labels
	}
	return h
}

func (h *heldSet) open() *appsv1.ReplicaSet {
	rs := h.held.open()
	rs.TypeMeta = h.kind.Value()
	if h.made {
		rs.Generation = max(rs.Generation, 1)
	}
	return rs
}

// pin returns the decoded object, which stays open.
func (h *heldSet) pin() *appsv1.ReplicaSet {
	h.pinned = true
	return h.open()
}

// isController reports whether it is a ReplicationController.
func (h *heldSet) isController() bool { return h.kind.Value().Kind == replicaset.KindController }

// owner returns its controller.
func (h *heldSet) owner() owner {
	if !h.controlled {
		return owner{}
	}
	return owner{h.controller, h.namespace}
}

func (h *heldSet) id() ID { return setID(h.kind.Value().Kind, h.namespace, h.name) }

// describe returns its kind and name, for messages.
func (h *heldSet) describe() string { return describe(h.kind.Value().Kind, h.name) }

// An owner identifies a controller.
type owner struct {
	uid       types.UID
	namespace string
}

func checkReplicaSet(rs *appsv1.ReplicaSet) error {
	switch {
	case rs.UID == "":
		return &kplan.FieldError{Path: "metadata.uid", Value: "", Detail: "must be set"}
	case rs.Spec.Replicas != nil && *rs.Spec.Replicas < 0:
		return &kplan.FieldError{Path: "spec.replicas", Value: *rs.Spec.Replicas, Detail: "must not be negative"}
	case rs.Spec.MinReadySeconds < 0:
		return &kplan.FieldError{Path: "spec.minReadySeconds", Value: rs.Spec.MinReadySeconds, Detail: "must not be negative"}
	}
	return nil
}

// snapshotOf returns the ReplicaSet as its planner reads it.
func snapshotOf(rs *appsv1.ReplicaSet) replicaset.ReplicaSet {
	r := kube.ReplicaSet(rs)
	if rs.Kind == replicaset.KindController {
		r.Kind = replicaset.KindController
	}
	return r
}

// fromController returns a ReplicationController with its defaults as a ReplicaSet, which keeps the
// kind.
func fromController(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rs := kube.FromReplicationController(kube.Default(rc))
	rs.Kind = replicaset.KindController
	return rs
}
