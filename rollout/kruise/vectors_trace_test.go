// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

type traceRow struct {
	By, Action string
	Clock      int32 // seconds
	Rollout    *struct {
		Step  int32
		State kruise.StepState
		Phase kruise.Phase
	}
	Deployment *struct{ ReplicaSets map[string]int32 }
	Traffic    *struct {
		CanarySelector, StableSelector string
		Weights                        map[string]*int32
	}
}

type traceInput struct {
	Pauses                   json.RawMessage // of seconds; null if all are manual, absent if they are not told
	Replicas                 int32
	Steps                    []rollout.IntOrPercent
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Traffic                  bool
}

// pauses returns the seconds of the pauses of a recording, -1 for manual ones. Those that
// are not told are as long as the rollout stood still before it went on by itself.
func (in traceInput) pauses(t *testing.T, rows []traceRow) []int32 {
	t.Helper()
	var told []int32
	if in.Pauses != nil {
		require.NoError(t, json.Unmarshal(in.Pauses, &told))
	}
	if told != nil {
		return told
	}
	list := slices.Repeat([]int32{-1}, len(in.Steps))
	since, step := int32(0), int32(0)
	for _, row := range rows {
		switch ro := row.Rollout; {
		case in.Pauses != nil || ro == nil:
		case ro.State == kruise.StatePaused && ro.Step != step:
			since, step = row.Clock, ro.Step
		case ro.State == kruise.StateReady && ro.Step == step:
			list[step-1] = row.Clock - since
		}
	}
	return list
}

// world returns the cluster of a recording.
func (in traceInput) world(t *testing.T, id string, rows []traceRow) *world {
	t.Helper()
	if in.Steps == nil {
		in.Steps = []rollout.IntOrPercent{rollout.Percent(20), rollout.Percent(50), rollout.Percent(100)}
	}
	var steps []kruise.Step
	pauses := in.pauses(t, rows)
	for i, v := range in.Steps {
		s := step(v, pauses[i])
		if in.Traffic && i < 2 {
			s.Traffic = v
		}
		steps = append(steps, s)
	}
	c := newWorld(t, in.Replicas, steps...)
	if !in.MaxSurge.IsZero() {
		c.w.RollingUpdate = &partition.RollingUpdate{MaxSurge: in.MaxSurge, MaxUnavailable: in.MaxUnavailable}
	}
	if in.Traffic {
		c.led(3)
	}
	if id == "continuous-release-to-older-revision" {
		c.sizes["v0"] = 0 // it was there before v1
	}
	c.partitioned = &partitioner{t: t}
	return c
}

// Whole rollouts, driven by the same actions at the same steps, with the planner of package
// deploy as the controller of the Deployment. The steps and states that are passed, the
// sizes behind each of its passes, and the traffic at the end are those that were recorded.
func TestVectorsRolloutTraces(t *testing.T) {
	cases := recorded.All(t, "kruise-rollouts/rollout_traces")
	for _, r := range cases {
		t.Run(r.ID, func(t *testing.T) {
			var in traceInput
			r.Read(t, &in)
			var rows []traceRow
			require.NoError(t, json.Unmarshal(r.Output, &rows))
			c := in.world(t, r.ID, rows)
			want := drive(t, c, rows)
			require.Equal(t, want.states, c.log)
			require.Equal(t, want.sizes, c.partitioned.seen)
			for template, size := range want.last {
				require.Equal(t, size, c.sizes[template], template)
			}
			if want.traffic != "" {
				require.Equal(t, want.traffic, trafficText(c))
			}
		})
	}
	t.Logf("kruise-rollouts/rollout_traces: %d cases", len(cases))
}

// A trace is what was recorded of a whole rollout.
type trace struct {
	states  []string // as step:state
	sizes   []string // behind each pass of the controller of the Deployment that changed some
	last    map[string]int32
	traffic string
}

