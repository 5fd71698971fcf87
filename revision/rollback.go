// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
)

// A RollbackReason is the outcome of a rollback by annotation, and the reason of its
// event.
type RollbackReason string

// The outcomes of a rollback by annotation.
const (
	RollbackDone              RollbackReason = "DeploymentRollback"
	RollbackRevisionNotFound  RollbackReason = "DeploymentRollbackRevisionNotFound"
	RollbackTemplateUnchanged RollbackReason = "DeploymentRollbackTemplateUnchanged"
)

// A Rollback is the decision about a request for a rollback. The request is always removed.
type Rollback struct {
	Kind   string         `json:"kind,omitzero"` // of the Deployment, "" if it is one
	Name   string         `json:"name"`          // of the Deployment
	Reason RollbackReason `json:"reason"`
	// Source is the entry with the revision, or -1. If Reason is RollbackDone, the
	// Deployment gets its template.
	Source int `json:"source"`
	// Number is the requested revision; 0 if the request is for the last one and none
	// exists.
	Number int64 `json:"number,omitzero"`
	// Annotations are all annotations of the Deployment after the rollback.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Event returns the event of upstream.
func (r Rollback) Event() (eventType, reason, message string) {
	word, reason := cmp.Or(r.Kind, "deployment"), string(r.Reason)
	if r.Kind != "" {
		reason = r.Kind + strings.TrimPrefix(reason, "Deployment")
	}
	switch {
	case r.Reason == RollbackDone:
		return "Normal", reason, "Rolled back " + word + " " + strconv.Quote(r.Name) + " to revision " + strconv.FormatInt(r.Number, 10)
	case r.Reason == RollbackTemplateUnchanged:
		message = "The rollback revision contains the same template as current " + word + " " + strconv.Quote(r.Name)
	case r.Number == 0:
		message = "Unable to find last revision."
	default:
		message = "Unable to find the revision to rollback to."
	}
	return "Warning", reason, message
}

// RollbackRequest is [Keys.RollbackRequest] with the keys of Kubernetes.
func RollbackRequest(annotations map[string]string) (number int64, ok bool) {
	return Keys{}.RollbackRequest(annotations)
}

// RollbackRequest returns the revision in a Deployment's request for a rollback, 0 for
// the last one. An annotation that is missing, empty or not a decimal int64 is no
// request; a negative number is one.
//
// It mirrors getRollbackTo of the deployment controller of Kubernetes.
func (k Keys) RollbackRequest(annotations map[string]string) (number int64, ok bool) {
	text := annotations[cmp.Or(k.Rollback, AnnotationRollback)]
	if text == "" {
		return 0, false // the common case, without the allocation of an error
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return number, true
}

// RollbackAnnotations returns the annotations of a Deployment after a rollback to a
// ReplicaSet: its own bookkeeping (see [Keys.Copied]), and all other annotations from the
// ReplicaSet. With [Options].KeepAnnotations the Deployment also keeps annotations that
// the ReplicaSet does not have.
//
// It mirrors SetDeploymentAnnotationsTo of the deployment util package of
// Kubernetes.
func RollbackAnnotations(deployment, replicaSet map[string]string, opts Options) map[string]string {
	var annotations map[string]string
	put := func(key, value string) {
		if annotations == nil {
			annotations = make(map[string]string, len(deployment)+len(replicaSet))
		}
		annotations[key] = value
	}
	for key, value := range deployment {
		if !opts.Keys.copied(key) || opts.KeepAnnotations {
			put(key, value)
		}
	}
	for key, value := range replicaSet {
		if opts.Keys.copied(key) {
			put(key, value)
		}
	}
	return annotations
}

// PlanRollback plans the rollback of a Deployment to a requested revision. Pass the
// entries as they are after the newest ReplicaSet is created or synced. Of several
// entries with the revision the oldest is used, and the one with the Deployment's own
// template only if it is the only one. The Deployment gets the template of Source without
// the label pod-template-hash.
//
//	revisions 1, 2 (current), request 0: back to 1
//	revisions 1, 2 (current), request 2: only an event, because the template is the same
//
// It mirrors rollback of the deployment controller of Kubernetes. See
// [Options].KeepAnnotations.
func PlanRollback(w Workload, entries []Entry, request int64, opts Options) Rollback {
	r := Rollback{Kind: w.Kind, Name: w.Name, Reason: RollbackRevisionNotFound, Source: -1, Number: request, Annotations: opts.Keys.withoutRequest(w.Annotations)}
	list := listed(entries, w.Template)
	if request == 0 {
		if r.Number = Last(opts.Keys.numbersOf(entries, list)); r.Number == 0 {
			return r
		}
	}
	r.Source = opts.Keys.findNumber(entries, list, r.Number)
	switch {
	case r.Source < 0:
	case entries[r.Source].Template.Same(w.Template):
		r.Reason = RollbackTemplateUnchanged
	default:
		r.Reason = RollbackDone
		r.Annotations = opts.Keys.withoutRequest(RollbackAnnotations(w.Annotations, entries[r.Source].Annotations, opts))
	}
	return r
}

// withoutRequest returns a copy without the request for a rollback.
func (k *Keys) withoutRequest(annotations map[string]string) map[string]string {
	left := maps.Clone(annotations)
	delete(left, cmp.Or(k.Rollback, AnnotationRollback))
	if len(left) == 0 {
		return nil
	}
	return left
}

// numbersOf returns the revisions of the listed entries that parse.
func (k *Keys) numbersOf(entries []Entry, list []int) []int64 {
	numbers := make([]int64, 0, len(list))
	for _, i := range list {
		if n, err := k.number(entries[i].Annotations); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// findNumber returns the first listed entry with a revision, or -1.
func (k *Keys) findNumber(entries []Entry, list []int, number int64) int {
	for _, i := range list {
		if n, err := k.number(entries[i].Annotations); err == nil && n == number {
			return i
		}
	}
	return -1
}
