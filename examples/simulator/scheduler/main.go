// SPDX-License-Identifier: Apache-2.0

// Command scheduler asks a question about schedulers: how many pods serve when a zone is lost?
//
// It gives a world of package rollout/sim custom schedulers, which choose a node for each pod.
package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// The cluster: nodes in three zones with room for pods, and Deployments of six pods.
const (
	zones       = 3
	nodes       = 12
	room        = 30
	deployments = 40
)

// A place returns the node that a scheduler chooses for a pod, or "" if no node has room. It may
// read the world.
type place func(w *sim.World, p scheduler.Pod, nodes *scheduler.Nodes) string

var schedulers = []struct {
	name   string
	choose place
}{
	{"one node after the other", func(_ *sim.World, p scheduler.Pod, nodes *scheduler.Nodes) string { return scheduler.BinPack(p, nodes) }},
	{"the emptiest node", emptiest},
	{"the zone with fewest of its own", spread},
}

// emptiest takes the node with the most room.
func emptiest(_ *sim.World, p scheduler.Pod, nodes *scheduler.Nodes) string {
	return best(p, nodes, func(i int) int64 { return nodes.Free(i, 0) })
}

// spread takes the zone with the fewest pods of the same ReplicaSet, and there the emptiest node.
func spread(w *sim.World, p scheduler.Pod, nodes *scheduler.Nodes) string {
	zone, in := zoneOf(nodes), map[string]int64{}
	for _, other := range w.View().PodsOf(p.ControllerUID) {
		if other.NodeName != "" && other.Active() {
			in[zone[other.NodeName]]++
		}
	}
	return best(p, nodes, func(i int) int64 { return nodes.Free(i, 0) - room*in[nodes.At(i).Zone] })
}

// best returns the node with the highest score of all nodes that fit a pod, the first of several.
func best(p scheduler.Pod, nodes *scheduler.Nodes, score func(i int) int64) (name string) {
	var highest int64
	for i := nodes.First(0, p); i >= 0; i = nodes.First(i+1, p) {
		if s := score(i); name == "" || s > highest {
			name, highest = nodes.At(i).Name, s
		}
	}
	return name
}

func zoneOf(nodes *scheduler.Nodes) map[string]string {
	zone := map[string]string{}
	for i := range nodes.Len() {
		zone[nodes.At(i).Name] = nodes.At(i).Zone
	}
	return zone
}

// world returns the cluster after all Deployments have been rolled out twice.
func world(choose place) (w *sim.World, err error) {
	pod := cluster.Template{Needs: []int64{1}}
	start := cluster.Snapshot{Resources: []string{"pods"}, Templates: map[string]cluster.Template{"v1": pod, "v2": pod}}
	for i := range nodes {
		start.Nodes = append(start.Nodes, cluster.Node{Node: daemonset.Node{Name: fmt.Sprint("node-", i)}, Zone: string(rune('a' + i*zones/nodes)), Room: []int64{room}})
	}
	w, err = sim.New(start, sim.Config{
		Seed: 1, Times: cluster.Times{Start: cluster.Between(2*time.Second, 20*time.Second), End: cluster.Exactly(20 * time.Second)},
		Place: func(p scheduler.Pod, nodes *scheduler.Nodes) string { return choose(w, p, nodes) },
	})
	replicas := int32(6)
	for _, template := range []string{"v1", "v2"} {
		for i := 0; i < deployments && err == nil; i++ {
			name := fmt.Sprintf("app-%02d", i)
			err = w.Put(deploy.Deployment{
				Name: name, UID: name, Replicas: &replicas, Template: revision.Template{ID: template}, TemplateLabels: map[string]string{"app": name},
				MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
			})
		}
		if err == nil {
			_, err = w.Settle(24 * time.Hour)
		}
	}
	return w, err
}

// lost returns how many pods serve after all nodes of a zone are lost, and how many of the
// Deployment with the fewest.
func lost(w *sim.World, zone string) (all, fewest int32, err error) {
	for _, answers := range []bool{true, false} {
		for _, n := range w.View().Nodes() {
			w.Answers(n.Name, n.Zone != zone || answers)
		}
		err = w.Run(w.Now().Add(time.Minute)) // a lost node is noticed after 50 s, its pods are replaced later
	}
	for i, d := range w.View().Deployments() {
		n := d.Status.AvailableReplicas
		if all += n; i == 0 || n < fewest {
			fewest = n
		}
	}
	return all, fewest, err
}

// report prints a table with a row for each scheduler and zone.
func report(out io.Writer) error {
	fmt.Fprintf(out, "%d Deployments of 6 pods on %d nodes in %d zones, after a rollout\n\n", deployments, nodes, zones)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "PODS GO TO\tWITHOUT ZONE\tPODS THAT SERVE\tOF ONE DEPLOYMENT AT LEAST")
	for _, s := range schedulers {
		w, err := world(s.choose)
		for z := 0; z < zones && err == nil; z++ {
			var all, fewest int32
			zone := string(rune('a' + z))
			all, fewest, err = lost(w, zone)
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\n", s.name, zone, all, fewest)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return table.Flush()
}

func main() {
	if err := report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