// drive does what was done in the recording, and returns what was seen there.
func drive(t *testing.T, c *world, rows []traceRow) (seen trace) {
	t.Helper()
	var step int32
	var state kruise.StepState
	var phase kruise.Phase
	until := func() {
		switch {
		case step > 0 && phase == kruise.PhaseProgressing:
			c.run(func() bool {
				return len(c.log) >= len(seen.states) && len(c.partitioned.seen) >= len(seen.sizes) && c.at(step, state)()
			}, false)
		case phase == kruise.PhaseInitial:
			c.run(c.phase(phase), false)
		default:
			c.run(func() bool { return c.r.Status.Sub != nil }, false)
		}
	}
	for _, row := range rows {
		if row.Deployment != nil {
			if row.By == "deployment" && !maps.Equal(withoutZero(seen.last), withoutZero(row.Deployment.ReplicaSets)) {
				seen.sizes = append(seen.sizes, fmt.Sprint(withoutZero(row.Deployment.ReplicaSets)))
			}
			seen.last = row.Deployment.ReplicaSets
		}
		if w := row.Traffic; w != nil {
			seen.traffic = fmt.Sprint(templateOf(w.StableSelector), templateOf(w.CanarySelector), weightsOf(w.Weights))
		}
		if ro := row.Rollout; ro != nil {
			if state == kruise.StatePaused && ro.State == kruise.StateBeforeUpgrade && ro.Step == step+1 {
				until() // and somebody approves
				c.r.Status.Sub.CurrentStepState = kruise.StateReady
			}
			phase = ro.Phase
			if ro.State != "" && (ro.Step != step || ro.State != state) {
				step, state = ro.Step, ro.State
				seen.states = append(seen.states, fmt.Sprintf("%d:%s", step, state))
			}
		}
		if row.Action != "" {
			until()
			act(t, c, row.Action)
		}
	}
	switch {
	case !c.r.DeletionTimestamp.IsZero():
		c.run(func() bool { return len(c.r.Finalizers) == 0 }, false)
	case phase == kruise.PhaseProgressing: // the recording stops in the middle
		until()
	default:
		c.run(c.phase(phase), false)
	}
	return seen
}

// act does what a person did.
func act(t *testing.T, c *world, action string) {
	t.Helper()
	verb, object, _ := strings.Cut(action, " ")
	switch {
	case verb == "template":
		c.update(object)
		c.run(c.phase(kruise.PhaseProgressing), false)
	case action == "approve":
		c.r.Status.Sub.CurrentStepState = kruise.StateReady
	case action == "disable rollout":
		c.r.Disabled = true
	case action == "delete rollout":
		c.r.DeletionTimestamp = c.clock
	case strings.HasPrefix(action, "nextStepIndex="):
		c.r.Status.Sub.NextStepIndex = wanted(t, action)
	case strings.HasPrefix(action, "replicas="):
		*c.w.Replicas = wanted(t, action)
		c.w.Generation++
	case action == "delete workload":
		c.gone, c.sizes, c.pods = true, map[string]int32{}, map[string][]workload.Pod{}
	case strings.HasPrefix(action, "create workload "):
		name := strings.TrimPrefix(action, "create workload ")
		fresh := newWorld(t, *c.w.Replicas)
		c.w, c.gone = fresh.w, false
		c.w.UID, c.w.Template, c.sizes = "another", template(name), map[string]int32{name: *c.w.Replicas}
		c.partitioned.sets = nil
	default:
		t.Fatalf("unknown action %q", action)
	}
}

// wanted returns the number behind the equals sign.
func wanted(t *testing.T, action string) int32 {
	t.Helper()
	_, text, _ := strings.Cut(action, "=")
	n, err := strconv.ParseInt(text, 10, 32)
	require.NoError(t, err, action)
	return int32(n)
}

func withoutZero(sizes map[string]int32) map[string]int32 {
	out := maps.Clone(sizes)
	maps.DeleteFunc(out, func(_ string, n int32) bool { return n == 0 })
	return out
}

// templateOf returns the template of a recorded hash.
func templateOf(hash string) string {
	switch hash {
	case "h1":
		return "v1"
	case "f95c69cc5":
		return "v2"
	case "89c4ddbb6":
		return "v3"
	}
	return hash
}

