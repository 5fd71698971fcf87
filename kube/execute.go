// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
)

// An Object is an API object: a Deployment, ReplicaSet, ReplicationController,
// DaemonSet, Pod, ControllerRevision or Service, or the Eviction of a pod.
type Object interface {
	metav1.Object
	runtime.Object
}

// A Verb is the verb of a [Request], as RBAC spells it.
type Verb string

// The verbs.
const (
	VerbCreate Verb = "create"
	VerbUpdate Verb = "update"
	VerbPatch  Verb = "patch"
	VerbDelete Verb = "delete"
)

// A Request is one write to the API server.
type Request struct {
	Verb Verb
	// Object is the object to create or to update. For a patch or a deletion it has
	// only a namespace and a name. A successful call stores the answer of the API
	// server in it, except for a deletion.
	Object Object
	// Subresource is status, eviction or empty.
	Subresource string
	Patch       Patch                // of a patch
	Options     metav1.DeleteOptions // of a deletion
}

// Resource returns the resource of the request as in a URL, such as replicasets, or ""
// if the type is not listed at [Object].
func (r Request) Resource() string {
	switch r.Object.(type) {
	case *appsv1.Deployment:
		return "deployments"
	case *appsv1.ReplicaSet:
		return "replicasets"
	case *appsv1.DaemonSet:
		return "daemonsets"
	case *appsv1.ControllerRevision:
		return "controllerrevisions"
	case *corev1.Pod, *policyv1.Eviction: // an eviction is a subresource of the pod
		return "pods"
	case *corev1.ReplicationController:
		return "replicationcontrollers"
	case *corev1.Service:
		return "services"
	}
	return ""
}

// String returns one line such as "patch replicasets/web-1", and "" for an empty
// request.
func (r Request) String() string {
	if v := reflect.ValueOf(r.Object); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return string(r.Verb)
	}
	name := r.Object.GetName()
	if name == "" {
		name = r.Object.GetGenerateName() + "*"
	}
	text := fmt.Sprintf("%s %s/%s", r.Verb, r.Resource(), name)
	if r.Subresource != "" {
		text += " " + r.Subresource
	}
	return text
}

// A Patch is a change of an object in the form of an API call.
type Patch struct {
	Type types.PatchType
	Data []byte
}

// A Client makes the calls of a plan. Its methods are called from several goroutines at
// once. They return errors of the API server as client-go and controller-runtime do:
// see package k8s.io/apimachinery/pkg/api/errors. After a broken connection or a
// time-out it is not known if the call was carried out: see [Retry]. All other errors
// count as failures.
type Client interface {
	// Get reads the object with o's namespace and name into o, from the API server
	// and not from a cache.
	Get(ctx context.Context, o Object) error
	// Do sends a write.
	Do(ctx context.Context, r Request) error
}

// An Executor carries out plans. Each of its methods makes the calls of a plan and returns
// their outcomes, for Finish of the package that made the plan.
//
// Every write that changes or deletes an object has the object's UID as a precondition. If
// the plan depends on the object's fields, its version is a precondition, too: the version
// from which the plan was made, or the version after an earlier write of the same plan.
// Thus a plan from a stale cache changes nothing in it.
type Executor struct {
	Client Client
	Retry  Retry
}

// Stale reports whether a call failed because the object is not, or no longer, as
// planned: it has changed, is gone, or exists already. Then plan again from a newer
// snapshot, which will come. It is not an error to report. Of several errors all must be
// of this kind.
func Stale(err error) bool {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			if !Stale(e) {
				return false
			}
		}
		return true
	}
	if status, ok := err.(apierrors.APIStatus); ok {
		e := &apierrors.StatusError{ErrStatus: status.Status()}
		return apierrors.IsConflict(e) || apierrors.IsNotFound(e) || apierrors.IsAlreadyExists(e)
	}
	inner := errors.Unwrap(err)
	return err == kplan.ErrGone || inner != nil && Stale(inner)
}

// Outcome returns the outcome of a call for a planner; a nil error is Done. Errors are
// those of the API server, as client-go and controller-runtime return them. The caller
// sets the name of a created object.
//
// It mirrors the cases that the controllers of Kubernetes 1.36.3 distinguish.
func Outcome(err error) kplan.Outcome {
	o := kplan.Outcome{Answer: kplan.Failed, Err: err}
	switch {
	case err == nil:
		o.Answer = kplan.Done
	case apierrors.IsNotFound(err):
		o.Answer = kplan.NotFound
	case apierrors.IsInvalid(err):
		o.Answer = kplan.Invalid
	case apierrors.IsConflict(err):
		o.Answer = kplan.Changed
	case apierrors.IsAlreadyExists(err):
		o.Answer = kplan.AlreadyExists
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		o.Answer = kplan.NamespaceTerminating
	}
	return o
}
