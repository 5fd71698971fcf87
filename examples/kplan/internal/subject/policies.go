// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	argoquirk "github.com/kplan-go/kplan/rollout/argo/quirk"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The Policies are the flags that depart from Kubernetes.
type Policies struct {
	Repairs
	options deploy.Options
	choices []*policy
}

// AddFlags adds the flags to a command.
func (p *Policies) AddFlags(c *cobra.Command) {
	o, f := &p.options, c.Flags()
	p.Repairs.addFlags(c)
	f.BoolVar(&o.RolloutFirst, "rollout-first", false, "start a new template before scaling")
	f.BoolVar(&o.WeighByAvailable, "weigh-by-available", false, "share out added pods by available ones")
	f.BoolVar(&o.PausePoints, "pause-points", false, "pause rollouts at pods that are marked for it")
	f.BoolVar(&o.StrictAvailable, "strict-available", false, "report as available only with an available pod")
	p.choices = []*policy{
		newPolicy(&o.Terminating, "terminating", "when pods being deleted make room",
			"started", deploy.TerminationStarted, "complete", deploy.TerminationComplete, "known", deploy.TerminationKnown),
		newPolicy(&o.Paused, "paused", "what being paused does to sizes",
			"fill", deploy.PausedFill, "scale", deploy.PausedScale, "freeze", deploy.PausedFreeze),
		newPolicy(&o.Leftover, "leftover", "who gets what rounding leaves",
			"default", deploy.LeftoverDefault, "largest", deploy.LeftoverLargest, "newest", deploy.LeftoverNewest),
		newPolicy(&o.Adoption, "adoption", "which ReplicaSets to adopt",
			"all", deploy.AdoptAll, "same-template", deploy.AdoptSameTemplate, "none", deploy.AdoptNone),
	}
	for _, choice := range p.choices {
		f.Var(choice, choice.flag, choice.usage+": "+choice.list())
		f.Lookup(choice.flag).DefValue = ""                            // the first of the list
		_ = c.RegisterFlagCompletionFunc(choice.flag, choice.complete) // fails only for an unknown flag
	}
}

// departures returns the flags that depart from Kubernetes, in a form for the command line.
func (p *Policies) departures() []string {
	flags := p.Repairs.Flags(deployquirk.Table(), replicasetquirk.Table())
	o := &p.options
	for _, f := range []struct {
		set  bool
		text string
	}{
		{o.RolloutFirst, "--rollout-first"},
		{o.WeighByAvailable, "--weigh-by-available"},
		{o.PausePoints, "--pause-points"},
		{o.StrictAvailable, "--strict-available"},
	} {
		if f.set {
			flags = append(flags, f.text)
		}
	}
	for _, c := range p.choices {
		if c.chosen > 0 {
			flags = append(flags, "--"+c.flag+"="+c.String())
		}
	}
	return flags
}

// deployOptions returns the options of the Deployment planner.
func (p *Policies) deployOptions() deploy.Options {
	o := p.options
	o.Repair = p.Deployments()
	return o
}

var _ pflag.Value = new(policy)

// A policy is a flag that chooses one of several values. The first is the default.
type policy struct {
	flag, usage string
	names       []string
	set         func(i int)
	chosen      int
}

// newPolicy returns the flag of a field. The choices alternate between names and values.
func newPolicy[T ~string](field *T, flag, usage string, choices ...T) *policy {
	p := &policy{flag: flag, usage: usage}
	for i := 0; i < len(choices); i += 2 {
		p.names = append(p.names, string(choices[i]))
	}
	p.set = func(i int) { *field = choices[2*i+1] }
	return p
}

func (p *policy) String() string {
	if len(p.names) == 0 {
		return ""
	}
	return p.names[p.chosen]
}

// Type returns the name of the value in help texts.
func (p *policy) Type() string { return "policy" }

// list returns the names, as in "a, b or c".
func (p *policy) list() string {
	last := len(p.names) - 1
	return strings.Join(p.names[:last], ", ") + " or " + p.names[last]
}

// Set accepts one of the names.
func (p *policy) Set(s string) error {
	for i, name := range p.names {
		if name == s {
			p.chosen = i
			p.set(i)
			return nil
		}
	}
	return fmt.Errorf("must be %s", p.list())
}

