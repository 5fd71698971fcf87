// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A world is an ideal cluster with one Deployment that is updated by partition: every
// pod becomes available between passes. It executes what the planners of this package
// say, and grows and shrinks two ReplicaSets by the formulas of this package.
type world struct {
	t          require.TestingT
	clock      time.Time
	opts       kruise.Options
	keepPaused bool
	r          kruise.Rollout
	br         *batchrelease.Release
	w          workload.Workload
	traffic    traffic.Objects
	grace      kruise.Grace
	sizes      map[string]int32 // by template
	pods       map[string][]workload.Pod
	log        []string // what happened, in one word each
	holds      []kplan.Hold
	check      func() // after each action
	gone       bool   // the Deployment does not exist
	// partitioned plans the sizes in place of the formulas, if it is set.
	partitioned *partitioner
}

// templates are those that a world knows, the oldest first.
func templates() []string { return []string{"v0", "v1", "v2", "v3", "v4"} }

const stableLabel = workload.LabelStableRevision

func newWorld(t require.TestingT, replicas int32, steps ...kruise.Step) *world {
	c := &world{t: t, clock: now, sizes: map[string]int32{"v1": replicas}, pods: map[string][]workload.Pod{}}
	c.r = kruise.Rollout{Name: "web", UID: "r", Generation: 1, WorkloadRef: deployment, Canary: &kruise.Strategy{Steps: steps}}
	c.w = workload.Workload{
		Ref: deployment, UID: "d", Generation: 1, Replicas: &replicas, Template: template("v1"), StrategyType: "RollingUpdate",
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)},
		Labels:        map[string]string{}, Annotations: map[string]string{},
	}
	return c
}

func template(name string) revision.Template { return revision.Template{ID: name, Hash: name} }

func (c *world) owned() []workload.Set {
	var sets []workload.Set
	for i, name := range templates() {
		if n, ok := c.sizes[name]; ok {
			sets = append(sets, workload.Set{
				Name: name, Template: template(name), Replicas: n, Revision: fmt.Sprint(i + 1), CreationTimestamp: now.Add(time.Duration(i) * time.Second),
			})
		}
	}
	return sets
}

// update is what a person and the admission do.
func (c *world) update(name string) kruise.Admission {
	c.observe()
	updated := c.w
	updated.Template = template(name)
	a, err := planAdmission(kruise.AdmitSnapshot{Old: c.w, New: updated, Rollouts: []kruise.Rollout{c.r}, Sets: c.owned()}, c.opts)
	require.NoError(c.t, err)
	c.w = a.Object
	c.w.Generation++
	return a
}

func (c *world) newPods() int32 { return c.sizes[c.w.Template.ID] }

func (c *world) total() (n int32) {
	for _, size := range c.sizes {
		n += size
	}
	return n
}

func (c *world) observe() {
	c.w.StableRevision, c.w.UpdateRevision = c.w.Labels[stableLabel], c.w.Template.Hash
	c.w.Status = workload.Status{
		ObservedGeneration: c.w.Generation, Replicas: c.total(), ReadyReplicas: c.total(), AvailableReplicas: c.total(),
		UpdatedReplicas: c.newPods(), UpdatedReadyReplicas: c.newPods(),
	}
	for name, size := range c.sizes {
		for n := len(c.pods[name]); int32(n) < size; n++ {
			c.pods[name] = append(c.pods[name], workload.Pod{
				Name: fmt.Sprintf("%s-%d", name, n), Ready: true, Labels: map[string]string{workload.LabelPodTemplateHash: name},
			})
		}
		c.pods[name] = c.pods[name][:size]
	}
}

// pass lets everybody act once, and reports whether anything changed.
func (c *world) pass() bool {
	before := fmt.Sprint(c.state())
	c.rolloutPass()
	c.batchPass()
	c.deploymentPass()
	return before != fmt.Sprint(c.state())
}

