// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout"
)

// IntOrPercent returns the snapshot of v; nil is unset. Text must be a percentage: the
// text 5 is an error and not the number 5, as in the API server and the controllers. For
// input on a command line use rollout.Parse, where it is the number.
//
// The error is a [kplan.FieldError] whose path is empty. A negative number is no error.
//
// It mirrors getIntOrPercentValueSafely of package intstr of apimachinery 0.36.3.
func IntOrPercent(v *intstr.IntOrString) (rollout.IntOrPercent, error) {
	return convert.IntOrPercent(v)
}

// ToIntOrString returns v as the API has it, nil if it is unset.
func ToIntOrString(v rollout.IntOrPercent) *intstr.IntOrString {
	text := v.String()
	switch {
	case v.IsZero():
		return nil
	case strings.HasSuffix(text, "%"):
		return ptr.To(intstr.FromString(text))
	}
	return ptr.To(intstr.FromInt32(v.Of(0)))
}
