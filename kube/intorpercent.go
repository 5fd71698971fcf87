package kube

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/rollout"
)

// IntOrPercent returns the snapshot of v; nil is unset. Text must be a percentage: the
// text 5 is an error and not the number 5, as the API server and the controllers have it.
// rollout.Parse, which reads what people type, takes it for the number.
//
// The error is a [FieldError] whose path is empty. A negative number is none.
//
// It mirrors getIntOrPercentValueSafely of package intstr of apimachinery 0.36.3.
func IntOrPercent(v *intstr.IntOrString) (rollout.IntOrPercent, error) {
	switch {
	case v == nil:
		return rollout.IntOrPercent{}, nil
	case v.Type != intstr.Int && v.Type != intstr.String:
		return rollout.IntOrPercent{}, &field.Error{Value: int64(v.Type), Detail: "must be the type of a number or of a text"}
	}
	if v.Type != intstr.Int && v.Type != intstr.String {
		return rollout.IntOrPercent{}, &field.Error{Value: int(v.Type), Detail: "must be the type of a number or of a text"}
	}
	return rollout.FromIntOrString(v.Type != intstr.Int, v.IntVal, v.StrVal)
}

// ToIntOrString returns v as the API has it, nil if it is unset.
func ToIntOrString(v rollout.IntOrPercent) *intstr.IntOrString {
	text := v.String()
	switch {
	case v.IsZero():
		return nil
	case strings.HasSuffix(text, "%"):
		return new(intstr.FromString(text))
	}
	return new(intstr.FromInt32(v.Of(0)))
}

// limit returns v, or unset with an error if it is not a number of pods.
func limit(es *field.Errors, path string, v *intstr.IntOrString) rollout.IntOrPercent {
	n, err := IntOrPercent(v)
	if err != nil {
		es.Add(path, v.StrVal, "must be a whole number or a percentage such as 25%")
	} else if n.IsNegative() {
		es.Add(path, n, "must not be negative")
	}
	return n
}
