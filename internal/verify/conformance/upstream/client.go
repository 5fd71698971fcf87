// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"
	"maps"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/kubernetes/pkg/controller"
)

// A Write is one call that changes something. It is one of
//
//   - [CreateReplicaSet]
//   - [UpdateReplicaSet]
//   - [DeleteReplicaSet]
//   - [UpdateDeploymentStatus]
//   - [UpdateDeployment]
//   - [UpdateReplicaSetStatus], [UpdateControllerStatus]
//   - [CreatePod]
//   - [DeletePod]
//   - [Patch]
//   - [CreateRevision], [UpdateRevision], [DeleteRevision]
//   - [UpdateDaemonSetStatus]
//   - [CreateDaemonPod], [RelabelPod]
type Write any

type (
	// CreateReplicaSet creates a ReplicaSet. Err is the answer of the client.
	CreateReplicaSet struct {
		Object *appsv1.ReplicaSet
		Err    error
	}
	// UpdateReplicaSet stores a ReplicaSet, except for its status. Err is the answer of the client.
	UpdateReplicaSet struct {
		Object *appsv1.ReplicaSet
		Err    error
	}
	// DeleteReplicaSet deletes a ReplicaSet.
	DeleteReplicaSet struct{ Name string }
	// UpdateDeploymentStatus stores status and annotations of a Deployment.
	UpdateDeploymentStatus struct {
		Status      appsv1.DeploymentStatus
		Annotations map[string]string
	}
	// UpdateDeployment stores a Deployment, except for its status.
	UpdateDeployment struct{ Object *appsv1.Deployment }
	// UpdateReplicaSetStatus stores the status of a ReplicaSet.
	UpdateReplicaSetStatus struct{ Status appsv1.ReplicaSetStatus }
	// CreatePod creates a pod of a ReplicaSet.
	CreatePod struct{}
	// DeletePod deletes a pod.
	DeletePod struct{ Name string }
	// Patch changes the owner of an object.
	Patch struct{ Kind, Name, Body string }
)

// An Event is a recorded event.
type Event struct{ Type, Reason, Message string }

// A record holds the writes and events of one pass. It replaces client, recorder and pod control.
type record struct {
	mu     sync.Mutex // pods are created and deleted concurrently
	writes []Write
	events []Event
	queue  queue

	taken map[string]bool // names of ReplicaSets that exist
	owner any             // the object of the pass
	// stored, unless it is nil, returns the unchanged ReplicaSet for a write of a size below 0,
	// which is otherwise refused.
	stored  func(name string) *appsv1.ReplicaSet
	created *appsv1.ReplicaSet // with size 0 instead of a size below 0
	reads   int                // reads of the owner from the API server
}

func (r *record) add(w Write) {
	r.mu.Lock()
	r.writes = append(r.writes, w)
	r.mu.Unlock()
}

func (r *record) reset() {
	r.writes, r.events, r.queue.added, r.taken, r.reads = nil, nil, nil, map[string]bool{}, 0
}

// A client answers every write with the written object, and refuses sizes below 0 as an API server
// does. Methods that no controller is expected to call panic, because the embedded interfaces are
// nil.
type client struct {
	kubernetes.Interface
	r *record
}

func (c client) AppsV1() appsclient.AppsV1Interface { return appsClient{r: c.r} }

type appsClient struct {
	appsclient.AppsV1Interface
	r *record
}

func (c appsClient) Deployments(string) appsclient.DeploymentInterface { return deployments{r: c.r} }
func (c appsClient) ReplicaSets(string) appsclient.ReplicaSetInterface { return replicaSets{r: c.r} }

type deployments struct {
	appsclient.DeploymentInterface
	r *record
}

// UpdateStatus records copies, since the controller goes on to change the object.
func (c deployments) UpdateStatus(_ context.Context, d *appsv1.Deployment, _ metav1.UpdateOptions) (*appsv1.Deployment, error) {
	c.r.add(UpdateDeploymentStatus{Status: *d.Status.DeepCopy(), Annotations: maps.Clone(d.Annotations)})
	return d, nil
}

func (c deployments) Update(_ context.Context, d *appsv1.Deployment, _ metav1.UpdateOptions) (*appsv1.Deployment, error) {
	c.r.add(UpdateDeployment{Object: d.DeepCopy()})
	return d, nil
}