func (p *policy) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return p.names, cobra.ShellCompDirectiveNoFileComp
}

// Quirks returns the quirks of all planners.
func Quirks() []view.Quirks {
	return []view.Quirks{
		{Kind: "Deployment", Package: "deploy", Quirks: deployquirk.Table()},
		{Kind: "ReplicaSet", Package: "replicaset", Quirks: replicasetquirk.Table()},
		{Kind: "DaemonSet", Package: "daemonset", Quirks: daemonsetquirk.Table()},
		{Kind: "Rollout", Package: "rollout", Quirks: workloadquirk.Table()},
		{Kind: "Rollout of Argo", Package: "rollout/argo", Quirks: argoquirk.Table()},
	}
}

// QuirkNames returns the names of all quirks, once each.
func QuirkNames() []string {
	var names []string
	for _, p := range Quirks() {
		for _, q := range p.Quirks {
			names = append(names, q.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The Repairs are the quirks to repair. A name applies to every planner with such a quirk.
type Repairs struct {
	All   bool
	Names []string
}

func (r *Repairs) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&r.All, "corrected", false, "repair all known quirks of the controllers")
	c.Flags().Var((*RepairNames)(r), "repair", "repair the quirk of this name, see quirks (repeatable)")
	_ = c.RegisterFlagCompletionFunc("repair", completeQuirk) // fails only for an unknown flag
}

// of returns the quirks of one planner to repair.
func of[Q ~uint64](r *Repairs, all Q, table []kplan.Quirk, parse func(...string) (Q, error)) Q {
	if r.All {
		return all
	}
	set, _ := parse(r.known(table)...) // no error: all names are in the table
	return set
}

// Deployments returns the quirks of the Deployment planner to repair.
func (r *Repairs) Deployments() deployquirk.Set {
	return of(r, deployquirk.All, deployquirk.Table(), deployquirk.Parse)
}

// ReplicaSets returns the quirks of the ReplicaSet planner to repair.
func (r *Repairs) ReplicaSets() replicasetquirk.Set {
	return of(r, replicasetquirk.All, replicasetquirk.Table(), replicasetquirk.Parse)
}

// DaemonSets returns the quirks of the DaemonSet planner to repair.
func (r *Repairs) DaemonSets() daemonsetquirk.Set {
	return of(r, daemonsetquirk.All, daemonsetquirk.Table(), daemonsetquirk.Parse)
}

// Rollouts returns the quirks of the planner for Rollouts of OpenKruise to repair.
func (r *Repairs) Rollouts() workloadquirk.Set {
	return of(r, workloadquirk.All, workloadquirk.Table(), workloadquirk.Parse)
}

// ArgoRollouts returns the quirks of the planner for Rollouts of Argo to repair.
func (r *Repairs) ArgoRollouts() argoquirk.Set {
	return of(r, argoquirk.All, argoquirk.Table(), argoquirk.Parse)
}

// known returns the names that are in a table.
func (r *Repairs) known(table []kplan.Quirk) []string {
	var names []string
	for _, q := range table {
		if slices.Contains(r.Names, q.Name) {
			names = append(names, q.Name)
		}
	}
	return names
}

// Flags returns the flags that repair the same quirks of planners with these tables.
func (r *Repairs) Flags(tables ...[]kplan.Quirk) []string {
	if r.All {
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

var _ pflag.Value = new(RepairNames)

// RepairNames is the value of the flag --repair.
type RepairNames Repairs

func (r *RepairNames) String() string { return strings.Join(r.Names, ",") }

// Type returns the name of the value in help texts.
func (r *RepairNames) Type() string { return "quirk" }

// Set adds a name.
func (r *RepairNames) Set(name string) error {
	names := QuirkNames()
	if !slices.Contains(names, name) {
		return fmt.Errorf("no such quirk, the nearest is %s; %q lists all", Nearest(name, names), "kplan quirks")
	}
	if !slices.Contains(r.Names, name) {
		r.Names = append(r.Names, name)
	}
	return nil
}

func completeQuirk(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	names := slices.DeleteFunc(QuirkNames(), func(name string) bool { return !strings.HasPrefix(name, begun) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Nearest returns the name with the smallest edit distance.
func Nearest(name string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int { return spelling.Distance(name, a) - spelling.Distance(name, b) })
}
