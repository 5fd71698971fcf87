// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
)

// A RollbackReason is the outcome of a rollback that an annotation asks for, and
// the reason of the event that says so.
type RollbackReason string

// The outcomes of a rollback by annotation.
const (
	RollbackDone              RollbackReason = "DeploymentRollback"
	RollbackRevisionNotFound  RollbackReason = "DeploymentRollbackRevisionNotFound"
	RollbackTemplateUnchanged RollbackReason = "DeploymentRollbackTemplateUnchanged"
)

// A Rollback is what the controller does about a request. The request is removed in
// any case.
type Rollback struct {
	Kind   string         `json:"kind,omitzero"` // of the Deployment, "" if it is one
	Name   string         `json:"name"`          // of the Deployment
	Reason RollbackReason `json:"reason"`
	// Source is the entry that has the revision, -1 if none. If Reason is
	// RollbackDone, the Deployment gets its template.
	Source int `json:"source"`
	// Number is the revision that was looked for; 0 if the last one was asked
	// for and there is none.
	Number int64 `json:"number,omitzero"`
	// Annotations are all those that the Deployment has afterwards.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Event returns the event that upstream records.
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

// RollbackRequest returns the revision that the annotations of a Deployment ask to
// go back to, 0 for the last one. What is missing, empty or not a decimal int64 is
// no request; a negative number is one.
//
// It mirrors getRollbackTo of the deployment controller of Kubernetes.
func (k Keys) RollbackRequest(annotations map[string]string) (number int64, ok bool) {
	text := annotations[cmp.Or(k.Rollback, AnnotationRollback)]
	if text == "" {
		return 0, false // the common case, for which an error need not be allocated
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return number, true
}

// RollbackAnnotations returns the annotations of a Deployment that goes back to a
// ReplicaSet: its own bookkeeping, and everything else from the ReplicaSet. With
// [Options].KeepAnnotations the Deployment also keeps what the ReplicaSet does not
// have.
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

// PlanRollback decides what the controller does if a Deployment's annotations ask
// for a revision. The entries are those after the newest ReplicaSet was created or
// brought up to date. Of several entries with the revision the oldest counts, and
// the one with the Deployment's own template last. The template of the Deployment
// becomes that of Source without the label pod-template-hash.
//
//	revisions 1, 2 (current), request 0: back to 1
//	revisions 1, 2 (current), request 2: nothing but an event, the template is the same
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

// numbersOf returns the revisions of the listed entries, as far as they parse.
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