// Get is the read before an adoption. The API server has the same objects as the cache.
func (c deployments) Get(context.Context, string, metav1.GetOptions) (*appsv1.Deployment, error) {
	c.r.reads++
	return c.r.owner.(*appsv1.Deployment), nil
}

type replicaSets struct {
	appsclient.ReplicaSetInterface
	r *record
}

func (c replicaSets) Get(context.Context, string, metav1.GetOptions) (*appsv1.ReplicaSet, error) {
	c.r.reads++
	return c.r.owner.(*appsv1.ReplicaSet), nil
}

func (c replicaSets) Create(_ context.Context, rs *appsv1.ReplicaSet, _ metav1.CreateOptions) (*appsv1.ReplicaSet, error) {
	var err error
	switch {
	case c.r.taken[rs.Name]:
		err = apierrors.NewAlreadyExists(appsv1.Resource("replicasets"), rs.Name)
	case *rs.Spec.Replicas < 0 && c.r.stored != nil:
		*rs.Spec.Replicas = 0
		c.r.created = rs.DeepCopy()
	case *rs.Spec.Replicas < 0:
		err = belowZero(rs)
	}
	c.r.add(CreateReplicaSet{Object: rs, Err: err})
	return rs, err
}

func (c replicaSets) Update(_ context.Context, rs *appsv1.ReplicaSet, _ metav1.UpdateOptions) (*appsv1.ReplicaSet, error) {
	var err error
	if *rs.Spec.Replicas < 0 {
		if kept := c.r.kept(rs.Name); kept != nil {
			return kept, nil
		}
		err = belowZero(rs)
	}
	c.r.add(UpdateReplicaSet{Object: rs, Err: err})
	return rs, err
}

// kept returns the unchanged ReplicaSet, nil if a size below 0 is refused.
func (r *record) kept(name string) *appsv1.ReplicaSet {
	switch {
	case r.stored == nil:
		return nil
	case r.created != nil && r.created.Name == name:
		return r.created.DeepCopy()
	}
	return r.stored(name)
}

func belowZero(rs *appsv1.ReplicaSet) error {
	return apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("ReplicaSet").GroupKind(), rs.Name, nil)
}

func (c replicaSets) UpdateStatus(_ context.Context, rs *appsv1.ReplicaSet, _ metav1.UpdateOptions) (*appsv1.ReplicaSet, error) {
	c.r.add(UpdateReplicaSetStatus{Status: *rs.Status.DeepCopy()})
	return rs, nil
}

func (c replicaSets) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	c.r.add(DeleteReplicaSet{Name: name})
	return nil
}

// podControl records the ReplicaSet controller's calls for pods.
type podControl struct{ r *record }

var _ controller.PodControlInterface = podControl{}

func (c podControl) CreatePods(context.Context, string, *corev1.PodTemplateSpec, runtime.Object, *metav1.OwnerReference) error {
	c.r.add(CreatePod{})
	return nil
}

func (c podControl) CreatePodsWithGenerateName(context.Context, string, *corev1.PodTemplateSpec, runtime.Object, *metav1.OwnerReference, string) error {
	panic("no ReplicaSet chooses a name")
}

func (c podControl) DeletePod(_ context.Context, _, name string, _ runtime.Object) error {
	c.r.add(DeletePod{Name: name})
	return nil
}

func (c podControl) PatchPod(_ context.Context, _, name string, body []byte) error {
	c.r.add(Patch{Kind: "Pod", Name: name, Body: string(body)})
	return nil
}

// rsControl records the Deployment controller's patches of ReplicaSets' owners.
type rsControl struct{ r *record }

func (c rsControl) PatchReplicaSet(_ context.Context, _, name string, body []byte) error {
	c.r.add(Patch{Kind: "ReplicaSet", Name: name, Body: string(body)})
	return nil
}

// Event, Eventf and AnnotatedEventf implement a recorder of events.
func (r *record) Event(_ runtime.Object, eventType, reason, message string) {
	r.mu.Lock()
	r.events = append(r.events, Event{eventType, reason, message})
	r.mu.Unlock()
}

func (r *record) Eventf(o runtime.Object, eventType, reason, format string, args ...any) {
	r.Event(o, eventType, reason, fmt.Sprintf(format, args...))
}

func (r *record) AnnotatedEventf(o runtime.Object, _ map[string]string, eventType, reason, format string, args ...any) {
	r.Eventf(o, eventType, reason, format, args...)
}
