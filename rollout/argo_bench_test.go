package rollout_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/rollout"
)

// A pass of an Argo Rollout of 100 steps and 100 ReplicaSets.
func BenchmarkArgoReconcile(b *testing.B) {
	s := rollout.ArgoSnapshot{Rollout: rollout.ArgoObject{TemplateHash: "v99", Replicas: new(int32(10_000))}}
	s.Rollout.Status = rollout.ArgoStatus{CurrentPodHash: "v99", StableRS: "v98"}
	for i := range int32(100) {
		s.Rollout.Steps = append(s.Rollout.Steps, weight(i+1))
		s.Sets = append(s.Sets, rollout.ArgoReplicaSet{Hash: fmt.Sprint("v", i), Revision: int64(i), DesiredReplicas: s.Rollout.Replicas})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rollout.ArgoReconcile(s, now, rollout.ArgoOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