func (c *world) state() []any {
	sub := ""
	if c.r.Status.Sub != nil {
		sub = fmt.Sprintf("%+v", *c.r.Status.Sub)
	}
	br := ""
	if c.br != nil {
		br = fmt.Sprintf("%+v %v", *c.br, c.br.ReleasePlan.Text())
	}
	return []any{c.r.Status.Phase, c.r.Status.Conditions, c.r.Annotations, c.r.Finalizers, sub, br, c.w, c.sizes, c.pods, c.traffic.Stable, c.traffic.Canary, c.traffic.Route}
}

func (c *world) facts() *workload.State {
	c.observe()
	if c.gone {
		return nil
	}
	f := workload.Inspect(workload.InspectSnapshot{Workload: c.w, Style: c.r.Style(), Sets: c.owned()})
	return &f
}

func (c *world) snapshot() kruise.Snapshot {
	return kruise.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: c.facts(), Traffic: c.traffic, Grace: c.grace}
}

func (c *world) rolloutPass() kruise.Plan {
	p, err := planRollout(c.snapshot(), c.clock, c.opts)
	require.NoError(c.t, err)
	requireLater(c.t, p.RecheckAt, c.clock)
	for _, a := range p.Actions {
		c.execute(a)
	}
	if p.Failure == "" {
		if s := p.Status.Sub; s != nil && (c.r.Status.Sub == nil || c.r.Status.Sub.CurrentStepState != s.CurrentStepState || c.r.Status.Sub.CurrentStepIndex != s.CurrentStepIndex) {
			c.log = append(c.log, fmt.Sprintf("%d:%s", s.CurrentStepIndex, s.CurrentStepState))
		}
		c.r.Status = p.Status
	}
	c.grace, c.holds = p.Grace, p.Holds
	return p
}

func (c *world) batchPass() {
	if c.br == nil {
		return
	}
	c.observe()
	var pods []workload.Pod
	for _, name := range templates() {
		pods = append(pods, c.pods[name]...)
	}
	s := batchrelease.Snapshot{Release: *c.br, Workload: &c.w, Pods: pods}
	if c.gone {
		s.Workload = nil
	}
	p, err := planBatch(s, c.clock, batchrelease.Options{Repair: c.opts.Repair, KeepPaused: c.keepPaused})
	require.NoError(c.t, err)
	c.br.Status = p.Status
	for _, a := range p.Actions {
		c.execute(a)
	}
}

// deploymentPass is one pass of whoever controls the Deployment.
func (c *world) deploymentPass() {
	c.observe()
	old := c.total() - c.newPods()
	if c.gone {
		return
	}
	if !c.w.Paused { // the native controller finishes at once
		for name := range c.sizes {
			c.sizes[name] = 0
		}
		c.sizes[c.w.Template.ID] = *c.w.Replicas
		return
	}
	if c.partitioned != nil {
		c.partitioned.pass(c)
		return
	}
	s, err := partition.ParseStrategy(c.w.Annotations[partition.AnnotationStrategy])
	if err != nil || c.w.Annotations[partition.AnnotationControlInfo] == "" || s.Paused {
		return
	}
	b := partition.Budget(*c.w.Replicas, s.RollingUpdate, c.opts.Repair.Has(quirk.LimitsWrapAround))
	if _, ok := c.sizes[c.w.Template.ID]; !ok {
		c.sizes[c.w.Template.ID] = partition.CreationSize(s.Partition, b, int64(c.total()), c.opts.Repair.Has(quirk.NewPodAtPartitionZero))
		return
	}
	if grown := partition.NewSize(s.Partition, b, int64(c.total()), c.newPods()); grown != c.newPods() {
		c.sizes[c.w.Template.ID] = grown
		return
	}
	room := min(c.total()-b.MinAvailable(), int32(partition.OldLimit(s.Partition, b.Replicas, int64(old), c.newPods())))
	for _, name := range []string{"v3", "v2", "v1"} {
		if name != c.w.Template.ID && room > 0 && c.sizes[name] > 0 {
			n := min(room, c.sizes[name])
			c.sizes[name] -= n
			room -= n
		}
	}
}

// execute carries out an action of the Rollout or of the BatchRelease.
func (c *world) execute(a fmt.Stringer) {
	switch a := a.(type) {
	case kruise.Action:
		c.carryOut(a)
	case batchrelease.Action:
		c.carryOutBatch(a)
	}
	if c.check != nil {
		c.check()
	}
}

