// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
)

var both = []string{"kubernetes", "kruise"}

func TestVectorsNodeShouldRun(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "node_should_run") {
			in, out := decode[struct {
				Node         daemonset.Node
				TemplateSpec vTemplate
			}, daemonset.Placement](t, v)
			template := in.TemplateSpec.template()
			placer := daemonset.NewPlacer(&template, options(set))
			got := placer.Place(&in.Node)
			if got.ShouldRun != out.ShouldRun || got.ShouldContinueRunning != out.ShouldContinueRunning {
				t.Errorf("%s %s: %+v, want %+v", set, v.Name, got, out)
			}
		}
	}
}

func TestVectorsDefaultTolerations(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "default_tolerations") {
			in, out := decode[vTemplate, vTemplate](t, v)
			got := daemonset.DefaultTolerations(in.Tolerations, in.HostNetwork)
			if diff := cmp.Diff(out.Tolerations, got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", set, v.Name, diff)
			}
		}
	}
}

// The rest of the affinity stays as it is: only the required terms are replaced.
func TestVectorsPinAffinity(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "pin_affinity") {
			in, out := decode[struct {
				Affinity map[string]any
				NodeName string
			}, struct{ Affinity map[string]any }](t, v)
			data, err := json.Marshal(daemonset.Pin(in.NodeName))
			require.NoError(t, err)
			var pin any
			require.NoError(t, json.Unmarshal(data, &pin))
			if in.Affinity == nil {
				in.Affinity = map[string]any{}
			}
			node, _ := in.Affinity["nodeAffinity"].(map[string]any)
			if node == nil {
				node = map[string]any{}
			}
			node["requiredDuringSchedulingIgnoredDuringExecution"] = pin
			in.Affinity["nodeAffinity"] = node
			if diff := cmp.Diff(out.Affinity, in.Affinity); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", set, v.Name, diff)
			}
		}
	}
}

func TestVectorsTargetNode(t *testing.T) {
	texts := map[string]string{
		"":                          "",
		"no required node affinity": "no-required-node-affinity", "no node selector terms": "no-terms",
		"more than one node": "not-unique", "no node is named": "not-found",
	}
	for _, set := range both {
		for _, v := range vectors(t, set, "target_node") {
			in, out := decode[struct {
				NodeName string
				Affinity *vAffinity
			}, struct{ Node, Error string }](t, v)
			got, err := daemonset.TargetNode(in.NodeName, in.Affinity.required())
			if got != out.Node || texts[textOf(err)] != out.Error {
				t.Errorf("%s %s: %q %v, want %+v", set, v.Name, got, err, out)
			}
		}
	}
}

func TestVectorsPodAvailable(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "pod_available") {
			in, out := decode[struct {
				Pod             vPod
				MinReadySeconds int32
			}, struct{ Ready, Available, StatusAvailable bool }](t, v)
			p := in.Pod.pod()
			a := daemonset.Availability{MinReadySeconds: in.MinReadySeconds, Now: epoch, Strict: set == "kruise"}
			if p.Ready != out.Ready || a.Available(&p) != out.Available || (set == "kruise" && a.StatusAvailable(&p) != out.StatusAvailable) {
				t.Errorf("%s %s: %v %v %v, want %+v", set, v.Name, p.Ready, a.Available(&p), a.StatusAvailable(&p), out)
			}
		}
	}
}

func TestVectorsPodUpdated(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "pod_updated") {
			in, out := decode[struct {
				PodHash, PodGeneration, Hash string
				GenerationAnnotation         *string
			}, struct {
				Updated    bool
				Generation *int64
			}](t, v)
			annotations := map[string]string{}
			if in.GenerationAnnotation != nil {
				annotations[daemonset.AnnotationGeneration] = *in.GenerationAnnotation
			}
			labels := map[string]string{}
			if in.PodHash != "" {
				labels[daemonset.LabelHash] = in.PodHash
			}
			if in.PodGeneration != "" {
				labels[daemonset.LabelGeneration] = in.PodGeneration
			}
			generation, ok := daemonset.TemplateGeneration(annotations)
			updated := daemonset.NewVersion(in.Hash, annotations).Current(labels)
			if updated != out.Updated || ok != (out.Generation != nil) || (ok && generation != *out.Generation) {
				t.Errorf("%s %s: %v %v %v, want %+v", set, v.Name, updated, generation, ok, out)
			}
		}
	}
}

