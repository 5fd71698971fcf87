// SPDX-License-Identifier: Apache-2.0

// Command reconciler puts two small custom controllers under faults, and finds the bugs of the
// first. Both give each Fleet, a custom kind, as many pods as its size: without faults both are
// correct in a world of package rollout/sim.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// seeds is the number of worlds in which each controller is tried under each fault.
const seeds = 25

// counts creates as many pods as are missing, and leaves their names to the API server.
func counts(fleet *cluster.Object, size int, pods []podorder.Pod) (writes []sim.Write) {
	for range size - len(pods) {
		writes = append(writes, create(fleet, ""))
	}
	for i := size; i < len(pods); i++ {
		writes = append(writes, sim.Write{Verb: sim.Delete, Object: &pods[i]})
	}
	return writes
}

// names has a name for each pod, so that no pod is created twice.
func names(fleet *cluster.Object, size int, pods []podorder.Pod) (writes []sim.Write) {
	there := map[string]bool{}
	for i := range pods {
		p := &pods[i]
		there[p.Name] = true
		if n, err := strconv.Atoi(strings.TrimPrefix(p.Name, fleet.Name+"-")); err != nil || n >= size || p.Finished() {
			writes = append(writes, sim.Write{Verb: sim.Delete, Object: p})
		}
	}
	for i := range size {
		if name := fmt.Sprint(fleet.Name, "-", i); !there[name] {
			writes = append(writes, create(fleet, name))
		}
	}
	return writes
}

func create(fleet *cluster.Object, name string) sim.Write {
	return sim.Write{Verb: sim.Create, Object: &podorder.Pod{Name: name, ControllerKind: "Fleet", ControllerName: fleet.Name, ControllerUID: fleet.UID}}
}

// A plan returns the writes of a controller for a Fleet, by its size and its cached
// pods.
type plan func(fleet *cluster.Object, size int, pods []podorder.Pod) []sim.Write

func (p plan) reconcile(v sim.View, name string) ([]sim.Write, time.Duration, error) {
	fleet := v.Object(name)
	if fleet == nil {
		return nil, 0, nil
	}
	size, err := strconv.Atoi(fleet.Spec["size"])
	return p(fleet, size, v.PodsOf(fleet.UID)), 0, err
}

// try runs a controller in a world with faults, in which the size changes each minute. It
// returns the first error found, the number of faults, and the history up to the error.
func try(p plan, faults sim.Faults, seed uint64) (wrong string, struck int, history []string, err error) {
	var w *sim.World
	w, err = sim.New(cluster.Snapshot{}, sim.Config{
		Seed: seed, Faults: faults, FaultsFor: 5 * time.Minute, Controllers: []sim.Reconciler{{Name: "fleets", For: "Fleet", Reconcile: p.reconcile}},
		Times: cluster.Times{Start: cluster.Between(time.Second, 5*time.Second), End: cluster.Exactly(time.Second)},
		Observe: func(c sim.Change) {
			if wrong != "" {
				return
			}
			history = append(history, fmt.Sprintf("%-9v %-18s %s %s %s", c.Time.Sub(w.Start()).Round(time.Millisecond), c.By, c.Verb, c.Kind, c.Name))
			if n := len(w.View().Pods()); n > 6 {
				wrong = fmt.Sprintf("%d pods, at most 6 were wanted", n)
			}
		},
	})
	for _, size := range []string{"3", "6", "2"} {
		if err == nil {
			err = errors.Join(w.Put(cluster.Object{Kind: "Fleet", Name: "f", Spec: map[string]string{"size": size}}), w.Run(w.Now().Add(time.Minute)))
		}
	}
	if err != nil {
		return "", 0, nil, err
	}
	rest, err := w.Settle(time.Hour)
	ready := slices.DeleteFunc(w.View().PodsOf(w.View().Object("f").UID), func(p podorder.Pod) bool { return !p.Ready })
	if wrong == "" && (!rest || len(ready) != 2) {
		wrong = fmt.Sprintf("%d pods are ready in the end, 2 are wanted", len(ready))
	}
	for _, n := range w.Report().Fired {
		struck += n
	}
	return wrong, struck, history, err
}

// report tries both controllers, and prints the first thing that goes wrong with its history.
func report(out io.Writer) error {
	var first []string
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "CONTROLLER\tFAULT\tSTRUCK\tWORLDS OF %d WITH A PROBLEM\tTHE FIRST\n", seeds)
	for _, c := range []struct {
		name string
		plan plan
	}{{"counts", counts}, {"names", names}} {
		for _, f := range []struct {
			name   string
			faults sim.Faults
		}{{"none", sim.Faults{}}, {"crashes", sim.Faults{Crash: 5}}, {"lost answers", sim.Faults{Flaky: 2}}, {"old caches", sim.Faults{Stale: 1}}, {"failing pods", sim.Faults{PodFailures: 2}}, {"all", sim.AllFaults(1)}} {
			all, worlds, what := 0, 0, "-"
			for seed := range uint64(seeds) {
				wrong, struck, history, err := try(c.plan, f.faults, seed)
				if err != nil {
					return fmt.Errorf("%s, %s, seed %d: %w", c.name, f.name, seed, err)
				}
				if all += struck; wrong != "" {
					if worlds++; worlds == 1 {
						what = fmt.Sprintf("seed %d: %s", seed, wrong)
					}
					if len(first) == 0 {
						first = append(history, wrong)
					}
				}
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", c.name, f.name, all, worlds, what)
		}
	}
	table.Flush()
	_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(first[max(0, len(first)-12):], "\n"))
	return err
}

func main() {
	if err := report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
