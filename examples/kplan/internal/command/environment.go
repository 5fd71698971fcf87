// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// seenOf returns the workload with the running pods.
func seenOf(w, old *manifest.Workload) *manifest.Workload {
	if old != nil {
		return old
	}
	return w
}

// environment applies the state of pods and nodes in the input to a beginning, where the world
// does not read it by itself. It returns notes about it for the user, and the resources that
// quotas leave too little of.
func (s *simulation) environment(w, old *manifest.Workload, b *world.Beginning) ([]string, []manifest.Shortage) {
	seen, most := seenOf(w, old), b.Most()
	notes := nodeNotes(w)
	if s.heal {
		b.Heal()
		return append(notes, "all pods become ready, and nodes have room (--heal)"), nil
	}
	room := roomNote(w, seen)
	notes = append(notes, beliefsOf(b, room)...)
	notes = append(notes, refuse(b, w, seen, most)...)
	more, short := shortages(b, w, seen, most)
	return append(notes, more...), short
}

// beliefsOf returns notes about the assumptions on pods and nodes, and about the room of the
// nodes.
func beliefsOf(b *world.Beginning, room string) (notes []string) {
	for _, belief := range b.BelievedOf(b.Owns()) {
		notes = append(notes, belief.String())
		if belief.Then == cluster.FullNodes {
			room = ""
		}
	}
	if room != "" {
		notes = append(notes, room)
	}
	for _, what := range b.Unseen {
		notes = append(notes, "not looked at: "+what)
	}
	return notes
}

// believed applies the flags to a beginning. It returns the assumptions about pods, nodes and
// quotas.
func (s *simulation) believed(nodes []*corev1.Node, b *world.Beginning) []string {
	if s.heal {
		some := len(b.Pods)+len(b.DaemonPods) > 0
		if b.Heal(); some {
			return []string{"all pods become ready, and nodes have room (--heal)"}
		}
		return nil
	}
	room := ""
	if hasRoom(nodes) {
		room = roomLeft
	}
	notes := beliefsOf(b, room)
	t := b.Templates[b.Template]
	if t.Refused != "" {
		notes = append(notes, "no new pod is made, as the API server says: "+t.Refused)
	}
	for _, q := range b.Quotas {
		for _, resource := range slices.Sorted(maps.Keys(q.Hard)) {
			if unset := t.Unset[resource]; len(unset) > 0 {
				notes = append(notes, fmt.Sprintf("ResourceQuota %s counts %s, which container %s does not set: creations fail", strings.TrimPrefix(q.Name, b.Namespace+"/"), resource, unset[0]))
			}
		}
	}
	return notes
}

// A pace holds the times of pods in a simulation, and its limits.
type pace struct {
	scheduleAfter  delay
	readyAfter     delay
	terminateAfter delay
	jitter         delay
	noticeAfter    delay
	timeLimit      delay
	seed           uint64
	neverReady     bool
	looks          int64 // remaining, see maxLooks
	records        bool  // the lives of pods are recorded
	told           func(flag string) bool
}

// maxLooks limits how often planners look at a pod in all simulations of a command. It is reached
// after minutes. Tests set a lower one.
var maxLooks int64 = 1_000_000_000

// withHelp adds a remedy to an error of a simulation, if there is one.
func withHelp(err error) error {
	if errors.Is(err, sim.ErrTooLong) {
		return errors.New("too much for one simulation; with --notice-after 1s controllers look less often")
	}
	return err
}

func (p *pace) addFlags(c *cobra.Command, neverReady string) {
	p.readyAfter, p.timeLimit, p.looks = delay(10*time.Second), delay(24*time.Hour), maxLooks
	f := c.Flags()
	p.told = f.Changed
	f.Var(&p.scheduleAfter, "schedule-after", "time from creating a pod to starting it")
	f.Var(&p.readyAfter, "ready-after", "time from starting a pod to its being ready")
	f.Var(&p.terminateAfter, "terminate-after", "time from deleting a pod to its end")
	f.Var(&p.jitter, "jitter", "random time that is added to each of these, at most")
	f.Var(&p.noticeAfter, "notice-after", "time until controllers notice a change")
	f.Uint64Var(&p.seed, "seed", 0, "chooses the random times")
	f.BoolVar(&p.neverReady, "never-ready", false, neverReady)
	f.Var(&p.timeLimit, "time-limit", "simulated time after which to give up")
}

