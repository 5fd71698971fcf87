// SPDX-License-Identifier: Apache-2.0

package command

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An immutable error names a field that the API server does not allow to change.
type immutable struct{ field, file string }

func (i *immutable) Error() string {
	return i.field + ": must not change, and differs from that in " + i.file
}

// sameSelector returns an error if a selector differs from the selector of the old workload.
func sameSelector(old, now *metav1.LabelSelector, file string) error {
	if equality.Semantic.DeepEqual(old, now) {
		return nil
	}
	return &immutable{"spec.selector", file}
}
