// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// planArgo returns the next plan for an Argo Rollout.
func (r *repairs) planArgo(a *manifest.ArgoRollout, now time.Time) (view.ArgoPlan, error) {
	snapshot := a.At(now)
	plan, err := argo.Reconcile(snapshot, now, argo.Options{Repair: r.argoRollouts()})
	if err != nil {
		return view.ArgoPlan{}, a.Invalid(err)
	}
	return view.ArgoPlan{Namespace: a.Object.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Policies: r.flags(argo.QuirkTable()), Unapplied: manifest.IsManifest(a.Object.UID)}, nil
}

func (p *repairs) explainArgo(r *manifest.ArgoRollout, now time.Time) (view.ArgoExplanation, error) {
	plan, err := p.planArgo(r, now)
	if err != nil {
		return view.ArgoExplanation{}, err
	}
	e := view.ArgoExplanation{ArgoPlan: plan}
	names := map[string]string{}
	for _, rs := range r.ReplicaSets {
		names[string(rs.UID)] = rs.Name
	}
	e.Idle = idlePods(r.Pods, names, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	return e, nil
}

// tellScale prints the size of a Rollout that its autoscaler wants.
func tellScale(c *cobra.Command, a *manifest.ArgoRollout) {
	for _, text := range a.Scaled.Notes {
		tell(c, []string{a.Placed() + ": " + text})
	}
}

// revisionOf returns the annotated revision of a ReplicaSet, false if it has no valid one.
func revisionOf(rs *appsv1.ReplicaSet) (int64, bool) {
	set, err := kubeargo.ReplicaSet(rs)
	return set.Revision, err == nil && set.Revision > 0
}

// revisionsOf returns the ReplicaSets that have a revision, the oldest first.
func revisionsOf(r *manifest.ArgoRollout) []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, rs := range r.ReplicaSets {
		if _, ok := revisionOf(rs); ok {
			list = append(list, rs)
		}
	}
	slices.SortStableFunc(list, func(a, b *appsv1.ReplicaSet) int {
		x, _ := revisionOf(a)
		y, _ := revisionOf(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// argoHistory returns the revisions of an Argo Rollout, or only the wanted one; 0 is all.
func argoHistory(r *manifest.ArgoRollout, wanted int64) (view.ArgoHistory, error) {
	h := view.ArgoHistory{Namespace: r.Object.Namespace, Name: r.Object.Name, Number: wanted}
	for _, rs := range revisionsOf(r) {
		number, _ := revisionOf(rs)
		if wanted > 0 && number != wanted {
			continue
		}
		template, err := templateText(&rs.Spec.Template)
		if err != nil {
			return h, err
		}
		hash := rs.Labels[argo.HashLabel]
		h.Entries = append(h.Entries, view.ArgoEntry{
			Name: rs.Name, Revision: number, New: hash == r.Snapshot.Rollout.TemplateHash, Stable: hash == r.Snapshot.Rollout.Status.StableRS,
			Images: images(&rs.Spec.Template), Template: template,
		})
	}
	if wanted > 0 && len(h.Entries) == 0 {
		return h, noRevision(wanted)
	}
	return h, nil
}

func noRevision(number int64) error {
	return fmt.Errorf("unable to find specified revision %d in history", number)
}

// ofArgo returns the simulation of an update of an Argo Rollout: the rest of the update in the
// files, or a whole update from an old Rollout.
func (s *simulation) ofArgo(r, old *manifest.ArgoRollout) (*job, error) {
	partial, err := argoRolledOut(old)
	if err != nil {
		return nil, err
	}
	if err = tooMany(r.Snapshot.Rollout.Replicas); err != nil {
		return nil, r.Invalid(err)
	}
	if old != nil && len(r.ReplicaSets) > 0 {
		return nil, r.Invalid(errors.New("the update goes on from where its ReplicaSets stand, not from what --from holds"))
	}
	j := argoJob(cmp.Or(old, r), onlyWith(old, r), s.now.Time)
	var before *manifest.Workload
	if old != nil {
		before = &old.Workload
	}
	var assumed []string
	var short []manifest.Shortage
	var people *attendance
	var wanted argo.Rollout
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		assumed, short = s.environment(&r.Workload, before, b)
		b.Broken(s.neverReady)
		config.Autoscalers, config.Argo = append(config.Autoscalers, scaled(b.Name, r.Scaled.To)...), argo.Options{Repair: s.argoRollouts()}
		config.Analysis = cluster.Analysis{Takes: s.exactly(s.analysis.after), Ends: phases[s.analysis.outcome]}
		s.approved(config)
		people, wanted = attendanceIn(config, b.Name), b.WantedArgo().Rollout
		j.telling = view.ArgoRollouts{Rollout: wanted}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.flags(argo.QuirkTable())
		bites := r.Workload.Bites(world.ArgoBounds(&wanted), b.Running(), short...)
		result.Assumed = slices.Concat(bites, partial, assumed, s.lives(b, result), s.decided(&wanted, people))
	}
	return j, nil
}

// approved sets the time until people approve.
func (s *simulation) approved(c *sim.Config) {
	if !s.neverApprove {
		c.ApproveAfter = cluster.Exactly(time.Duration(s.approveAfter))
	}
}

// exactly returns a fixed time, nil for 0.
func (s *simulation) exactly(d delay) cluster.Spread {
	if d == 0 {
		return nil
	}
	return cluster.Exactly(time.Duration(d))
}

// An attendance records the part of people in the updates of a simulated Rollout.
type attendance struct {
	awaited  bool // the Rollout waited for an approval
	approved bool
}

// attendanceIn returns an attendance that a simulation with the configuration fills for a
// Rollout.
func attendanceIn(c *sim.Config, name string) *attendance {
	a, planned, observe := &attendance{}, c.Planned, c.Observe
	c.Planned = func(p sim.Plan) {
		if plan, is := p.Plan.(argo.Plan); is && p.Name == name && slices.ContainsFunc(plan.Holds, func(h kplan.Hold[argo.Reason]) bool { return h.Reason == argo.ReasonApproval }) {
			a.awaited = true
		}
		if planned != nil {
			planned(p)
		}
	}
	c.Observe = func(e sim.Change) {
		a.approved = a.approved || e.Kind == sim.KindArgoRollout && e.Name == name && e.By == "user" && e.Verb == sim.UpdateStatus
		if observe != nil {
			observe(e)
		}
	}
	return a
}

// assumed returns the assumed time of an approval, followed by the flag that sets it, if any.
func (a *attendance) assumed(after time.Duration, flag string) []string {
	if !a.awaited && !a.approved {
		return nil
	}
	return []string{"a person approves after " + terminal.Clock(after) + flag}
}

// decided returns the assumptions about people and analyses that the length of an update depends
// on.
func (s *simulation) decided(r *argo.Rollout, people *attendance) (assumed []string) {
	if assumed = people.assumed(time.Duration(s.approveAfter), " (--approve-after)"); s.neverApprove && assumed != nil {
		assumed = []string{"nobody approves (--never-approve)"}
	}
	analysed := slices.ContainsFunc(r.Steps, func(step argo.Step) bool {
		return step.Other == argo.StepAnalysis || step.Other == argo.StepExperiment || step.Other == argo.StepPlugin
	})
	if b := r.BlueGreen; analysed || b != nil && (b.PrePromotionAnalysis || b.PostPromotionAnalysis) {
		assumed = append(assumed, fmt.Sprintf("analyses end after %s and are %s (--analysis-after, --analysis)", terminal.Clock(time.Duration(s.analysis.after)), s.analysis.outcome))
	}
	return assumed
}

// An analysis holds the flags for the outcome of Argo Rollouts analyses.
type analysis struct {
	outcome analysisOutcome
	after   delay
}

func (a *analysis) addFlags(f *pflag.FlagSet) {
	a.outcome = "successful"
	f.Var(&a.outcome, "analysis", "how analyses end: also failed, inconclusive")
	f.Var(&a.after, "analysis-after", "time that an analysis takes")
}

// An analysisOutcome is how analyses end.
type analysisOutcome string

var _ pflag.Value = new(analysisOutcome)

var phases = map[analysisOutcome]argo.RunPhase{
	"successful": argo.RunSuccessful, "failed": argo.RunFailed, "inconclusive": argo.RunInconclusive,
}

func (o *analysisOutcome) String() string { return string(*o) }
func (o *analysisOutcome) Type() string   { return "outcome" }

// Set accepts the three outcomes.
func (o *analysisOutcome) Set(s string) error {
	if _, ok := phases[analysisOutcome(s)]; !ok {
		return errors.New("must be successful, failed or inconclusive")
	}
	*o = analysisOutcome(s)
	return nil
}
