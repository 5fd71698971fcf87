// SPDX-License-Identifier: Apache-2.0

// Package cluster is a module of another project, with a scheduler and a controller that it runs in
// a world of rollout/sim.
package cluster

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// last is a scheduler that chooses the last node on which a pod fits.
func last(p scheduler.Pod, nodes *scheduler.Nodes) string {
	for i := nodes.Len() - 1; i >= 0; i-- {
		if nodes.Fits(i, p) {
			return nodes.At(i).Name
		}
	}
	return ""
}

// fleets is a controller: a Fleet has pods with the names 0 to its size, so that a repeated
// creation does no harm.
func fleets(v sim.View, name string) (writes []sim.Write, again time.Duration, err error) {
	fleet := v.Object(name)
	if fleet == nil {
		return nil, 0, nil
	}
	size, err := strconv.Atoi(fleet.Spec["size"])
	there := map[string]bool{}
	for _, p := range v.PodsOf(fleet.UID) {
		there[p.Name] = true
		if n, _ := strconv.Atoi(p.Name[len(name)+1:]); n >= size || p.Finished() {
			writes = append(writes, sim.Write{Verb: sim.Delete, Object: &podorder.Pod{Name: p.Name, UID: p.UID}})
		}
	}
	for i := range size {
		if pod := (podorder.Pod{Name: fmt.Sprintf("%s-%d", name, i), ControllerKind: "Fleet", ControllerName: name, ControllerUID: fleet.UID}); !there[pod.Name] {
			writes = append(writes, sim.Write{Verb: sim.Create, Object: &pod})
		}
	}
	return writes, 0, err
}

// The scheduler places the pods of a Deployment, and the pods of the controller under faults.
func TestCluster(t *testing.T) {
	s := cluster.Snapshot{Resources: []string{"pods"}, Templates: map[string]cluster.Template{"v1": {Needs: []int64{1}}}}
	for _, name := range []string{"a", "b"} {
		s.Nodes = append(s.Nodes, cluster.Node{Node: daemonset.Node{Name: name}, Room: []int64{3}})
	}
	size := int32(4)
	s.Deployments = []deploy.Deployment{{Name: "web", UID: "web", Replicas: &size, Template: revision.Template{ID: "v1"}}}
	s.Objects = []cluster.Object{{Kind: "Fleet", Name: "f", Spec: map[string]string{"size": "20"}}}
	faults := sim.Faults{Stale: 1, Flaky: 2, Crash: 2, PodFailures: 1}
	w, err := sim.New(s, sim.Config{
		Seed: 7, Place: last, Controllers: []sim.Reconciler{{Name: "fleets", For: "Fleet", Reconcile: fleets}},
		Faults: faults, FaultsFor: 5 * time.Minute, Times: cluster.Times{Start: cluster.Between(time.Second, 10*time.Second)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := w.Settle(24 * time.Hour); err != nil || !done {
		t.Fatal(done, err)
	}
	on := map[string]int{}
	for _, p := range w.View().PodsOf(w.View().ReplicaSet("web-v1").UID) {
		if p.Active() {
			on[p.NodeName]++
		}
	}
	fleet, serving := w.View().Object("f"), 0
	for _, p := range w.View().PodsOf(fleet.UID) {
		if p.Ready {
			serving++
		}
	}
	if on["a"]+on["b"] != 4 || on["b"] > 3 || serving != 20 || len(w.Report().Silent) > 0 {
		t.Fatal(on, serving, w.Report())
	}
	t.Log(w.Report().Fired)
}
