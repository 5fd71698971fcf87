// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/kplan-go/kplan"
)

// A Retry is what an [Executor] does about a creation of which it does not know whether it
// was carried out: the connection broke while the answer was awaited, or the API server
// gave up waiting (Timeout, ServerTimeout). If it is not found out, the pass fails, and
// what was created unseen may be created twice.
//
// All other calls are made once, and so are creations that cannot have been carried out:
// refused connections, names that do not resolve, TLS, encoding, a context that has ended.
// Errors that are neither the API server's nor one of those above are among these. The
// pass that follows, after a pause, is what repeats them. Whatever the Retry, a pod whose
// drawn name another pod has gets another name, up to 8 in all, as from an API server.
type Retry string

const (
	// RetryCreations repeats such a creation twice at most, after 10 and 100 ms, with the
	// same name: what was carried out is then found to be there.
	RetryCreations Retry = ""
	// NoRetry repeats nothing.
	NoRetry Retry = "Never"
)

// pauses returns how long to wait before each repetition.
func (r Retry) pauses() []time.Duration {
	if r == NoRetry {
		return nil
	}
	return []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}
}

// unknown reports whether an error leaves open if the call was carried out.
func unknown(err error) bool {
	var status apierrors.APIStatus
	if err == nil || errors.As(err, &status) {
		return apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err)
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" || strings.Contains(err.Error(), "TLS handshake timeout") {
		return false // nothing was sent
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, broken) {
			return true
		}
	}
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout() || strings.Contains(err.Error(), "http2: client connection lost")
}

// create creates an object, which must have its name. If it is repeated and finds the name
// taken by an object of the same controller, it was carried out.
func (e Executor) create(ctx context.Context, o Object) kplan.Outcome {
	call := func() (Object, error) {
		made := o.DeepCopyObject().(Object)
		return made, e.Client.Do(ctx, Request{Verb: VerbCreate, Object: made})
	}
	made, err := call()
	for _, pause := range e.Retry.pauses() {
		if !unknown(err) || !wait(ctx, pause) {
			break
		}
		if made, err = call(); apierrors.IsAlreadyExists(err) {
			made, err = e.mine(ctx, o, err)
			break
		}
	}
	done := Outcome(err)
	if err == nil {
		done.Name, done.UID, done.ResourceVersion = made.GetName(), string(made.GetUID()), made.GetResourceVersion()
	}
	return done
}

// wait reports whether a pause was over before the context.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// mine returns the object that has the name of o, if it has the controller of o; or, if o has
// none, if its name was made from the same prefix. Otherwise the error is taken.
func (e Executor) mine(ctx context.Context, o Object, taken error) (Object, error) {
	found := o.DeepCopyObject().(Object)
	found.SetOwnerReferences(nil)
	found.SetGenerateName("")
	if err := e.Client.Get(ctx, found); err != nil {
		return nil, err
	}
	owner, prefix := controllerUID(o), o.GetGenerateName()
	if len(o.GetOwnerReferences()) == 0 && prefix != "" && controllerUID(found) == "" && found.GetGenerateName() == prefix {
		return found, nil
	}
	if owner == "" || controllerUID(found) != owner {
		return nil, taken
	}
	return found, nil
}

func controllerUID(o Object) types.UID {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		return owner.UID
	}
	return ""
}

// mostNames is how many names are tried for a pod: as many as an API server tries if it draws them.
const mostNames = 8

// createPod creates a pod. Its name is completed here and not by the API server, so that
// the call can be repeated. If another pod has the name, another one is drawn.
//
// It mirrors createWithGenerateNameRetry of the registry package of apiserver.
func (e Executor) createPod(ctx context.Context, pod *corev1.Pod) (o kplan.Outcome) {
	const longest, random = 63, 5
	prefix := pod.GenerateName[:min(len(pod.GenerateName), longest-random)]
	for range mostNames {
		pod.Name = prefix + rand.String(random)
		if o = e.create(ctx, pod); o.Answer != kplan.AlreadyExists {
			break
		}
	}
	return o
}

// deletePod deletes a pod, unless it has changed since it was read.
func (e Executor) deletePod(ctx context.Context, namespace, name string, options metav1.DeleteOptions) kplan.Outcome {
	return e.do(ctx, Request{Verb: VerbDelete, Object: podNamed(namespace, name), Options: options})
}