// carryOut: what is known of the workload is looked up anew, so that its patch is carried out
// on the workload itself.
func (c *world) carryOut(a kruise.Action) {
	s := kruise.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: &workload.State{Ref: c.w.Ref, UID: c.w.UID}, Traffic: c.traffic}
	after, err := kruise.Apply(s, a, c.clock)
	require.NoError(c.t, err, "%v", a)
	c.r, c.br, c.traffic = after.Rollout, after.BatchRelease, after.Traffic
	if patch, ok := a.(kruise.PatchWorkload); ok {
		c.w = c.w.Patched(patch.Patch)
	}
}

func (c *world) carryOutBatch(a batchrelease.Action) {
	s := batchrelease.Snapshot{Release: *c.br, Workload: &c.w}
	label, labels := a.(batchrelease.LabelPod)
	for name, pods := range c.pods {
		if i := slices.IndexFunc(pods, func(p workload.Pod) bool { return p.Name == label.Name }); labels && i >= 0 {
			s.Pods = pods
			defer func() { c.pods[name] = s.Pods }()
		}
	}
	s, err := batchrelease.Apply(s, a, c.clock)
	require.NoError(c.t, err, "%v", a)
	c.br, c.w = &s.Release, *s.Workload
	if len(c.br.Finalizers) == 0 && !c.br.DeletionTimestamp.IsZero() {
		c.br = nil
	}
}

// run goes on until nothing changes any more, and moves the clock in between. It
// approves manual pauses if asked to.
func (c *world) run(until func() bool, approve bool) {
	quiet := 0
	for i := range 4000 {
		if until() {
			return
		}
		if c.pass() && i%10 > 0 { // a batch that is not ready is upgraded again and again
			quiet = 0
			continue
		}
		if s := c.r.Status.Sub; approve && s != nil && s.CurrentStepState == kruise.StatePaused && len(c.holds) > 0 && c.holds[0].Reason == reason.Approval {
			s.CurrentStepState = kruise.StateReady
		}
		c.clock = c.clock.Add(time.Second)
		if quiet++; quiet > 1000 {
			return
		}
	}
}

func (c *world) phase(p kruise.Phase) func() bool {
	return func() bool { return c.r.Status.Phase == p }
}

func (c *world) at(index int32, state kruise.StepState) func() bool {
	return func() bool {
		s := c.r.Status.Sub
		return c.r.Status.Phase == kruise.PhaseProgressing && s != nil && s.CurrentStepIndex == index && s.CurrentStepState == state
	}
}

// begin makes the Rollout healthy and releases v2.
func (c *world) begin() {
	c.run(func() bool { return c.r.Status.Sub != nil }, false)
	require.Equal(c.t, reason.ReleaseBegins, c.update("v2").Reason)
	c.run(c.phase(kruise.PhaseProgressing), false)
}

// led adds a Service and an HTTPRoute.
func (c *world) led(grace int32) {
	route := "route"
	c.r.Canary.TrafficRoutings = []traffic.Routing{{Service: "web", GracePeriodSeconds: grace, Gateway: &traffic.GatewayRef{HTTPRouteName: &route}}}
	c.traffic = traffic.Objects{
		Stable: &traffic.Service{Name: "web", Selector: map[string]string{"app": "web"}},
		Route:  &traffic.Route{Name: route, Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}},
	}
}

func (c *world) weights() string {
	text := ""
	for _, b := range c.traffic.Route.Rules[0].BackendRefs {
		weight := int32(1)
		if b.Weight != nil {
			weight = *b.Weight
		}
		text += fmt.Sprintf("%s=%d ", b.Name, weight)
	}
	return text
}

