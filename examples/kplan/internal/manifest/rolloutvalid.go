// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"unicode"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// rejected returns the first thing for which admission rejects a Rollout that a person
// writes. One that is in a cluster has been accepted, perhaps by other rules.
func rejected(uid string, list []*rollout.FieldError, paths *strings.Replacer) error {
	if uid != "" || len(list) == 0 {
		return nil
	}
	e := *list[0]
	parts := strings.Split(paths.Replace(e.Path), ".")
	for i := range parts {
		parts[i] = uncapitalized(parts[i])
	}
	e.Path = strings.Join(parts, ".")
	e.Detail = quoted(e.Detail)
	return &e
}

// quoted marks what the webhook of OpenKruise would say as its words, and says what to change.
func quoted(detail string) string {
	text := fmt.Sprintf("OpenKruise would refuse it, in the words of its webhook: %q", detail)
	for _, part := range []struct{ of, change string }{
		{"replicasLimitWithTraffic if", "let the step ask for at most 50%, or for a number of pods, or leave its traffic out"},
		{"partition-percent-limit", "let the step ask for at most 50%, or for a number of pods, or leave its traffic out"},
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

// Where the API has what package rollout names.
var (
	pathsV1beta1  = strings.NewReplacer("Rollout.WorkloadRef", "spec.workloadRef", "Rollout.Canary", "spec.strategy.canary", "Rollout.BlueGreen", "spec.strategy.blueGreen")
	pathsV1alpha1 = strings.NewReplacer(
		"Rollout.WorkloadRef", "spec.objectRef.workloadRef", "Rollout.Annotations", "metadata.annotations",
		"Rollout.Steps", "spec.strategy.canary.steps", "Rollout.TrafficRoutings", "spec.strategy.canary.trafficRoutings",
	)
)

// uncapitalized returns a name of Go as JSON has it: HTTPRouteName is httpRouteName.
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
	return &storedRollout{namespaced[kruise.Rollout]{o.Namespace, r}, rejected(r.UID, kruise.Validate(r, nil), pathsV1beta1)}
}

func readRolloutV1alpha1(o *kubekruise.RolloutObjectV1alpha1) *storedRollout {
	r := kubekruise.RolloutV1alpha1(o)
	converted := r.Convert()
	return &storedRollout{namespaced[kruise.Rollout]{o.Namespace, converted}, rejected(converted.UID, kruise.ValidateV1alpha1(r), pathsV1alpha1)}
}

// A namespaced is something and its namespace.
type namespaced[T any] struct {
	namespace string
	object    T
}

// A storedRollout is a Rollout and why admission rejects it, nil if it does not.
type storedRollout struct {
	namespaced[kruise.Rollout]
	rejected error
}
