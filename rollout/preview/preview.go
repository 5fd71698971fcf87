// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// An Input is the input of [Of].
type Input struct {
	Rollout  kruise.Rollout `json:"rollout"`
	Replicas int32          `json:"replicas"`
	// Limits are the limits of the rolling update of the workload; nil means 25% each.
	Limits *partition.RollingUpdate `json:"limits,omitempty"`
	// Generations are the numbers of pods of the templates before the new one, the stable
	// one first: several if a new template comes in the middle of a rollout. Nil means that
	// all Replicas are stable. Only for Deployments that are updated by partition do they
	// matter one by one.
	Generations []int32 `json:"generations,omitempty"`
}

// Sizes are the wanted pods of the new template, of the stable one, and of the templates
// between them.
type Sizes struct {
	New    int32 `json:"new"`
	Old    int32 `json:"old"` // stable
	Middle int32 `json:"middle,omitzero"`
}

// Total returns all pods.
func (s Sizes) Total() int32 { return clamp(int64(s.New) + int64(s.Old) + int64(s.Middle)) }

func clamp(n int64) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

// String returns the sizes as "2/4", new first, or "2/1/3" with the templates between.
func (s Sizes) String() string {
	if s.Middle != 0 {
		return fmt.Sprintf("%d/%d/%d", s.New, s.Middle, s.Old)
	}
	return fmt.Sprintf("%d/%d", s.New, s.Old)
}

// A Step is the preview of one step of a Rollout.
type Step struct {
	Index    int32                `json:"index"` // from 1
	Replicas rollout.IntOrPercent `json:"replicas"`
	// Passes are the sizes after each pass of the step that changes some, if every pod
	// becomes available between passes; nil if no pass changes any.
	Passes []Sizes `json:"passes,omitempty"`
	End    Sizes   `json:"end"` // the sizes after the step
	// Labelled is how many pods get the label of this batch.
	Labelled     int32                `json:"labelled"`
	PeakTotal    int32                `json:"peakTotal"`    // the most pods wanted at once
	MinAvailable int32                `json:"minAvailable"` // the fewest pods available, if none fails
	Traffic      rollout.IntOrPercent `json:"traffic,omitzero"`
	Pause        kruise.PauseKind     `json:"pause"`
	Duration     time.Duration        `json:"duration,omitzero"` // of a timed pause
	// Stuck is the reason why the step never ends; "" if it ends.
	Stuck kplan.Reason `json:"stuck,omitzero"`
}

// String returns one line such as "step 1 (20%): 2/6 2/4, traffic 20%, pause 1m0s".
func (p Step) String() string {
	text := fmt.Sprintf("step %d (%v):", p.Index, p.Replicas)
	for _, s := range p.Passes {
		text += " " + s.String()
	}
	if len(p.Passes) == 0 {
		text += " " + p.End.String()
	}
	if !p.Traffic.IsZero() {
		text += ", traffic " + p.Traffic.String()
	}
	switch p.Pause {
	case kruise.PauseManual:
		text += ", waits for approval"
	case kruise.PauseTimed:
		text += ", pause " + p.Duration.String()
	}
	if p.Stuck != "" {
		text += ", never ends: " + string(p.Stuck)
	}
	return text
}

