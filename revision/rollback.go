// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
)

// A RollbackReason is the outcome of a rollback that [AnnotationRollback] requests. It is also the
// reason of the event.
type RollbackReason string

// The outcomes of a rollback by annotation.
const (
	RollbackDone              RollbackReason = "DeploymentRollback"
	RollbackRevisionNotFound  RollbackReason = "DeploymentRollbackRevisionNotFound"
	RollbackTemplateUnchanged RollbackReason = "DeploymentRollbackTemplateUnchanged"
)

// A Rollback is the decision about a requested rollback. In each case the request is removed from
// the annotations of the Deployment.
type Rollback struct {
	Kind   string         `json:"kind,omitzero"` // as in Workload
	Name   string         `json:"name"`          // of the Deployment
	Reason RollbackReason `json:"reason"`
	// Source is the index of the entry with the revision, or -1. If Reason is RollbackDone,
	// give the Deployment the template of this entry.
	Source int `json:"source"`
	// Number is the revision to roll back to. For the request 0 it is the previous revision,
	// or 0 if there is none.
	Number int64 `json:"number,omitzero"`
	// Annotations are all annotations of the Deployment after the rollback.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Event returns the type, reason and message of the event that upstream records. A Kind takes the
// place of the word deployment in the reason and the message.
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

// RollbackRequest returns the requested revision in the annotations of a Deployment, 0 for the
// previous revision, and whether there is a request. If the annotation is missing or is not a
// decimal int64, there is none. A negative number is a request.
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

// RollbackAnnotations returns the annotations of a Deployment after a rollback to a ReplicaSet.
// They are the annotations of the ReplicaSet that [Keys.Copied] allows, and the other annotations
// of the Deployment. With [Options].KeepAnnotations the Deployment also keeps the annotations that
// the ReplicaSet does not have. The result is nil if it has no annotations.
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

// PlanRollback plans the rollback of a Deployment to the revision request; 0 means the previous
// revision, see [Last]. Pass the entries with the writes of the same pass: with the newest
// ReplicaSet that it creates, and with annotations that it writes. Of several old entries with the
// revision the oldest is used. The entry with the Deployment's template is used only if no old
// entry has the revision. The Deployment gets the template of Source without the label
// pod-template-hash.
//
//	revisions 1, 2 (current), request 0: back to 1
//	revisions 1, 2 (current), request 2: only an event, because the template is the same
//
// It reads Keys and KeepAnnotations of the options. It mirrors rollback of the deployment
// controller of Kubernetes.
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

// withoutRequest returns a copy of annotations without the request for a rollback, or nil if no
// annotation is left.
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

// findNumber returns the index of the first listed entry with the revision number, or -1.
func (k *Keys) findNumber(entries []Entry, list []int, number int64) int {
	for _, i := range list {
		if n, err := k.number(entries[i].Annotations); err == nil && n == number {
			return i
		}
	}
	return -1
}
