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

// The policies are the flags that depart from Kubernetes.
type policies struct {
	repairs
	options deploy.Options
	choices []*policy
}

func (p *policies) addFlags(c *cobra.Command) {
	o, f := &p.options, c.Flags()
	p.repairs.addFlags(c)
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
func (p *policies) departures() []string {
	flags := p.repairs.flags(deploy.QuirkTable(), replicaset.QuirkTable())
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
func (p *policies) deployOptions() deploy.Options {
	o := p.options
	o.Repair = p.deployments()
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

func newQuirks(name string) *cobra.Command {
	as := outputFormat("text")
	c := &cobra.Command{
		Use:   "quirks",
		Short: "List what the controllers do wrong, and what repairs it",
		Long: `List, for each planner, what the controllers do that hardly anybody wants. Plans
have it too, unless --repair names it; --corrected repairs all.

Source is where the controllers do it, and Input the smallest that shows it. A name
that several planners have is repaired in all of them.

With -o json each planner is an object with kind, package and quirks, the items of
one object.`,
		Example: examples(name, `
kplan quirks
kplan plan -f cluster.yaml --repair StaleAnnotationBlocksRollout`),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return write(c, as, quirks())
		},
	}
	as.addTo(c)
	return c
}
