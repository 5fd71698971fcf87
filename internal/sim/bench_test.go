package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// BenchmarkRun is a rollout from one template to another, with delays that differ from
// pod to pod. A transition is a pod that is scheduled, becomes ready, or ends.
func BenchmarkRun(b *testing.B) {
	for _, replicas := range []int32{1_500, 15_000, 150_000} {
		b.Run(fmt.Sprintf("%dPods", replicas), func(b *testing.B) {
			start := finished(b, deployment("old", replicas, rollout.Percent(25), rollout.Percent(25)))
			start.Update(deployment("new", replicas, rollout.Percent(25), rollout.Percent(25)))
			config := Config{
				Kubelet: Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: 5 * time.Second, Nodes: int(max(5, replicas/30))},
				Latency: time.Second, ReplicaSetOptions: replicaset.Options{Burst: math.MaxInt32},
			}
			b.ReportAllocs()
			for b.Loop() {
				result, err := Run(start, config)
				require.NoError(b, err)
				require.True(b, result.Done)
				b.ReportMetric(float64(len(result.Steps)), "steps")
			}
			b.ReportMetric(3*float64(replicas)*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
		})
	}
}

// BenchmarkTransitions is the life of pods without planners: created, scheduled, ready,
// deleted and ended.
func BenchmarkTransitions(b *testing.B) {
	const pods = 150_000
	b.ReportAllocs()
	for b.Loop() {
		c := Cluster{Now: Epoch}
		c = c.Clone()
		q := &queue{}
		k := newKubelet(Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, Jitter: 5 * time.Second, TerminateAfter: time.Second, Nodes: 5_000}, &c, q)
		rs := &replicaset.ReplicaSet{Name: "web", UID: "r"}
		for range pods {
			k.adopt(c.pod(c.newPod(rs)))
		}
		run := func() {
			for at := q.next(); !at.IsZero(); at = q.next() {
				c.Now = at
				k.handle(q.take())
			}
		}
		run()
		for i := range c.Pods {
			k.delete(&c.Pods[i])
		}
		run()
		require.Empty(b, c.Pods)
	}
	b.ReportMetric(3*pods*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
}
