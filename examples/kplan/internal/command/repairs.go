// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/workload"
)

// quirks returns the quirks of all planners.
func quirks() []view.Quirks {
	return []view.Quirks{
		{Kind: "Deployment", Package: "deploy", Quirks: deploy.QuirkTable()},
		{Kind: "ReplicaSet", Package: "replicaset", Quirks: replicaset.QuirkTable()},
		{Kind: "DaemonSet", Package: "daemonset", Quirks: daemonset.QuirkTable()},
		{Kind: "Rollout", Package: "rollout", Quirks: workload.QuirkTable()},
		{Kind: "Rollout of Argo", Package: "rollout/argo", Quirks: argo.QuirkTable()},
	}
}

// quirkNames returns the names of all quirks, once each.
func quirkNames() []string {
	var names []string
	for _, p := range quirks() {
		for _, q := range p.Quirks {
			names = append(names, q.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The repairs are the quirks to repair. A name applies to every planner with such a quirk.
type repairs struct {
	all   bool
	names []string
}

func (r *repairs) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&r.all, "corrected", false, "repair all known quirks of the controllers")
	c.Flags().Var((*repairNames)(r), "repair", "repair the quirk of this name, see quirks (repeatable)")
	_ = c.RegisterFlagCompletionFunc("repair", completeQuirk) // fails only for an unknown flag
}

// of returns the quirks of one planner to repair.
func of[Q ~uint64](r *repairs, all Q, table []kplan.Quirk, parse func(...string) (Q, error)) Q {
	if r.all {
		return all
	}
	set, _ := parse(r.known(table)...) // no error: all names are in the table
	return set
}

func (r *repairs) deployments() deploy.Quirks {
	return of(r, deploy.RepairAll, deploy.QuirkTable(), deploy.ParseQuirks)
}

func (r *repairs) replicaSets() replicaset.Quirks {
	return of(r, replicaset.RepairAll, replicaset.QuirkTable(), replicaset.ParseQuirks)
}

func (r *repairs) daemonSets() daemonset.Quirks {
	return of(r, daemonset.RepairAll, daemonset.QuirkTable(), daemonset.ParseQuirks)
}

func (r *repairs) rollouts() workload.Quirks {
	return of(r, workload.RepairAll, workload.QuirkTable(), workload.ParseQuirks)
}

func (r *repairs) argoRollouts() argo.Quirks {
	return of(r, argo.RepairAll, argo.QuirkTable(), argo.ParseQuirks)
}

// known returns the names that are in a table.
func (r *repairs) known(table []kplan.Quirk) []string {
	var names []string
	for _, q := range table {
		if slices.Contains(r.names, q.Name) {
			names = append(names, q.Name)
		}
	}
	return names
}

// flags returns the flags that repair the same quirks of planners with these tables.
func (r *repairs) flags(tables ...[]kplan.Quirk) []string {
	if r.all {
		return []string{"--corrected"}
	}
	var flags []string
	for _, name := range r.known(slices.Concat(tables...)) {
		if flag := "--repair=" + name; !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return flags
}

var _ pflag.Value = new(repairNames)

// repairNames is the value of the flag --repair.
type repairNames repairs

func (r *repairNames) String() string { return strings.Join(r.names, ",") }

// Type returns the name of the value in help texts.
func (r *repairNames) Type() string { return "quirk" }

// Set adds a name.
func (r *repairNames) Set(name string) error {
	names := quirkNames()
	if !slices.Contains(names, name) {
		return fmt.Errorf("no such quirk, the nearest is %s; %q lists all", nearest(name, names), "kplan quirks")
	}
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
	return nil
}

func completeQuirk(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	names := slices.DeleteFunc(quirkNames(), func(name string) bool { return !strings.HasPrefix(name, begun) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// nearest returns the name with the smallest edit distance.
func nearest(name string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int { return spelling.Distance(name, a) - spelling.Distance(name, b) })
}
