// SPDX-License-Identifier: Apache-2.0

// Command simulator asks a question about capacity: can all Deployments of a cluster
// roll out at once?
//
// It shows package rollout/sim: a cluster in virtual time with the planners of this module as
// its controllers. The program sets the clock and the desired state.
package main

import (
	"flag"
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
)

// A question holds the parameters of a run.
type question struct {
	deployments, nodes, room int // room for pods on each node
	replicas                 int32
	seed                     uint64
}

// valid returns an error for a question that makes no sense. No nodes would mean
// unlimited room.
func (q question) valid() error {
	for _, f := range []struct {
		name string
		is   int
	}{{"deployments", q.deployments}, {"nodes", q.nodes}, {"room", q.room}} {
		if f.is < 1 {
			return fmt.Errorf("-%s %d: must be at least 1", f.name, f.is)
		}
	}
	return nil
}

// A strategy is one of the strategies to compare.
type strategy struct {
	name               string
	surge, unavailable rollout.IntOrPercent
}

var strategies = []strategy{
	{name: "one more first", surge: rollout.Int(1), unavailable: rollout.Int(0)},
	{name: "a quarter each (default)", surge: rollout.Percent(25), unavailable: rollout.Percent(25)},
	{name: "a quarter fewer", surge: rollout.Int(0), unavailable: rollout.Percent(25)},
}

// times are how long pods of this cluster take: half of them start within 8 seconds, nine in
// ten within 30. They take 20 seconds to end, and need their room until they are gone.
var times = cluster.Times{
	Start: cluster.Spread{{Time: 2 * time.Second}, {Share: 0.5, Time: 8 * time.Second}, {Share: 0.9, Time: 30 * time.Second}, {Share: 0.99, Time: 90 * time.Second}, {Share: 1, Time: 2 * time.Minute}},
	End:   cluster.Exactly(20 * time.Second),
}

// An answer holds the measurements of a run.
type answer struct {
	times     []time.Duration // until Deployments were complete, in order; shorter if some never were
	peak      int             // most pods at once, including pods that wait for room and pods that are ending
	waiting   int             // most pods that waited for room
	available int             // fewest available pods of all
	fewest    int             // fewest available pods of one Deployment
}

// done returns the time at which the first n Deployments were complete.
func (a answer) done(n int) string {
	if len(a.times) < n {
		return "never"
	}
	return a.times[n-1].Round(time.Second).String()
}

// ask fills a cluster with Deployments, and then rolls all of them out at once.
func ask(q question, s strategy) (a answer, err error) {
	pod := cluster.Template{Needs: []int64{1}}
	start := cluster.Snapshot{Resources: []string{"pods"}, Templates: map[string]cluster.Template{"v1": pod, "v2": pod}}
	for i := range q.nodes {
		start.Nodes = append(start.Nodes, cluster.Node{Node: daemonset.Node{Name: fmt.Sprint("node-", i)}, Room: []int64{int64(q.room)}})
	}
	pods, ready, serving, sum := 0, map[string]bool{}, map[string]int{}, 0
	complete, begun, w := map[string]bool{}, time.Time{}, &sim.World{}
	w, err = sim.New(start, sim.Config{Seed: q.seed, Times: times, Observe: func(c sim.Change) {
		app := c.Name[:min(len(c.Name), len("app-0000"))]
		switch {
		case c.Kind == sim.KindDeployment:
			if d := w.View().Deployment(c.Name); d != nil && deploy.Complete(d.Status, q.replicas, d.Generation) && !complete[app] {
				complete[app], a.times = true, append(a.times, c.Time.Sub(begun))
			}
			return
		case c.Kind != sim.KindPod:
			return
		case c.Verb == sim.Create:
			pods++
		case c.Verb == sim.Remove:
			pods--
		case c.Verb == sim.Ready:
			ready[c.Name] = true
			serving[app], sum = serving[app]+1, sum+1
		case c.Verb == sim.Delete && ready[c.Name]:
			delete(ready, c.Name)
			serving[app], sum = serving[app]-1, sum-1
			a.fewest = min(a.fewest, serving[app])
		}
		a.peak, a.available = max(a.peak, pods), min(a.available, sum)
		a.waiting = max(a.waiting, w.Report().Waiting)
	}})
	for _, template := range []string{"v1", "v2"} {
		if err != nil {
			return a, err
		}
		begun, complete = w.Now(), map[string]bool{}
		a = answer{available: q.deployments * int(q.replicas), fewest: int(q.replicas)}
		for i := range q.deployments {
			name := fmt.Sprintf("app-%04d", i)
			err = w.Put(deploy.Deployment{
				Name: name, UID: name, Replicas: &q.replicas, Template: revision.Template{ID: template}, TemplateLabels: map[string]string{"app": name},
				MaxSurge: s.surge, MaxUnavailable: s.unavailable,
			})
		}
		if err == nil {
			_, err = w.Settle(24 * time.Hour)
			a.waiting = max(a.waiting, w.Report().Waiting)
		}
	}
	return a, err
}

// report prints a table with an answer for each strategy.
func report(out io.Writer, q question) error {
	fmt.Fprintf(out, "%d Deployments of %d pods on %d nodes with room for %d pods each\n\n", q.deployments, q.replicas, q.nodes, q.room)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "STRATEGY\tHALF DONE\tALL DONE\tPEAK PODS\tWAITING FOR ROOM\tFEWEST AVAILABLE\tOF ONE DEPLOYMENT")
	for _, s := range strategies {
		a, err := ask(q, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", s.name, a.done(max(1, q.deployments/2)), a.done(q.deployments), a.peak, a.waiting, a.available, a.fewest)
	}
	return table.Flush()
}

func main() {
	q := question{replicas: 10}
	flag.IntVar(&q.deployments, "deployments", 1000, "number of Deployments of ten pods")
	flag.IntVar(&q.nodes, "nodes", 500, "number of nodes")
	flag.IntVar(&q.room, "room", 22, "pods that a node has room for")
	flag.Uint64Var(&q.seed, "seed", 1, "seed of the start times")
	flag.Parse()
	if err := q.valid(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := report(os.Stdout, q); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