func weightsOf(weights map[string]*int32) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if w := weights[name]; w != nil {
			text += fmt.Sprintf(" %s=%d", strings.Replace(name, "svc", "web", 1), *w)
		}
	}
	return text
}

// trafficText words the traffic of a world as it was recorded.
func trafficText(c *world) string {
	canary := ""
	if s := c.traffic.Canary; s != nil {
		canary = s.Selector[workload.LabelPodTemplateHash]
	}
	weights := map[string]*int32{}
	for _, b := range c.traffic.Route.Rules[0].BackendRefs {
		weights[strings.Replace(b.Name, "web", "svc", 1)] = b.Weight
	}
	return fmt.Sprint(c.traffic.Stable.Selector[workload.LabelPodTemplateHash], canary, weightsOf(weights))
}

// A partitioner is the planner of package deploy in a [world].
type partitioner struct {
	t    require.TestingT
	sets []namedSet
	seen []string // the sizes behind each pass that changed some
}

// A namedSet is a ReplicaSet, known by its template.
type namedSet struct {
	template    string
	annotations map[string]string
	size        int32
}

// pass is one pass of the controller of the Deployment.
func (p *partitioner) pass(c *world) {
	p.keepUp(c)
	d := deploy.Deployment{
		Name: c.w.Name, UID: c.w.UID, Generation: c.w.Generation, Annotations: c.w.Annotations, Replicas: c.w.Replicas, Template: c.w.Template,
		Strategy: deploy.Strategy(c.w.StrategyType), Paused: c.w.Paused, Status: deploy.Status{Replicas: c.total()},
	}
	if d.Partitioned = deploy.PartitionedBy(d); d.Partitioned == nil {
		return
	}
	var o deploy.Options
	if c.opts.Repair != 0 {
		o.Repair = quirk.All
	}
	s := deploy.Snapshot{Deployment: d, ReplicaSets: p.replicaSets(c)}
	plan, err := deploy.Reconcile(s, c.clock, o)
	require.NoError(p.t, err)
	before := fmt.Sprint(withoutZero(c.sizes))
	s, err = plan.Actions.Apply(s, c.clock)
	require.NoError(p.t, err)
	c.w.Annotations, p.sets = s.Deployment.Annotations, p.sets[:0]
	for _, rs := range s.ReplicaSets {
		p.sets = append(p.sets, namedSet{template: rs.Template.ID, annotations: rs.Annotations, size: *rs.Replicas})
		c.sizes[rs.Template.ID] = *rs.Replicas
	}
	if after := fmt.Sprint(withoutZero(c.sizes)); after != before {
		p.seen = append(p.seen, after)
	}
}

// keepUp notices what others did to the sizes.
func (p *partitioner) keepUp(c *world) {
	for _, name := range templates() {
		size, has := c.sizes[name]
		i := slices.IndexFunc(p.sets, func(s namedSet) bool { return s.template == name })
		switch {
		case has && i < 0:
			numbered := map[string]string{revision.AnnotationRevision: strconv.Itoa(slices.Index(templates(), name) + 1)}
			p.sets = append(p.sets, namedSet{template: name, annotations: numbered, size: size})
		case has:
			p.sets[i].size = size
		}
	}
}

// replicaSets returns what the planner looks at: every pod is available.
func (p *partitioner) replicaSets(c *world) []replicaset.ReplicaSet {
	var list []replicaset.ReplicaSet
	for _, s := range p.sets {
		size := s.size
		list = append(list, replicaset.ReplicaSet{
			Name: s.template, UID: s.template, ControllerUID: c.w.UID, Annotations: maps.Clone(s.annotations), Replicas: &size, Template: template(s.template),
			CreationTimestamp: now.Add(time.Duration(slices.Index(templates(), s.template)) * time.Second),
			Status:            replicaset.Status{Replicas: size, ReadyReplicas: size, AvailableReplicas: size},
		})
	}
	return list
}
