package kube_test

import (
	"testing"

	"github.com/kplan-go/kplan/kube"
)

// Nothing of a Rollout is left to the caller.
func TestRolloutFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		o := filled[kube.RolloutObject](first)
		return kube.Rollout(&o)
	}, map[string]string{}, map[string]string{})
}

// Nothing of a BatchRelease is left to the caller.
func TestBatchReleaseFieldsAreRead(t *testing.T) {
	requireRead(t, func(first int64) any {
		o := filled[kube.BatchReleaseObject](first)
		return kube.BatchRelease(&o)
	}, map[string]string{}, map[string]string{})
}