// Values that cannot be read do not enter a snapshot: whoever reads them decides.
func TestVectorsBudgets(t *testing.T) {
	explained := tally{}
	for _, set := range both {
		for _, v := range vectors(t, set, "budgets") {
			in, out := decode[struct {
				DS      vDaemonSet
				Desired int32
			}, struct {
				MaxSurge, MaxUnavailable int32
				AllowSurge               bool
				Error                    string
			}](t, v)
			d, unreadable := in.DS.daemonSet("new")
			if out.Error != "" {
				if in.DS.RollingUpdate.MaxUnavailable == nil && set == "kubernetes" && out.Error == "maxUnavailable" {
					explained.add(t, "unset limits")
					continue
				}
				require.Contains(t, unreadable, out.Error, v.Name)
				explained.add(t, "limits that cannot be read")
				continue
			}
			got := daemonset.Resolve(d.Strategy, d.MaxSurge, d.MaxUnavailable, in.Desired)
			want := daemonset.Budget{Desired: in.Desired, Surge: out.MaxSurge, Unavailable: out.MaxUnavailable}
			if got != want || daemonset.SurgeAllowed(d.Strategy, d.MaxSurge) != out.AllowSurge {
				t.Errorf("%s %s: %+v, want %+v", set, v.Name, got, out)
			}
		}
	}
	explained.log(t)
}

func TestVectorsBurstReplicas(t *testing.T) {
	explained := tally{}
	for _, v := range vectors(t, "kruise", "burst_replicas") {
		in, out := decode[struct {
			BurstReplicas any
			StatusDesired int32
		}, struct{ Burst int32 }](t, v)
		n, ok := number(in.BurstReplicas)
		if !ok {
			n = rollout.Int(0)
			explained.add(t, "the burst")
		}
		if got := daemonset.Burst(n, in.StatusDesired); got != out.Burst {
			t.Errorf("%s: %d, want %d", v.Name, got, out.Burst)
		}
	}
	explained.log(t)
}

func TestVectorsNodesNeedingPods(t *testing.T) {
	for _, v := range vectors(t, "kruise", "nodes_needing_pods") {
		in, out := decode[struct {
			NewPods, Desired, Partition int32
			Progressive                 bool
			Nodes                       []string
		}, struct{ Nodes []string }](t, v)
		got := slices.Sorted(slices.Values(in.Nodes))
		if in.Progressive {
			got = got[:min(len(got), int(rollout.NodesNeedingPods(in.NewPods, in.Desired, in.Partition)))]
		}
		if diff := cmp.Diff(out.Nodes, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", v.Name, diff)
		}
	}
}

func TestVectorsFailedPodBackoff(t *testing.T) {
	type step struct {
		Delete       bool
		DelaySeconds int64
	}
	key := daemonset.BackoffKey{UID: "u", Generation: 1, Node: "n"}
	for _, set := range both {
		for _, v := range vectors(t, set, "failed_pod_backoff") {
			in, out := decode[struct{ TimesSeconds []int64 }, struct{ Steps []step }](t, v)
			var table daemonset.Backoff
			var got []step
			for _, at := range in.TimesSeconds {
				_, waits := table.Until(key, seconds(at))
				if !waits {
					table = table.Advance(key, seconds(at))
				}
				got = append(got, step{!waits, int64(table.Delay(key) / time.Second)})
			}
			if diff := cmp.Diff(out.Steps, got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", set, v.Name, diff)
			}
		}
	}
}

