// SPDX-License-Identifier: Apache-2.0

// Command simulator asks a question about capacity: what happens if all Deployments of
// a cluster roll out at once?
//
// It shows the planners in a loop of one's own, which is in fleet.go. There are no
// goroutines and no clock: the loop takes the next event, and lets the planners of the
// Deployment that it concerns act until they rest.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/kplan-go/kplan/rollout"
)

// A question is what is asked.
type question struct {
	deployments, nodes, room int // room for pods on each node
	replicas                 int32
	seed                     uint64
}

// A strategy is one of those to compare.
type strategy struct {
	name               string
	surge, unavailable rollout.IntOrPercent
}

func strategies() []strategy {
	return []strategy{
		{name: "one more first", surge: rollout.Int(1), unavailable: rollout.Int(0)},
		{name: "a quarter each (default)", surge: rollout.Percent(25), unavailable: rollout.Percent(25)},
		{name: "a quarter fewer", surge: rollout.Int(0), unavailable: rollout.Percent(25)},
	}
}

// quantiles are how long pods of this cluster take to start, from the shortest to the
// longest: half of them 8 seconds at most, nine in ten 30 seconds. Between two of them
// times are spread evenly.
var quantiles = []struct {
	share float64
	time  time.Duration
}{{0, 2 * time.Second}, {0.5, 8 * time.Second}, {0.9, 30 * time.Second}, {0.99, 90 * time.Second}, {1, 2 * time.Minute}}

// grace is how long pods take to end. They need room until then.
const grace = 20 * time.Second

// startTime returns the start time at a share of all pods.
func startTime(share float64) time.Duration {
	for i, q := range quantiles[1:] {
		if before := quantiles[i]; share <= q.share {
			return before.time + time.Duration((share-before.share)/(q.share-before.share)*float64(q.time-before.time))
		}
	}
	return quantiles[len(quantiles)-1].time
}

// An answer is how the rollouts went.
type answer struct {
	times     []time.Duration // until Deployments were complete, in order; shorter if some never were
	peak      int             // most pods at once, with those that wait for room and those that are ending
	waiting   int             // most pods that waited for room
	available int             // fewest available pods of all
	fewest    int             // fewest available pods of one Deployment
	most      int             // most pods of one Deployment that were not ending
}

// done returns when the first n Deployments were complete.
func (a answer) done(n int) string {
	if len(a.times) < n {
		return "never"
	}
	return a.times[n-1].Round(time.Second).String()
}

// report prints a table with an answer for each strategy.
func report(out io.Writer, q question) error {
	fmt.Fprintf(out, "%d Deployments of %d pods on %d nodes with room for %d pods each\n\n", q.deployments, q.replicas, q.nodes, q.room)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "STRATEGY\tHALF DONE\tALL DONE\tPEAK PODS\tWAITING FOR ROOM\tFEWEST AVAILABLE\tOF ONE DEPLOYMENT")
	for _, s := range strategies() {
		a, err := ask(q, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d, of up to %d pods\n", s.name,
			a.done(q.deployments/2), a.done(q.deployments), a.peak, a.waiting, a.available, a.fewest, a.most)
	}
	return table.Flush()
}

func main() {
	q := question{}
	flag.IntVar(&q.deployments, "deployments", 200, "number of Deployments")
	replicas := flag.Int("replicas", 10, "pods of each")
	flag.IntVar(&q.nodes, "nodes", 50, "number of nodes")
	flag.IntVar(&q.room, "room", 44, "pods that a node has room for")
	flag.Uint64Var(&q.seed, "seed", 1, "seed of the start times")
	flag.Parse()
	q.replicas = int32(*replicas)
	if err := report(os.Stdout, q); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
