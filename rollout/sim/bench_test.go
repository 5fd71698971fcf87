// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// many are Deployments of a template, which may have a quarter more or fewer pods.
func many(n int, replicas int32, template string) (list []any) {
	for i := range n {
		name := fmt.Sprintf("app-%05d", i)
		list = append(list, deploy.Deployment{
			Name: name, UID: name, Replicas: &replicas, Template: revision.Template{ID: template}, TemplateLabels: map[string]string{"app": name},
			MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		})
	}
	return list
}

// equalNodes are nodes with room for pods, which are the only resource.
func equalNodes(n int, room int64) (list []cluster.Node) {
	for i := range n {
		list = append(list, cluster.Node{Node: daemonset.Node{Name: fmt.Sprintf("node-%04d", i)}, Room: []int64{room}})
	}
	return list
}

// onePod is what a pod needs of the nodes of equalNodes.
var onePod = cluster.Template{Needs: []int64{1}}

func rolled(tb testing.TB, deployments, nodes int, room int64, c sim.Config) *sim.World {
	tb.Helper()
	w, err := sim.New(cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(nodes, room), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod}}, c)
	require.NoError(tb, err)
	for _, template := range []string{"v1", "v2"} {
		require.NoError(tb, w.Put(many(deployments, 10, template)...))
		done, err := w.Settle(time.Hour)
		require.NoError(tb, err)
		require.True(tb, done)
	}
	for _, d := range w.View().Deployments() {
		require.True(tb, deploy.Complete(d.Status, 10, d.Generation), "%s %v", d.Name, d.Status)
	}
	return w
}

// lives are the times of pods of which each has its own.
var lives = cluster.Times{
	Schedule: cluster.Exactly(100 * time.Millisecond), Start: cluster.Spread{{Share: 0, Time: 2 * time.Second}, {Share: 0.5, Time: 8 * time.Second}, {Share: 0.9, Time: 30 * time.Second}, {Share: 1, Time: 2 * time.Minute}},
	End: cluster.Exactly(20 * time.Second),
}

// BenchmarkDeployments rolls all Deployments out, and then to another template at once. Each
// pod becomes ready at an instant of its own, and is planned for then.
func BenchmarkDeployments(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				rolled(b, n, n/2, 30, sim.Config{Seed: 1, Times: lives})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/deployment")
		})
	}
}

// BenchmarkTouches is what BenchmarkDeployments costs more of per Deployment the more of them there
// are, though each is planned alike: what is in memory for one is no longer near. It reads and writes
// as many cache lines as a Deployment does that are not in a cache of 1 MB (cachegrind, at 1,000
// Deployments, garbage collection and new memory among them), in as large a part of the memory for
// each, one Deployment after the other in a random order as pods become ready. Once each line is
// found without the one before, and once only from that: a fleet is in between, so that its growth
// is at least that of the one and at most that of the other.
func BenchmarkTouches(b *testing.B) {
	const reads, writes, lines, rounds = 6_000, 2_100, 500, 300
	type line struct {
		next, n uint32
		_       [56]byte
	}
	for _, found := range []string{"apart", "in a row"} {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprint(found, "/", n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				memory, at := make([]line, n*lines), make([]uint32, n)
				for d := range n {
					cycle := r.Perm(lines)
					for i, from := range cycle {
						memory[d*lines+from].next = uint32(cycle[(i+1)%lines])
					}
				}
				order, sum := r.Perm(n), uint32(1)
				for b.Loop() {
					for range rounds {
						for _, d := range order {
							of, i := memory[d*lines:(d+1)*lines], at[d]
							for k := range (reads + writes) / rounds {
								if found == "apart" {
									i = (i*5 + 7 + uint32(k)) % lines
								}
								if sum += of[i].n; k >= reads/rounds {
									of[i].n = sum
								}
								if found != "apart" {
									i = of[i].next
								}
							}
							at[d] = i
						}
					}
				}
				require.NotZero(b, sum)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N)/float64(n), "us/deployment")
			})
		}
	}
}

// BenchmarkLarge rolls one Deployment out, to another template and to a third: those that go then are of
// different ages. Each event is noticed at once: a Tracker plans behind each, for there are many pods.
func BenchmarkLarge(b *testing.B) {
	for _, pods := range []int32{1_500, 15_000, 150_000} {
		b.Run(fmt.Sprint(pods), func(b *testing.B) {
			for b.Loop() {
				w, err := sim.New(cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(int(pods)/30, 40), Templates: map[string]cluster.Template{"v1": onePod, "v2": onePod, "v3": onePod}}, sim.Config{
					Times: lives, ReplicaSet: replicaset.Options{Burst: math.MaxInt32},
				})
				require.NoError(b, err)
				for _, template := range []string{"v1", "v2", "v3"} {
					require.NoError(b, w.Put(webDeployment(template, pods)))
					done, err := w.Settle(24 * time.Hour)
					require.NoError(b, err)
					require.True(b, done)
				}
				require.Equal(b, pods, w.View().Deployment("web").Status.AvailableReplicas)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(pods), "us/pod")
		})
	}
}

// BenchmarkDaemonSet updates a DaemonSet, of whose nodes a tenth may be unavailable.
func BenchmarkDaemonSet(b *testing.B) {
	for _, nodes := range []int{300, 3_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				updatedDaemons(b, nodes, sim.Config{Times: lives})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(nodes), "us/node")
		})
	}
}

// BenchmarkPlace places 150,000 pods of one Deployment on 5,000 nodes, by the scheduler of a
// user's own that looks at every node.
func BenchmarkPlace(b *testing.B) {
	emptiest := func(p scheduler.Pod, nodes *scheduler.Nodes) (name string) {
		most := int64(0)
		for i := range nodes.Len() {
			if free := nodes.Free(i, 0); free > most && nodes.Fits(i, p) {
				name, most = nodes.At(i).Name, free
			}
		}
		return name
	}
	for name, place := range map[string]func(scheduler.Pod, *scheduler.Nodes) string{"binPack": nil, "emptiest": emptiest} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w, err := sim.New(cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(5_000, 40), Templates: map[string]cluster.Template{"v1": onePod}}, sim.Config{
					Place: place, Times: lives, Latency: time.Second, ReplicaSet: replicaset.Options{Burst: math.MaxInt32},
				})
				require.NoError(b, err)
				require.NoError(b, w.Put(webDeployment("v1", 150_000)))
				done, err := w.Settle(time.Hour)
				require.NoError(b, err)
				require.True(b, done)
				require.Equal(b, int32(150_000), w.View().Deployment("web").Status.AvailableReplicas)
			}
		})
	}
}

// BenchmarkQuotas makes a world of namespaces with a quota and fifty pods each, in time in proportion to them.
func BenchmarkQuotas(b *testing.B) {
	for _, n := range []int{500, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var s cluster.Snapshot
			for i := range n {
				s.Quotas = append(s.Quotas, cluster.Quota{Name: fmt.Sprintf("n%d/q", i), Hard: map[string]int64{"pods": 60}})
				for j := range 50 {
					s.Pods = append(s.Pods, podorder.Pod{Name: fmt.Sprintf("n%d/p%d", i, j), NodeName: "node", Phase: podorder.Running, Ready: true})
				}
			}
			for b.Loop() {
				newWorld(b, s, sim.Config{})
			}
		})
	}
}
