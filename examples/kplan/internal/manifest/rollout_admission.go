// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/kplan-go/kplan"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// An Admission is the configuration of the webhook of OpenKruise in a cluster.
type Admission struct {
	PercentLimit int32 // see [kruise.Options]
	Strict       bool  // also refuse what a flag of the webhook would allow
}

// judge returns the verdict of admission on a Rollout: a note or an error. It is only a note for a
// Rollout of a cluster, which was accepted, perhaps by other rules; and, unless Strict, for a
// Rollout that another limit of traffic would allow, because the cluster may have another one.
func (a Admission) judge(r *storedRollout) (note, err error) {
	list := r.rejects(kruise.Options{PercentLimit: a.PercentLimit})
	if len(list) == 0 {
		return nil, nil
	}
	e := *list[0]
	parts := strings.Split(r.paths.Replace(e.Path), ".")
	for i := range parts {
		parts[i] = uncapitalized(parts[i])
	}
	e.Path = strings.Join(parts, ".")
	of, limit := "it", r.acceptedFrom()
	if r.object.UID != "" {
		of = "a change of it"
	}
	e.Detail = quoted(of, e.Detail)
	if limit > 0 {
		e.Detail += fmt.Sprintf("; with its flag --partition-percent-limit=%d it would not", limit)
	}
	if r.object.UID != "" || limit > 0 && !a.Strict {
		return &e, nil
	}
	return nil, &e
}

// acceptedFrom returns the smallest limit of traffic with which admission accepts the Rollout, or
// 0.
func (r *storedRollout) acceptedFrom() int32 {
	for limit := int32(1); limit <= 100; limit++ {
		if len(r.rejects(kruise.Options{PercentLimit: limit})) == 0 {
			return limit
		}
	}
	return 0
}

// quoted returns the words of the webhook of OpenKruise as a quotation, with advice on what to
// change.
func quoted(of, detail string) string {
	text := fmt.Sprintf("OpenKruise would refuse %s, in the words of its webhook: %q", of, detail)
	const lessTraffic = "let the step ask for less, or for a number of pods, or leave its traffic out"
	for _, part := range []struct{ of, change string }{
		{"replicasLimitWithTraffic if", lessTraffic},
		{"partition-percent-limit", lessTraffic},
		{"not supported for bluegreen", "name a Deployment or a CloneSet"},
		{"kind is not supported", "name a Deployment, CloneSet, StatefulSet or DaemonSet; with its flag --filter-workload-type=false it takes any kind, which is not planned here"},
		{"non decreasing", "let no step ask for less than the one before"},
		{"cannot both be empty", "set one of them"},
		{"cannot be empty at the same time", "set one of them"},
		{"cannot be empty", "set it"},
		{"must be positive number", "write a number above 0, or a percentage up to 100%"},
		{"single TrafficRouting", "leave all but one out"},
		{"immutable", "leave it as it is, or delete the Rollout first"},
	} {
		if strings.Contains(detail, part.of) {
			return text + "; " + part.change
		}
	}
	return text
}

// The paths in the API of the fields that package rollout names.
var (
	pathsV1beta1  = strings.NewReplacer("Rollout.WorkloadRef", "spec.workloadRef", "Rollout.Canary", "spec.strategy.canary", "Rollout.BlueGreen", "spec.strategy.blueGreen")
	pathsV1alpha1 = strings.NewReplacer(
		"Rollout.WorkloadRef", "spec.objectRef.workloadRef", "Rollout.Annotations", "metadata.annotations",
		"Rollout.Steps", "spec.strategy.canary.steps", "Rollout.TrafficRoutings", "spec.strategy.canary.trafficRoutings",
	)
)

// uncapitalized returns a Go name as in JSON: httpRouteName for HTTPRouteName.
func uncapitalized(name string) string {
	n := 0
	for n < len(name) && unicode.IsUpper(rune(name[n])) {
		n++
	}
	if n > 1 {
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}

func readRollout(o *kubekruise.RolloutObject) *storedRollout {
	r := kubekruise.Rollout(o)
	return &storedRollout{namespaced[kruise.Rollout]{o.Namespace, r}, pathsV1beta1, func(opts kruise.Options) []*kplan.FieldError { return kruise.Validate(r, nil, opts) }}
}

func readRolloutV1alpha1(o *kubekruise.RolloutObjectV1alpha1) *storedRollout {
	r := kubekruise.RolloutV1alpha1(o)
	return &storedRollout{namespaced[kruise.Rollout]{o.Namespace, r.Convert()}, pathsV1alpha1, func(opts kruise.Options) []*kplan.FieldError { return kruise.ValidateV1alpha1(r, opts) }}
}

// A namespaced object is an object and its namespace.
type namespaced[T any] struct {
	namespace string
	object    T
}

// A storedRollout is a Rollout with the function that validates it.
type storedRollout struct {
	namespaced[kruise.Rollout]
	paths   *strings.Replacer
	rejects func(kruise.Options) []*kplan.FieldError
}
