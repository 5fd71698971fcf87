// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
)

func ExampleParseMap() {
	labels, err := selector.ParseMap("app=web, tier=front,app=api")
	fmt.Println(labels, err)
	_, err = selector.ParseMap("app")
	fmt.Println(err != nil)
	// Output:
	// map[app:api tier:front] <nil>
	// true
}

// The pairs are sorted as whole strings: - comes before =.
func ExampleLabelsText() {
	fmt.Println(selector.LabelsText(map[string]string{"a": "1", "a-b": "2"}))
	fmt.Printf("%q\n", selector.LabelsText(nil))
	// Output:
	// a-b=2,a=1
	// ""
}

func ExampleFormatLabels() {
	fmt.Println(selector.FormatLabels(map[string]string{"tier": "front", "app": "web"}))
	fmt.Println(selector.FormatLabels(nil))
	// Output:
	// app=web,tier=front
	// <none>
}

// kubectl prints the same for a selector that selects nothing and for one that selects
// everything.
func ExampleFormat() {
	fmt.Println(selector.Format(&selector.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.In, Values: []string{"front", "back"}}},
	}))
	fmt.Println(selector.Format(nil), selector.Format(&selector.LabelSelector{}))
	// Output:
	// app=web,tier in (back,front)
	// <none> <none>
}

// A key that only one of them has is no conflict.
func ExampleLabelsConflict() {
	web := map[string]string{"app": "web"}
	fmt.Println(selector.LabelsConflict(web, map[string]string{"tier": "front"}))
	fmt.Println(selector.LabelsConflict(web, map[string]string{"app": "api"}))
	// Output:
	// false
	// true
}

func ExampleMergeLabels() {
	defaults := map[string]string{"app": "web", "tier": "front"}
	fmt.Println(selector.MergeLabels(defaults, map[string]string{"tier": "back"}))
	// Output: map[app:web tier:back]
}

func ExampleEqualLabels() {
	fmt.Println(selector.EqualLabels(nil, map[string]string{}))
	fmt.Println(selector.EqualLabels(nil, map[string]string{"app": ""}))
	// Output:
	// true
	// false
}

// The part in front of the slash is a DNS name, what follows it a name with letters of
// both cases.
func ExampleValidateKey() {
	for _, key := range []string{"app.kubernetes.io/Name", "App_Kubernetes/name", "a b"} {
		fmt.Println(key, len(selector.ValidateKey(key)) == 0)
	}
	// Output:
	// app.kubernetes.io/Name true
	// App_Kubernetes/name false
	// a b false
}

func ExampleValidateValue() {
	for _, value := range []string{"", "1.2_b", "-1"} {
		fmt.Printf("%q %v\n", value, len(selector.ValidateValue(value)) == 0)
	}
	// Output:
	// "" true
	// "1.2_b" true
	// "-1" false
}

// All that is wrong is told at once, each with its field.
func ExampleValidate() {
	err := selector.Validate(&selector.LabelSelector{MatchExpressions: []selector.Expression{
		{Key: "tier", Operator: selector.In},
		{Key: "track", Operator: selector.Exists, Values: []string{"canary"}},
	}}, "spec.selector", selector.ValidateOptions{})
	var bad *selector.Error
	if errors.As(err, &bad) {
		for _, f := range bad.Fields {
			fmt.Println(f.Path)
		}
	}
	// Output:
	// spec.selector.matchExpressions[0].values
	// spec.selector.matchExpressions[1].values
}

// A Deployment must select the pods that it creates.
func ExampleValidateWorkload() {
	template := map[string]string{"app": "web"}
	fmt.Println(selector.ValidateWorkload(selector.FromLabels(template), template, selector.ValidateOptions{}))
	err := selector.ValidateWorkload(selector.FromLabels(map[string]string{"app": "api"}), template, selector.ValidateOptions{})
	var field *kplan.FieldError
	fmt.Println(errors.As(err, &field), field.Path)
	// Output:
	// <nil>
	// true spec.template.metadata.labels
}

// The line that kubectl would print.
func ExampleFieldText() {
	fmt.Println(selector.FieldText(&kplan.FieldError{Path: "spec.selector", Err: selector.ErrRequired}))
	fmt.Println(selector.FieldText(&kplan.FieldError{Path: "spec.replicas", Value: -1, Detail: "must be at least 0"}))
	// Output:
	// spec.selector: Required value
	// spec.replicas: Invalid value: -1: must be at least 0
}

// The error of the call is what is told, or else the answer of the server.
func ExampleOutcome_Failure() {
	failed := kplan.Outcome{Answer: kplan.Failed, Err: errors.New("timeout")}
	taken := kplan.Outcome{Answer: kplan.AlreadyExists}
	var missing kplan.Outcome
	fmt.Println(failed.Failure())
	fmt.Println(taken.Failure())
	fmt.Println(missing.Failure())
	// Output:
	// timeout
	// the API server answered AlreadyExists
	// the action was not executed
}

// An orphan that is gone is no failure of the pass, but the pass has to decide again.
func ExampleOutcome_Adopted() {
	gone := kplan.Outcome{Answer: kplan.NotFound}
	fmt.Println(gone.Adopted(), errors.Is(gone.Adopted(), kplan.ErrGone))
	// Output: what was to be adopted is gone true
}

// A child that is gone, or that somebody else has released, is released.
func ExampleOutcome_Released() {
	for _, answer := range []kplan.ServerAnswer{kplan.Done, kplan.NotFound, kplan.Invalid} {
		o := kplan.Outcome{Answer: answer}
		fmt.Println(answer, o.Released())
	}
	// Output:
	// Done <nil>
	// NotFound <nil>
	// Invalid <nil>
}
