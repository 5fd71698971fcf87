// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/workload"
)

// counted are the parts of a workload as an object or its pods tell now, in lines in any order.
func counted(v sim.View, kind sim.Kind) (lines []string) {
	if kind == sim.KindDeployment {
		for _, rs := range v.ReplicaSetsOf("web") {
			lines = append(lines, fmt.Sprint(rs.Name, " ", rs.Status.ReadyReplicas, "/", *rs.Replicas))
		}
		slices.Sort(lines)
		return lines
	}
	ready, there := map[string]int{}, map[string]int{}
	count := func(p *podorder.Pod, hash string) {
		there[hash] += 0
		if p.DeletionTimestamp.IsZero() {
			if there[hash]++; p.Ready {
				ready[hash]++
			}
		}
	}
	for _, p := range v.Pods() {
		count(p, workload.LastPart(p.Labels[workload.LabelControllerRevision]))
	}
	for _, p := range v.DaemonPods() {
		count(&p.Pod, p.Labels[daemonset.LabelHash])
	}
	for hash, n := range there {
		if n > 0 {
			lines = append(lines, fmt.Sprint(hash, " ", ready[hash], "/", n))
		}
	}
	slices.Sort(lines)
	return lines
}

// recorded are the parts of sizes, in the same lines.
func recorded(z *record.Sizes, kind sim.Kind) (lines []string) {
	for _, p := range z.Parts {
		if kind == sim.KindDeployment || p.Wanted > 0 {
			lines = append(lines, fmt.Sprint(workload.LastPart(p.Name), " ", p.Ready, "/", p.Wanted))
			if kind == sim.KindDeployment {
				lines[len(lines)-1] = fmt.Sprint(p.Name, " ", p.Ready, "/", p.Wanted)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// Property: the sizes that are recorded by what changes are those that there are at the end of each instant,
// the stages of pods ascend and end as the world does, and to record changes nothing.
func TestRecorderCounts(t *testing.T) {
	puts := map[sim.Kind]func(template string, n int32) any{
		sim.KindDeployment: func(template string, n int32) any { return web("web", template, n) },
		sim.KindDaemonSet: func(template string, _ int32) any {
			d := logs(template)
			d.Name, d.UID, d.MaxUnavailable = "web", "web", rollout.Int(2)
			return d
		},
		sim.KindSet: func(template string, n int32) any {
			return cluster.Set{TemplateLabels: labels, Workload: workload.Workload{
				Ref: workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, UID: "web", Replicas: ptr.To(n),
				Template: revision.Template{ID: template}, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)},
			}}
		},
	}
	for kind, put := range puts {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n, seed := rapid.Int32Range(0, 12).Draw(t, "replicas"), rapid.Uint64().Draw(t, "seed")
				limit := time.Duration(rapid.IntRange(1, 60).Draw(t, "until")) * time.Second
				run := func(c sim.Config, look func(*sim.World)) *sim.World {
					c.Seed, c.Times = seed, cluster.Times{Ready: cluster.Between(2*time.Second, 10*time.Second), End: cluster.Between(0, 7*time.Second)}
					s := cluster.Snapshot{Nodes: []cluster.Node{{Node: daemonset.Node{Name: "a"}}, {Node: daemonset.Node{Name: "b"}}, {Node: daemonset.Node{Name: "c"}}}}
					w, err := sim.New(s, c)
					require.NoError(t, err)
					for _, template := range []string{"v1", "v2", "v3"} {
						require.NoError(t, w.Put(put(template, n)))
						require.NoError(t, w.Run(w.Now())) // what happens at once
						look(w)
						for until := w.Now().Add(limit); w.Now().Before(until); {
							require.NoError(t, w.Run(w.Now().Add(300*time.Millisecond)))
							look(w)
						}
					}
					return w
				}
				config := sim.Config{}
				steps, history := record.NewSteps(&config), record.NewHistory(&config, time.Time{})
				there := map[time.Time][]string{}
				w := run(config, func(w *sim.World) { there[w.Now()] = counted(w.View(), kind) })
				list := steps.Sizes(kind, "web")
				for at, want := range there {
					i := len(list) - 1
					for i >= 0 && list[i].Time.After(at) {
						i--
					}
					require.GreaterOrEqual(t, i, 0)
					require.Equal(t, want, recorded(&list[i], kind), "%v", at.Sub(w.Start()))
				}
				pods, ready := ends(t, history)
				require.Equal(t, w.Snapshot(), run(sim.Config{}, func(*sim.World) {}).Snapshot())
				require.Equal(t, len(w.View().Pods())+len(w.View().DaemonPods()), pods)
				require.Equal(t, readyNow(w.View()), ready)
			})
		})
	}
}

// ends are how many pods a history leaves, and how many of these are ready.
func ends(t require.TestingT, h *record.History) (pods, ready int) {
	for _, p := range h.Pods {
		for i := range p.Stages[1:] {
			require.True(t, p.Stages[i+1].Time.After(p.Stages[i].Time), "%v", p.Stages)
			require.NotEqual(t, p.Stages[i].Is, p.Stages[i+1].Is)
		}
		switch p.Stages[len(p.Stages)-1].Is {
		case record.Gone:
		case record.Ready:
			pods, ready = pods+1, ready+1
		default:
			pods++
		}
	}
	return pods, ready
}

func readyNow(v sim.View) (n int) {
	is := func(p *podorder.Pod) {
		if p.Ready && p.DeletionTimestamp.IsZero() {
			n++
		}
	}
	for _, p := range v.Pods() {
		is(p)
	}
	for _, p := range v.DaemonPods() {
		is(&p.Pod)
	}
	return n
}