// Echoserver in three steps. The last pause is ignored.
func TestArticle(t *testing.T) {
	c := newWorld(t, 6, step(rollout.Percent(20), 60), step(rollout.Percent(50), 120), step(rollout.Percent(100), 300))
	c.begin()
	require.True(t, c.w.Paused)
	require.Equal(t, "v1", c.w.Labels[stableLabel])
	c.run(c.at(1, kruise.StatePaused), false)
	require.Equal(t, map[string]int32{"v1": 4, "v2": 2}, c.sizes)
	since := c.clock
	c.run(c.at(2, kruise.StatePaused), false)
	require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, c.sizes)
	require.GreaterOrEqual(t, c.clock.Sub(since), 60*time.Second, "the pause counts from where it began")
	require.Less(t, c.clock.Sub(since), 70*time.Second)
	since = c.clock
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Equal(t, map[string]int32{"v1": 0, "v2": 6}, c.sizes)
	require.Less(t, c.clock.Sub(since), 140*time.Second, "300 s are not waited for")
	require.Nil(t, c.br)
	require.False(t, c.w.Paused)
	require.Equal(t, "RollingUpdate", c.w.StrategyType)
	require.Empty(t, c.w.Annotations, "closing leaves no annotation of ours")
	require.Equal(t, map[string]string{workload.LabelWorkloadType: "deployment"}, c.w.Labels)
	require.Equal(t, kplan.ConditionTrue, conditionOf(c.r.Status, workload.ConditionSucceeded).Status)
	require.False(t, c.pass(), "nothing changes any more")
}

func conditionOf(s kruise.Status, kind string) kplan.Condition {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return kplan.Condition{}
}

// With an HTTPRoute.
func TestArticleWithTraffic(t *testing.T) {
	first, second := step(rollout.Percent(20), 60), step(rollout.Percent(50), 60)
	first.Traffic, second.Traffic = rollout.Percent(20), rollout.Percent(50)
	c := newWorld(t, 6, first, second, step(rollout.Percent(100), 0))
	c.led(3)
	c.check = func() { // traffic never reaches a Service without pods
		if s := c.traffic.Stable.Selector[workload.LabelPodTemplateHash]; s != "" {
			require.Positive(t, c.sizes[s])
		}
		if s := c.traffic.Canary; s != nil {
			require.Positive(t, c.sizes[s.Selector[workload.LabelPodTemplateHash]])
		}
	}
	c.begin()
	c.run(c.at(1, kruise.StateUpgrade), false)
	require.Equal(t, "v1", c.traffic.Stable.Selector[workload.LabelPodTemplateHash], "pinned before the upgrade")
	c.run(c.at(1, kruise.StatePaused), false)
	require.Equal(t, "web=80 web-canary=20 ", c.weights())
	c.run(c.at(2, kruise.StatePaused), false)
	require.Equal(t, "web=50 web-canary=50 ", c.weights())
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Equal(t, "web=1 ", c.weights())
	require.Equal(t, map[string]string{"app": "web"}, withoutEmpty(c.traffic.Stable.Selector))
	require.Nil(t, c.traffic.Canary)
}

func withoutEmpty(m map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range m {
		if value != "" {
			out[key] = value
		}
	}
	return out
}

// Rollback during the pause of step 1.
func TestRollback(t *testing.T) {
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	c := newWorld(t, 6, first, step(rollout.Percent(100), 0))
	c.led(3)
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	require.Equal(t, reason.ReleaseContinues, c.update("v1").Reason)
	require.Equal(t, map[string]int32{"v1": 4, "v2": 2}, c.sizes, "frozen")
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Equal(t, map[string]int32{"v1": 6, "v2": 0}, c.sizes)
	require.Equal(t, "web=1 ", c.weights())
	require.Nil(t, c.traffic.Canary)
	require.Equal(t, kplan.ConditionFalse, conditionOf(c.r.Status, workload.ConditionSucceeded).Status)
	require.Equal(t, int32(1), c.r.Status.Sub.CurrentStepIndex)
}

