// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// BenchmarkRun is a rollout from one template to another, with delays that differ from
// pod to pod. A transition is a pod that is scheduled, becomes ready, or ends.
//
// With a second until changes are noticed the planners are asked 133 times for 450,000
// transitions of 150,000 pods on 5,000 nodes. When each change is noticed at once they are asked
// some eight times for each pod, 1,160,000 times in all, and a Tracker answers from what has
// changed since. A third of that is what [BenchmarkCounting] does without the planners, and about
// a tenth [BenchmarkTransitions], the life of the pods alone.
func BenchmarkRun(b *testing.B) {
	for _, at := range []struct {
		replicas int32
		latency  time.Duration
	}{{1_500, time.Second}, {15_000, time.Second}, {150_000, time.Second}, {1_500, 0}, {15_000, 0}, {150_000, 0}} {
		replicas := at.replicas
		b.Run(fmt.Sprintf("%dPods/NoticedAfter=%v", replicas, at.latency), func(b *testing.B) {
			start := finished(b, deployment("old", replicas, rollout.Percent(25), rollout.Percent(25)))
			start.Update(deployment("new", replicas, rollout.Percent(25), rollout.Percent(25)))
			config := Config{
				Kubelet: Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: 5 * time.Second, Nodes: int(max(5, replicas/30))},
				Latency: at.latency, ReplicaSetOptions: replicaset.Options{Burst: math.MaxInt32},
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

// BenchmarkSnapshots reads of 133 snapshots of two equal ReplicaSets what no planner can do
// without: whose each pod is, and of the own ones whether they are active and ready.
func BenchmarkSnapshots(b *testing.B) {
	const pods, plans = 180_000, 133
	w := calmWorld(Epoch, Kubelet{})
	for _, name := range []string{"old", "new"} {
		createPods(w, &replicaset.ReplicaSet{Name: "web-" + name, UID: name}, pods/2)
	}
	for b.Loop() {
		active, ready := 0, 0
		for plan := range plans {
			uid := []string{"old", "new"}[plan%2]
			for i := range w.store.pods.values {
				p := &w.store.pods.values[i]
				if p.ControllerUID != uid || !p.Active() {
					continue
				}
				active++
				if p.Ready {
					ready++
				}
			}
		}
		require.Equal(b, plans*pods/2, active)
		require.Zero(b, ready)
	}
}

// createPods creates pods, whose lives begin.
func createPods(w *World, rs *replicaset.ReplicaSet, n int) {
	w.store.pods.grow(n)
	for range n {
		p, r := w.store.pods.fresh(), by(User)
		w.podOf(rs, p)
		w.beginPod(podRef{add(w, &w.store.pods, &r, p), w.store.pods.last(), false})
	}
}

// BenchmarkTransitions is the life of pods without planners: created, scheduled, ready,
// deleted and ended.
func BenchmarkTransitions(b *testing.B) {
	const pods = 150_000
	b.ReportAllocs()
	for b.Loop() {
		w := calmWorld(Epoch, Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, Jitter: 5 * time.Second, TerminateAfter: time.Second, Nodes: 5_000})
		w.fair, w.store.unversioned = true, true
		createPods(w, &replicaset.ReplicaSet{Name: "web", UID: "r"}, pods)
		w.performUntil(Epoch.Add(time.Hour))
		for _, p := range w.store.allPods() {
			if w.deletePod(p, by(User)) != done {
				b.Fatal(p.Name)
			}
		}
		w.performUntil(Epoch.Add(2 * time.Hour))
		require.Empty(b, w.store.pods.all())
	}
	b.ReportMetric(3*pods*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
}

// BenchmarkRunDaemonSet is a rolling update from one template to another. With 5,000 nodes
// its 35,000 writes take a quarter of a second of one core, a third to a half of it in the
// planner, which is asked 82 times.
func BenchmarkRunDaemonSet(b *testing.B) {
	for _, surge := range []bool{false, true} {
		for _, n := range []int{50, 500, 5_000} {
			b.Run(fmt.Sprintf("Surge=%v/%dNodes", surge, n), func(b *testing.B) {
				limits := daemonset.DaemonSet{MaxUnavailable: rollout.Percent(10)}
				if surge {
					limits.MaxUnavailable, limits.MaxSurge = rollout.Int(0), rollout.Percent(10)
				}
				start := onNodes(b, n, limits)
				secondTemplate(&start)
				config := DaemonSetConfig{Kubelet: Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second}}
				b.ReportAllocs()
				for b.Loop() {
					result, err := RunDaemonSet(start, config)
					require.NoError(b, err)
					require.True(b, result.Done)
					b.ReportMetric(float64(len(result.Steps)), "steps")
				}
				b.ReportMetric(3*float64(n)*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
			})
		}
	}
}

// BenchmarkJitter is [BenchmarkRunDaemonSet] with pods of which each changes at an instant of its
// own, behind which a Tracker plans: it reads what has changed and the nodes that the budget lets
// it update, and counts those that use up the budget, a tenth of all.
func BenchmarkJitter(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%dNodes", n), func(b *testing.B) {
			start := toJitter(b, n)
			b.ReportAllocs()
			for b.Loop() {
				jittered(b, start)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/node")
		})
	}
}

// BenchmarkRunRollout is a release in four batches, and the cluster before it. With jitter each pod
// changes at an instant of its own: Trackers plan behind each for the Deployment, its ReplicaSets and the batch.
func BenchmarkRunRollout(b *testing.B) {
	for _, at := range []struct {
		replicas int32
		jitter   time.Duration
	}{{100, 0}, {1_000, 0}, {10_000, 0}, {100, 5 * time.Second}, {1_000, 5 * time.Second}, {10_000, 5 * time.Second}} {
		replicas := at.replicas
		b.Run(fmt.Sprintf("%dPods/Jitter=%v", replicas, at.jitter), func(b *testing.B) {
			c := fourBatches(replicas)
			config := RolloutConfig{Kubelet: Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: at.jitter}}
			b.ReportAllocs()
			for b.Loop() {
				result, err := RunRollout(c, config)
				require.NoError(b, err)
				require.True(b, result.Done)
				b.ReportMetric(float64(len(result.Steps)), "steps")
			}
			b.ReportMetric(5*float64(replicas)*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
		})
	}
}

// BenchmarkCounting is what [BenchmarkRun] does when each change is noticed at once, but for the
// planners: 150,000 pods of an old ReplicaSet end as those of a new one come, behind each transition a
// Tracker of its ReplicaSet takes it in, and a status is written, which the controllers are told of.
func BenchmarkCounting(b *testing.B) {
	for _, replicas := range []int32{1_500, 15_000, 150_000} {
		b.Run(fmt.Sprintf("%dPods", replicas), func(b *testing.B) {
			start := finished(b, deployment("old", replicas, rollout.Percent(25), rollout.Percent(25)))
			b.ReportAllocs()
			for b.Loop() {
				w := begin(start, Config{Kubelet: Kubelet{
					ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: 5 * time.Second, Nodes: int(max(5, replicas/30)),
				}}).world
				require.Equal(b, 3*int(replicas), countAll(w))
			}
			b.ReportMetric(3*float64(replicas)*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
		})
	}
}

// countAll lets all pods of a ReplicaSet end and as many of another one come, keeps count of both, and
// returns how many transitions that were.
func countAll(w *World) (transitions int) {
	c := w.controllers[0].worker.(*replicaSetController)
	old := w.store.replicaSets.all()[0]
	next := *old
	next.Name, next.UID = "web-new", ""
	create(w, &w.store.replicaSets, by(User), &next)
	for _, p := range w.store.allPods() {
		w.deletePod(p, by(User))
		createPods(w, &next, 1)
	}
	for ; len(w.agenda.entries) > 0; transitions++ {
		w.performNext()
		for c.look(); c.queue.len() > 0; c.look() {
			r := by(ReplicaSetController)
			r.name = c.queue.at(0).key
			c.queue.take(0)
			f := c.follow(r.name)
			update(w, &w.store.replicaSets, r, func(o *replicaSet) { o.Status.ReadyReplicas = int32(f.at) })
			c.status = w.store.touched[KindReplicaSet]
		}
		w.controllers[1].look()
		w.controllers[1].queue.clear()
	}
	return transitions
}
