// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// Nothing of a Rollout is left to the caller.
func TestRolloutFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		o := filled[kubekruise.RolloutObject](first)
		return kubekruise.Rollout(&o)
	}, map[string]string{}, map[string]string{})
}

// Nothing of a BatchRelease is left to the caller.
func TestBatchReleaseFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		o := filled[kubekruise.BatchReleaseObject](first)
		return kubekruise.BatchRelease(&o)
	}, map[string]string{}, map[string]string{})
}