// Continuous release in the pause of step 2.
func TestContinuousRelease(t *testing.T) {
	first, second := step(rollout.Percent(20), 0), step(rollout.Percent(50), -1)
	first.Traffic, second.Traffic = rollout.Percent(20), rollout.Percent(50)
	c := newWorld(t, 6, first, second, step(rollout.Percent(100), 0))
	c.led(3)
	c.begin()
	c.run(c.at(2, kruise.StatePaused), false)
	c.update("v3")
	c.run(c.at(1, kruise.StatePaused), false)
	require.Equal(t, map[string]int32{"v1": 3, "v2": 1, "v3": 2}, c.sizes, "the middle revision gives way")
	require.Equal(t, "web=80 web-canary=20 ", c.weights())
	require.Equal(t, "v3", c.traffic.Canary.Selector[workload.LabelPodTemplateHash])
	c.run(c.phase(kruise.PhaseHealthy), true)
	require.Equal(t, map[string]int32{"v1": 0, "v2": 0, "v3": 6}, c.sizes)
}

// Jumps. A jump forward skips, one back takes no pod back.
func TestJumps(t *testing.T) {
	c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1))
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.r.Status.Sub.NextStepIndex = 3
	c.run(c.at(3, kruise.StatePaused), false)
	require.NotContains(t, c.log, "2:StepUpgrade")
	require.Equal(t, int32(6), c.sizes["v2"])

	c = newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1))
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.r.Status.Sub.CurrentStepState = kruise.StateReady
	c.run(c.at(2, kruise.StatePaused), false)
	c.r.Status.Sub.NextStepIndex = 1
	c.run(c.at(1, kruise.StatePaused), false)
	require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, c.sizes)
	require.Contains(t, c.w.Annotations[partition.AnnotationStrategy], `"partition":"50%"`, "no partition is ever lowered")
}

// DeletionFinishesRelease: deleting and disabling finish the release.
func TestDeleteAndDisable(t *testing.T) {
	begun := func() *world {
		c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1))
		c.begin()
		c.run(c.at(1, kruise.StatePaused), false)
		return c
	}
	c := begun()
	c.r.DeletionTimestamp = c.clock
	c.run(func() bool { return len(c.r.Finalizers) == 0 }, false)
	require.Equal(t, map[string]int32{"v1": 0, "v2": 6}, c.sizes)
	require.Equal(t, kplan.ConditionFalse, conditionOf(c.r.Status, workload.ConditionTerminating).Status)
	c = begun()
	c.r.Disabled = true
	c.run(c.phase(kruise.PhaseDisabled), false)
	require.Equal(t, map[string]int32{"v1": 0, "v2": 6}, c.sizes)
	c.r.Disabled = false
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Equal(t, kruise.PhaseHealthy, c.r.Status.Phase)
	c = begun()
	c.keepPaused = true
	c.r.Disabled = true
	c.run(c.phase(kruise.PhaseDisabled), false)
	require.Equal(t, map[string]int32{"v1": 4, "v2": 2}, c.sizes, "unless the workload is kept paused")
}

// The steps change in the middle.
func TestPlanChange(t *testing.T) {
	c := newWorld(t, 10, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1))
	c.begin()
	c.run(c.at(1, kruise.StatePaused), false)
	c.r.Status.Sub.CurrentStepState = kruise.StateReady
	c.run(c.at(2, kruise.StatePaused), false)
	c.r.Canary.Steps = []kruise.Step{step(rollout.Percent(20), -1), step(rollout.Percent(40), -1), step(rollout.Percent(100), -1)}
	c.run(c.at(3, kruise.StatePaused), false)
	require.Equal(t, int32(10), c.sizes["v2"], "5 of 10 are not covered by 40%, and step 3 was next")
}

// Paused by spec, then resumed.
func TestPausedBySpec(t *testing.T) {
	c := newWorld(t, 6, step(rollout.Percent(50), 0), step(rollout.Percent(100), 0))
	c.begin()
	c.run(c.at(1, kruise.StateUpgrade), false)
	c.r.Paused = true
	c.run(func() bool { return false }, true)
	require.Equal(t, kruise.ProgressPaused, conditionOf(c.r.Status, workload.ConditionProgressing).Reason)
	require.Equal(t, reason.Paused, c.holds[0].Reason)
	c.r.Paused = false
	c.run(c.phase(kruise.PhaseHealthy), true)
	require.Equal(t, map[string]int32{"v1": 0, "v2": 6}, c.sizes)
}
