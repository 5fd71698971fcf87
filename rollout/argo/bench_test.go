// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A pass of an Argo Rollout of 100 steps and 100 ReplicaSets.
func BenchmarkReconcile(b *testing.B) {
	s := argo.Snapshot{Rollout: argo.Rollout{TemplateHash: "v99", Replicas: ptr.To(int32(10_000))}}
	s.Rollout.Status = argo.Status{CurrentPodHash: "v99", StableRS: "v98"}
	for i := range int32(100) {
		s.Rollout.Steps = append(s.Rollout.Steps, weight(i+1))
		s.Sets = append(s.Sets, argo.ReplicaSet{Hash: fmt.Sprint("v", i), Revision: int64(i), DesiredReplicas: s.Rollout.Replicas})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := argo.Reconcile(s, now, argo.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