// A Plan is the preview of a Rollout, step by step.
type Plan struct {
	// Begin are the sizes before the first step: an old pod is lost already if the surge is
	// 0 ([quirk.NewPodAtPartitionZero]).
	Begin    Sizes     `json:"begin"`
	Steps    []Step    `json:"steps,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// String returns one line for each step and warning. It ends without a newline.
func (p Plan) String() string {
	lines := []string{"begin: " + p.Begin.String()}
	for _, s := range p.Steps {
		lines = append(lines, s.String())
	}
	for _, w := range p.Warnings {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}

// Of returns the preview of all steps of a Rollout in a cluster where every pod becomes
// available. The sizes are computed by the functions of the planner: the batch of each step
// by [batchrelease.NewContext], the sizes of a Deployment that is updated by partition by
// [partition.NewSize] and [partition.OldLimit].
func Of(in Input, opts kruise.Options) (Plan, error) {
	var es kplan.FieldErrors
	quirkset.Check(&es, uint64(opts.Repair), uint64(quirk.All))
	es.NotNegative("Replicas", in.Replicas)
	for i, n := range in.Generations {
		es.NotNegative(fmt.Sprintf("Generations[%d]", i), n)
	}
	strategy := in.Rollout.Strategy()
	if strategy == nil {
		es.Add("Rollout.Canary", nil, "must be set, or BlueGreen must")
	}
	driver, err := workload.DriverOf(in.Rollout.WorkloadRef, in.Rollout.Style())
	if err != nil {
		es.Add("Rollout.WorkloadRef", in.Rollout.WorkloadRef.GroupKind(), workload.KnownKinds)
	}
	if err := es.Join(); err != nil {
		return Plan{}, err
	}
	limits := in.Limits
	if limits == nil {
		limits = &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}
	}
	v := &simulation{in: &in, opts: opts, driver: driver, budget: partition.Budget(in.Replicas, limits, opts.Repair.Has(quirk.LimitsWrapAround))}
	if v.old = slices.Clone(in.Generations); len(v.old) == 0 {
		v.old = []int32{in.Replicas}
	}
	if !v.driver.SizesReplicaSets() {
		v.old = []int32{v.sizes().Old + v.sizes().Middle}
	}
	p := Plan{Warnings: Warnings(in.Rollout, in.Replicas, opts.Repair)}
	if v.driver.SizesReplicaSets() {
		v.begin()
		if v.budget.Surge == 0 && !opts.Repair.Has(quirk.NewPodAtPartitionZero) {
			text := "without a surge a pod is replaced before the first step"
			p.Warnings = slices.Insert(p.Warnings, 0, Warning{Step: 1, Quirk: quirk.NewPodAtPartitionZero, Text: text})
		}
	}
	p.Begin = v.sizes()
	for i := range strategy.Steps {
		p.Steps = append(p.Steps, v.step(int32(i)+1))
	}
	return p, nil
}

// A simulation is the state of the simulated cluster.
type simulation struct {
	in        *Input
	opts      kruise.Options
	driver    workload.Driver
	budget    rollout.Budget
	newPods   int32                // pods of the new template
	old       []int32              // pods of the others, the stable one first
	partition rollout.IntOrPercent // as written to the workload
}

func (v *simulation) sizes() Sizes {
	s := Sizes{New: v.newPods, Old: v.old[0]}
	for _, n := range v.old[1:] {
		s.Middle = clamp(int64(s.Middle) + int64(n))
	}
	return s
}

// begin creates the ReplicaSet of the new template at partition 0.
func (v *simulation) begin() {
	v.partition = rollout.Int(0)
	v.newPods = partition.CreationSize(v.partition, v.budget, v.others(), v.opts.Repair.Has(quirk.NewPodAtPartitionZero))
	v.passes()
}

// passes makes passes until the sizes do not change, and returns the sizes after each.
func (v *simulation) passes() []Sizes {
	var seen []Sizes
	for range 4 * (int64(v.budget.Replicas) + 4) { // also where an int has 32 bits
		before := v.sizes()
		if v.pass(); v.sizes() == before {
			break
		}
		seen = append(seen, v.sizes())
	}
	return seen
}

// step simulates one step.
func (v *simulation) step(i int32) Step {
	strategy := v.in.Rollout.Strategy()
	s := &strategy.Steps[i-1]
	p := Step{Index: i, Replicas: s.Replicas, Traffic: s.Traffic}
	before := v.sizes()
	c := v.context(i)
	if v.driver.SizesReplicaSets() {
		p.Passes = v.release(c)
	} else {
		v.target(c)
		if v.sizes() != before {
			p.Passes = []Sizes{v.sizes()}
		}
	}
	p.End = v.sizes()
	p.PeakTotal, p.MinAvailable = v.extremes(before, p.Passes)
	batches := kruise.ReleaseOf(v.in.Rollout, workload.State{}, i, 0).ReleasePlan.Batches
	p.Labelled = max(0, batchrelease.Increments(batches, int32(len(batches)), v.in.Replicas)[i-1])
	if v.newPods < c.Desired {
		p.Stuck = reason.TooFewUpdated
	}
	p.Pause, _ = kruise.PauseOf(v.in.Rollout, i, time.Time{}, v.opts.Repair)
	if p.Pause == kruise.PauseTimed {
		p.Duration = time.Duration(*s.Pause.Duration) * time.Second
	}
	return p
}

// context returns the batch of a step as the batch pass computes it.
func (v *simulation) context(i int32) batchrelease.Context {
	br := kruise.ReleaseOf(v.in.Rollout, workload.State{}, i, 0)
	br.Status.Current.CurrentBatch = i - 1
	w := workload.Workload{Ref: v.in.Rollout.WorkloadRef, Replicas: &v.in.Replicas, StrategyType: "Recreate", Paused: true}
	w.Annotations = map[string]string{
		partition.AnnotationControlInfo: "{}", partition.AnnotationStrategy: partition.Strategy{RollingStyle: partition.Style, Partition: v.partition}.Text(),
	}
	return batchrelease.NewContext(br, w, nil, v.opts.Repair)
}

// release writes the partition, if the batch pass would, and returns the sizes of its
// passes.
func (v *simulation) release(c batchrelease.Context) []Sizes {
	w := workload.Workload{Ref: v.in.Rollout.WorkloadRef, Replicas: &v.in.Replicas, StrategyType: "Recreate", Paused: true}
	w.Annotations = map[string]string{
		partition.AnnotationControlInfo: "{}", partition.AnnotationStrategy: partition.Strategy{RollingStyle: partition.Style, Partition: v.partition}.Text(),
	}
	if _, write, _ := c.UpgradePatch(w, nil, v.opts.Repair); write {
		v.partition = c.DesiredPartition
	}
	return v.passes()
}

// target sets the sizes after a batch of a workload that is not a Deployment, or not
// updated by partition.
func (v *simulation) target(c batchrelease.Context) {
	if v.driver.Beside() {
		v.newPods, v.old[0] = max(v.newPods, c.Desired), v.in.Replicas // new pods run next to the old ones
		return
	}
	old := c.DesiredPartition.OfUp(v.in.Replicas)
	v.newPods, v.old[0] = max(v.newPods, v.in.Replicas-old), min(v.old[0], old)
}

// extremes returns the most pods wanted and the fewest available in a step. New pods of a
// pass count as available in the next one.
func (v *simulation) extremes(before Sizes, passes []Sizes) (peak, least int32) {
	all := append([]Sizes{before}, passes...)
	least = before.Total()
	for i, s := range all {
		peak = max(peak, s.Total())
		if i > 0 {
			b := all[i-1]
			least = min(least, Sizes{New: min(b.New, s.New), Old: min(b.Old, s.Old), Middle: min(b.Middle, s.Middle)}.Total())
		}
	}
	return peak, least
}

// A Warning reports a harmful setting that admission accepts.
type Warning struct {
	Step  int32     `json:"step"`           // from 1
	Quirk quirk.Set `json:"quirk,omitzero"` // the quirk to repair to avoid it, if any
	Text  string    `json:"text"`
}

// String returns one line such as "step 2: MixedPartitionsNeverEnd: ...".
func (w Warning) String() string {
	if w.Quirk == 0 {
		return fmt.Sprintf("step %d: %s", w.Step, w.Text)
	}
	return fmt.Sprintf("step %d: %s: %s", w.Step, w.Quirk, w.Text)
}

// Warnings returns the harmful settings in the steps of a Rollout with this number of
// replicas that admission accepts, except for repaired quirks.
func Warnings(r kruise.Rollout, replicas int32, repair quirk.Set) []Warning {
	strategy := r.Strategy()
	if strategy == nil {
		return nil
	}
	driver, _ := workload.DriverOf(r.WorkloadRef, r.Style()) // an unknown kind gets no warning of its driver
	var list []Warning
	add := func(i int, q quirk.Set, text string) {
		if q == 0 || !repair.Has(q) {
			list = append(list, Warning{Step: int32(i) + 1, Quirk: q, Text: text})
		}
	}
	for i := range strategy.Steps {
		v := strategy.Steps[i].Replicas
		last := i == len(strategy.Steps)-1
		mixed := i > 0 && !strategy.Steps[i-1].Replicas.SameKind(v)
		switch {
		case replicas == 1 && v.IsPercent() && v.Value() > 0 && v != rollout.Percent(100):
			add(i, 0, "every percentage of a single pod is all of it")
		case mixed && driver.SizesReplicaSets():
			add(i, quirk.MixedPartitionsNeverEnd, "a number and a percentage are not compared by pods, so that the step may never end or go backwards")
		case last && r.BlueGreen == nil && v == rollout.Percent(100) && strategy.Steps[i].Pause.Duration != nil:
			add(i, quirk.LastPauseSkipped, "the pause of a last step of 100% is ignored")
		case last && r.BlueGreen == nil && v != rollout.Percent(100) && v.OfUp64(replicas) >= int64(replicas) && strategy.Steps[i].Pause.Duration == nil:
			add(i, quirk.LastPauseSkipped, "all pods are updated, yet the step waits for a person")
		}
		if driver.KeepsShare() && v.IsPercent() && !partition.ExactShare(replicas-partition.BatchSize(v, replicas), replicas) {
			add(i, quirk.CloneSetKeepsExtraPods, "no percentage keeps so few old pods, so that the step never ends")
		}
	}
	return slices.Clip(list)
}
