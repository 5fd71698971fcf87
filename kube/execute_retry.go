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

// A Retry determines how an [Executor] handles a creation with an unknown outcome: the
// connection broke before the answer, or the API server gave up waiting (Timeout,
// ServerTimeout). If the outcome stays unknown, the pass fails, and the object may be
// created twice.
//
// All other calls are made once, and so are creations that cannot have been carried out:
// refused connections, names that do not resolve, TLS, encoding, a context that has ended.
// All errors that are neither the API server's nor a broken connection belong to these.
// The next pass, after a pause, repeats such calls. With every Retry, if another pod has
// the generated name of a pod, another name is tried, up to 8 in all, as in an API server.
type Retry string

const (
	// RetryCreations repeats such a creation twice at most, after 10 and 100 ms, with the
	// same name: an object that was created the first time is then found.
	RetryCreations Retry = ""
	// NoRetry repeats nothing.
	NoRetry Retry = "Never"
)

// pauses returns the pause before each repetition.
func (r Retry) pauses() []time.Duration {
	if r == NoRetry {
		return nil
	}
	return []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}
}

// unknown reports whether, after an error, the call may have been carried out.
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

// create creates an object, which must have its name. If a repeated call finds the name
// taken by an object of the same controller, the first call was carried out.
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

// wait reports whether a pause ended before the context.
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

// mine returns the object with the name of o, if it has the same controller; or, if o has no
// controller, if its name has the same prefix. Otherwise it returns the error taken.
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

// mostNames is how many names are tried for a pod, as many as an API server tries for generated
// names.
const mostNames = 8

// createPod creates a pod. It generates the name instead of the API server, so that the
// call can be repeated. If another pod has the name, it generates another one.
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
