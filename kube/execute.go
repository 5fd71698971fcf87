package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// An Object is an API object: a Deployment, ReplicaSet, DaemonSet, Pod or
// ControllerRevision.
type Object interface {
	metav1.Object
	runtime.Object
}

// A Verb is what a [Request] does, as RBAC spells it.
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
	// Object is what to create or to update. For a patch or a deletion it has a
	// namespace and a name only. A successful call leaves in it what the API server
	// answered, except for a deletion.
	Object Object
	// Subresource is status or empty.
	Subresource string
	Patch       Patch                // of a patch
	Options     metav1.DeleteOptions // of a deletion
}

// Resource returns the resource of the request as it stands in a URL, such as
// replicasets, or "" for an object of another type than those of [Object].
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
	case *corev1.Pod:
		return "pods"
	}
	return ""
}

// String returns one line such as "patch replicasets/web-1".
func (r Request) String() string {
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

// A Client makes the calls of a plan. Its methods are called from several goroutines
// at once. Errors are those of the API server, as client-go and controller-runtime
// return them: see package k8s.io/apimachinery/pkg/api/errors.
type Client interface {
	// Get reads the object with o's namespace and name into o, from the API server
	// and not from a cache.
	Get(ctx context.Context, o Object) error
	// Do makes a write.
	Do(ctx context.Context, r Request) error
}

// Stale reports whether a call failed because the object is not, or no longer, what
// the plan was made for: it has changed, is gone, or there already. Then plan again from
// a newer snapshot, which is on its way. It is no reason to alarm anybody.
func Stale(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}

// unknown reports whether an error leaves open if the call was carried out: the
// connection broke, or the API server gave up waiting.
func unknown(err error) bool {
	var status apierrors.APIStatus
	return err != nil && (!errors.As(err, &status) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err))
}

// patience is how long a call is repeated whose outcome is not known.
const patience = 30 * time.Second

// certain makes a call, and repeats it until it is known how it has ended: otherwise a
// pod that was created unseen would be created twice. Again is the call from the second
// time on.
func certain(ctx context.Context, call, again func() error) error {
	err := call()
	deadline := time.Now().Add(patience)
	for pause := 10 * time.Millisecond; unknown(err) && time.Now().Before(deadline); pause = min(2*pause, time.Second) {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
			err = again()
		}
	}
	return err
}

// createPod creates a pod. Its name is completed here and not by the API server, so that
// the call can be repeated.
func createPod(ctx context.Context, c Client, pod *corev1.Pod) replicaset.Outcome {
	const longest, random = 63, 5
	pod.Name = pod.GenerateName[:min(len(pod.GenerateName), longest-random)] + rand.String(random)
	create := func() error { return c.Do(ctx, Request{Verb: VerbCreate, Object: pod.DeepCopy()}) }
	o := outcome(certain(ctx, create, func() error {
		if err := create(); !apierrors.IsAlreadyExists(err) {
			return err
		}
		return nil // nobody else has this name
	}))
	if o.Err == nil {
		o.Pod = pod.Name
	}
	return o
}

// deletePod deletes a pod. A call that is repeated finds that the pod has changed, or is
// gone, if an earlier one was carried out. One that finds a changed pod at once leaves it
// alone: it is no longer the pod that was chosen, and its change, once seen, leads to
// another choice. That is no failure to report to anybody.
func deletePod(ctx context.Context, c Client, namespace, name string, options metav1.DeleteOptions) replicaset.Outcome {
	remove := func() error {
		return c.Do(ctx, Request{Verb: VerbDelete, Object: podNamed(namespace, name), Options: options})
	}
	o := outcome(certain(ctx, remove, func() error {
		err := remove()
		if !apierrors.IsConflict(err) {
			return err
		}
		pod := podNamed(namespace, name)
		if read := c.Get(ctx, pod); read != nil {
			return read
		}
		if p := options.Preconditions; pod.DeletionTimestamp != nil && p != nil && p.UID != nil && *p.UID == pod.UID {
			return nil
		}
		return err
	}))
	if apierrors.IsConflict(o.Err) {
		o.Answer = replicaset.NotFound
	}
	return o
}

// answer returns what an error of the API server means to a planner.
func answer(err error) replicaset.Answer {
	switch {
	case err == nil:
		return replicaset.Done
	case apierrors.IsNotFound(err):
		return replicaset.NotFound
	case apierrors.IsInvalid(err):
		return replicaset.Invalid
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return replicaset.NamespaceTerminating
	}
	return replicaset.Failed
}

func outcome(err error) replicaset.Outcome {
	return replicaset.Outcome{Answer: answer(err), Err: err}
}

// all makes calls at once and returns their outcomes in order.
func all(n int, call func(i int) replicaset.Outcome) []replicaset.Outcome {
	made := make([]replicaset.Outcome, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { made[i] = call(i) })
	}
	wg.Wait()
	return made
}

// live checks with the API server that an owner is still there and not being deleted,
// for o may be from a cache that does not know yet. Until then it may adopt nothing.
func live(ctx context.Context, c Client, o, fresh Object, kind string) error {
	fresh.SetNamespace(o.GetNamespace())
	fresh.SetName(o.GetName())
	err := c.Get(ctx, fresh)
	owner := selector.Owner{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID())}
	return selector.CheckLive(&owner, selector.Fresh{
		UID: string(fresh.GetUID()), DeletionTimestamp: timeOrZero(fresh.GetDeletionTimestamp()), Err: err,
	}).Err
}

// tolerant returns the error of an adoption or a release: none if the object is gone,
// and none if a release finds that it belongs to another already.
func tolerant(err error, release bool) error {
	if apierrors.IsNotFound(err) || release && apierrors.IsInvalid(err) {
		return nil
	}
	return err
}

// versioned adds a resource version to a merge patch, so that the API server rejects it
// with a conflict if the object has changed since it was read.
func versioned(p Patch, err error, resourceVersion string) (Patch, error) {
	if err != nil || resourceVersion == "" {
		return p, err
	}
	var object patchObject
	if err := json.Unmarshal(p.Data, &object); err != nil {
		return Patch{}, err
	}
	object.Metadata.ResourceVersion = resourceVersion
	p.Data, err = json.Marshal(object)
	return p, err
}

// failures joins the errors of outcomes whose answer is neither Done nor allowed.
func failures(made []replicaset.Outcome, allowed replicaset.Answer) error {
	var errs []error
	for _, o := range made {
		if o.Answer != replicaset.Done && o.Answer != allowed {
			errs = append(errs, o.Err)
		}
	}
	return errors.Join(errs...)
}
