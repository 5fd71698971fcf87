// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
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