func TestVectorsSlowStart(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "slow_start") {
			in, out := decode[struct {
				Wanted, Burst int
				BurstReplicas any
				FailAfter     *int
			}, struct {
				Attempts, Created int
				Error             bool
			}](t, v)
			left := min(in.Wanted, 250)
			if set == "kubernetes" {
				left = min(in.Wanted, in.Burst)
			} else if n, ok := number(in.BurstReplicas); ok {
				left = min(in.Wanted, int(daemonset.Burst(n, 0)))
			}
			attempts, created, size := 0, 0, 0
			for left > 0 {
				size = daemonset.SlowStart(size, left)
				attempts, left = attempts+size, left-size
				ok := size
				if in.FailAfter != nil {
					ok = min(size, max(*in.FailAfter-created, 0))
				}
				created += ok
				if ok < size {
					break
				}
			}
			if attempts != out.Attempts || created != out.Created {
				t.Errorf("%s %s: %d %d, want %+v", set, v.Name, attempts, created, out)
			}
		}
	}
}

func TestVectorsPreDelete(t *testing.T) {
	for _, v := range vectors(t, "kruise", "pre_delete") {
		in, out := decode[struct {
			PreDelete    *vPreDelete
			Pods         []vPod
			PodsToDelete []string
		}, struct{ Delete, MarkPreparingDelete []string }](t, v)
		var remove, mark []string
		for _, name := range in.PodsToDelete {
			i := slices.IndexFunc(in.Pods, func(p vPod) bool { return p.Name == name })
			if i < 0 {
				continue
			}
			p := in.Pods[i].pod()
			switch {
			case !in.PreDelete.hook().Holds(&p):
				remove = append(remove, name)
			case p.Labels[daemonset.LabelState] != daemonset.StatePreparingDelete:
				mark = append(mark, name)
			}
		}
		if diff := cmp.Diff(out.Delete, remove, cmpopts.EquateEmpty()) + cmp.Diff(out.MarkPreparingDelete, mark, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", v.Name, diff)
		}
	}
}

func TestVectorsPodsShouldBeOnNode(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "pods_should_be_on_node") {
			in, out := decode[struct {
				DS                                         vDaemonSet
				ShouldRun, ShouldContinueRunning, HasEntry bool
				Pods                                       []vPod
				Hash                                       string
				Backoff                                    *struct{ Seconds, AgeSeconds int64 }
			}, struct {
				Create                                   bool
				Delete                                   []string
				RequeueAfterSeconds, BackoffAfterSeconds float64
			}](t, v)
			d, unreadable := in.DS.daemonSet(in.Hash)
			require.Empty(t, unreadable, v.Name)
			c := daemonset.NodeCase{ShouldRun: in.ShouldRun, ShouldContinueRunning: in.ShouldContinueRunning, Exists: in.HasEntry, NextDelay: time.Second}
			for _, p := range pods(in.Pods) {
				c.Pods = append(c.Pods, &p)
			}
			key := daemonset.BackoffKey{Node: "n"}
			var table daemonset.Backoff
			if b := in.Backoff; b != nil {
				table = daemonset.Backoff{{BackoffKey: key, Delay: time.Duration(b.Seconds) * time.Second, Since: seconds(-b.AgeSeconds)}}
			}
			if until, waits := table.Until(key, epoch); waits {
				c.Until, c.Delay = until, table.Delay(key)
			}
			next := table.Advance(key, epoch)
			c.NextDelay = next.Delay(key)
			rules := daemonset.NodeRules{
				Surge: daemonset.SurgeAllowed(d.Strategy, d.MaxSurge), Version: daemonset.NewVersion(in.Hash, d.Annotations),
				Availability: daemonset.Availability{MinReadySeconds: d.MinReadySeconds, Now: epoch, Strict: set == "kruise"}, Options: options(set),
			}
			got := rules.Decide(&c)
			var remove []string
			for _, gone := range got.Delete {
				remove = append(remove, gone.Pod.Name)
			}
			if got.Failed {
				table = next
			}
			if got.Create != out.Create || !slices.Equal(remove, out.Delete) || got.Requeue.Seconds() != out.RequeueAfterSeconds ||
				table.Delay(key).Seconds() != out.BackoffAfterSeconds {
				t.Errorf("%s %s: %v %v %v %v, want %+v\n%s", set, v.Name, got.Create, remove, got.Requeue, table, out, v.Input)
			}
		}
	}
}
