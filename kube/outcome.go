package kube

import (
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// Outcome returns what the error of a call means to replicaset.Finish; nil is Done. The
// name of a pod that was created is left to the caller. [CreateOutcome] is the same for
// the creation of a ReplicaSet.
//
// Errors are those of the API server, as client-go and controller-runtime return them.
// It mirrors the cases that the ReplicaSet controller and the controller package of
// Kubernetes 1.36.3 tell apart: 404, 422, and a namespace that is being deleted.
func Outcome(err error) replicaset.Outcome { return outcome(err) }

// ClaimOutcome returns what the error of an adoption or a release means to
// selector.ApplyOutcome; nil is Done. A namespace that is being deleted, which keeps
// nobody from a patch, is a failure like others.
func ClaimOutcome(err error) selector.Outcome {
	o := selector.Outcome{Answer: selector.Failed, Err: err}
	switch answer(err) {
	case replicaset.Done:
		o.Answer = selector.Done
	case replicaset.NotFound:
		o.Answer = selector.NotFound
	case replicaset.Invalid:
		o.Answer = selector.Invalid
	}
	return o
}