// config returns the configuration of a simulation.
func (p *pace) config(by *policies) sim.Config {
	return sim.Config{
		Seed: p.seed, Times: cluster.Times{Schedule: p.spread(p.scheduleAfter), Ready: p.spread(p.readyAfter), End: p.spread(p.terminateAfter)},
		Latency: time.Duration(p.noticeAfter), MaxPlans: int(max(1, p.looks/looksOfPlan)), Deployment: by.deployOptions(),
		ReplicaSet: replicaset.Options{Repair: by.replicaSets()}, DaemonSet: daemonset.Options{Repair: by.daemonSets()},
		Planned: func(sim.Plan) { p.looks -= looksOfPlan },
	}
}

// looksOfPlan is the number of looks that one plan counts as.
const looksOfPlan = 100

// override applies times from flags to all pods, in place of the times of their templates.
func (p *pace) override(c *world.Cluster, start bool) {
	ready, end := start || p.told("ready-after"), p.told("terminate-after")
	c.Each(func(_ string, t *cluster.Template) {
		if ready {
			t.ReadyAfter = 0
		}
		if end {
			t.EndAfter, t.EndWithin = 0, 0
		}
	})
}

// spread returns the distribution of the time of a stage with the given minimum.
func (p *pace) spread(least delay) cluster.Spread {
	return cluster.Between(time.Duration(least), time.Duration(least)+time.Duration(p.jitter))
}

var (
	_ pflag.Value = new(instant)
	_ pflag.Value = new(delay)
)

// An instant is a point in time, or unset.
type instant struct{ time.Time }

func (i *instant) Type() string { return "time" }
func (i *instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Format(time.RFC3339)
}

// Set accepts the form of the Kubernetes API.
func (i *instant) Set(s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !manifest.Plausible(t) {
		return fmt.Errorf("must be a time such as 2026-01-02T15:04:05Z, from 1970 to 2199")
	}
	i.Time = t
	return nil
}

// A delay is a duration that is not negative.
type delay time.Duration

func (d *delay) Type() string   { return "duration" }
func (d *delay) String() string { return time.Duration(*d).String() }

// Set accepts durations such as 1m30s, up to ten years.
func (d *delay) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 || v > 10*365*24*time.Hour {
		return fmt.Errorf("must be a duration such as 10s or 1m30s, of at most ten years")
	}
	*d = delay(v)
	return nil
}

var _ pflag.Value = new(number)

// A number is a number of pods, -1 if it is unset.
type number int32

func (n *number) String() string {
	if *n < 0 {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// Type returns the name of the value in help texts.
func (n *number) Type() string { return "number" }

// Set accepts numbers that are not negative.
func (n *number) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("must be a number of pods")
	}
	*n = number(v)
	return nil
}

// lives returns the assumed times of pods in a simulation, with the flag or probe that sets each.
// It returns none if nothing happens in the simulation.
func (p *pace) lives(b *world.Beginning, s *view.Simulation) (notes []string) {
	if len(s.Steps) == 1 && s.Done {
		return nil
	}
	t := b.Templates[b.Template]
	ready, of := time.Duration(p.readyAfter), "--ready-after"
	if t.ReadyAfter > ready {
		ready, of = t.ReadyAfter, "its probes"
	}
	note := fmt.Sprintf("a new pod is ready %s after its start (%s)", terminal.Clock(ready), of)
	if d := time.Duration(p.scheduleAfter); d > 0 {
		note += fmt.Sprintf(", and starts %s after it is made (--schedule-after)", terminal.Clock(d))
	}
	note += fmt.Sprintf("; a deleted pod is gone %s (--terminate-after%s)", goneAfter(time.Duration(p.terminateAfter)), p.hooks(b))
	if d := time.Duration(p.jitter); d > 0 {
		note += fmt.Sprintf("; each takes up to %s more (--jitter)", terminal.Clock(d))
	}
	notes = append(notes, note)
	if p.jitter == 0 && slices.ContainsFunc(s.Steps, func(step record.Step) bool { return step.Created > 1 }) {
		notes = append(notes, "pods made at once are ready at once: a cluster takes more and smaller steps")
	}
	return notes
}

// hooks returns a note if templates set times in which their pods end.
func (p *pace) hooks(b *world.Beginning) string {
	longer := slices.ContainsFunc(b.Own(), func(t cluster.Template) bool {
		return t.EndAfter > time.Duration(p.terminateAfter) || t.EndWithin > 0 && t.EndWithin < time.Duration(p.terminateAfter)
	})
	if longer {
		return ", preStop hook and grace period"
	}
	return ""
}

func goneAfter(d time.Duration) string {
	if d == 0 {
		return "at once"
	}
	return terminal.Clock(d) + " later"
}
