// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Argo is a Rollout of Argo.
type Argo struct{ *manifest.ArgoRollout }

// Plan returns the next plan.
func (a Argo) Plan(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := a.plan(p, now)
	return plan, noted(a.Placed(), a.Scaled.Notes), err
}

func (a Argo) plan(p *Policies, now time.Time) (view.ArgoPlan, error) {
	snapshot := a.At(now)
	plan, err := argo.Reconcile(snapshot, now, argo.Options{Repair: p.ArgoRollouts()})
	if err != nil {
		return view.ArgoPlan{}, a.Invalid(err)
	}
	return view.ArgoPlan{Namespace: a.Object.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Policies: p.Flags(quirk.Table()), Unapplied: manifest.IsManifest(a.Object.UID)}, nil
}

// Explain returns the explanation of the next plan.
func (a Argo) Explain(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := a.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.ArgoExplanation{ArgoPlan: plan}
	names := map[string]string{}
	for _, rs := range a.ReplicaSets {
		names[string(rs.UID)] = rs.Name
	}
	e.Idle = idlePods(a.Pods, names, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	return e, noted(a.Placed(), a.Scaled.Notes), nil
}

// Versions returns the pods before and after the change.
func (a Argo) Versions(from *Earlier) (before, after Pods) {
	if old := from.argo[a.Key()]; old != nil {
		before = Pods{&old.Object.Spec.Template, old.Object.Spec.Replicas}
	}
	return before, Pods{&a.Object.Spec.Template, a.Object.Spec.Replicas}
}

// argoJob returns the simulation of an existing Argo Rollout. The wanted Rollout, unless nil, is
// applied to it.
func argoJob(seen, wanted *manifest.ArgoRollout, now time.Time) *job {
	if now.IsZero() {
		now = Later(latestOfArgo(seen), latestOfArgo(cmp.Or(wanted, seen)))
	}
	j := &job{of: seen, now: now, rollouts: []*kubeargo.RolloutObject{seen.Object}, around: seen.Workload.Around(seen.Object.Namespace)}
	last := seen
	if wanted != nil {
		next := *wanted.Object
		next.Namespace, next.Name, next.UID = seen.Object.Namespace, seen.Object.Name+world.Next, nextUID+" Rollout"
		last, j.of, j.rollouts, j.around = wanted, wanted, append(j.rollouts, &next), wanted.Workload.Around(seen.Object.Namespace)
	}
	for _, rs := range seen.ReplicaSets {
		j.objects = append(j.objects, rs)
	}
	for _, p := range seen.Pods {
		j.objects = append(j.objects, p)
	}
	for _, s := range slices.Concat(seen.Services, last.Services) {
		j.objects = append(j.objects, s)
	}
	j.begin = func(b *world.Beginning) error {
		b.BeginArgo(seen.Object.Namespace, seen.Object.Name, wanted != nil, func(old *cluster.ArgoRollout) string {
			if kubeargo.TemplateHash(&seen.Object.Spec.Template, nil) == kubeargo.TemplateHash(&wanted.Object.Spec.Template, nil) {
				return old.TemplateHash // another release of Argo Rollouts may have hashed it
			}
			return ""
		})
		b.Earlier = wanted != nil && len(seen.ReplicaSets) == 0
		return nil
	}
	return j
}

// latestOfArgo returns the latest time in the objects of a Rollout.
func latestOfArgo(r *manifest.ArgoRollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	for _, c := range r.Object.Status.Conditions {
		last = Later(Later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, c := range r.Object.Status.PauseConditions {
		last = Later(last, c.StartTime.Time)
	}
	last = Later(last, r.Snapshot.Rollout.RestartAt)
	for _, rs := range r.ReplicaSets {
		last = Later(last, rs.CreationTimestamp.Time)
	}
	return last.UTC()
}

// simulate returns the simulation of an update of an Argo Rollout: the rest of the update in the
// files, or a whole update from an old Rollout.
func (a Argo) simulate(s *Settings, _ *manifest.Set, from *Earlier) (*job, error) {
	r, old := a.ArgoRollout, from.argo[a.Key()]
	s.startsFromNothing(old == nil, r.File, r.Name())
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
	j := argoJob(cmp.Or(old, r), onlyWith(old, r), s.Begin)
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
		b.Broken(s.NeverReady)
		config.Autoscalers, config.Argo = append(config.Autoscalers, scaled(b.Name, r.Scaled.To)...), argo.Options{Repair: s.ArgoRollouts()}
		config.Analysis = cluster.Analysis{Takes: s.exactly(s.analysisAfter), Ends: phases[s.analysis]}
		s.approved(config)
		people, wanted = attendanceIn(config, b.Name), b.WantedArgo().Rollout
		j.telling = view.ArgoRollouts{Rollout: wanted}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.Flags(quirk.Table())
		bites := r.Workload.Bites(world.ArgoBounds(&wanted), b.Running(), short...)
		result.Assumed = slices.Concat(bites, partial, assumed, s.lives(b, result), s.decided(&wanted, people))
	}
	return j, nil
}

// approved sets the time until people approve.
func (s *Settings) approved(c *sim.Config) {
	if !s.neverApprove {
		c.ApproveAfter = cluster.Exactly(time.Duration(s.approveAfter))
	}
}

// exactly returns a fixed time, nil for 0.
func (s *Settings) exactly(d Delay) cluster.Spread {
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
		if plan, is := p.Plan.(argo.Plan); is && p.Name == name && slices.ContainsFunc(plan.Holds, func(h kplan.Hold) bool { return h.Reason == reason.Approval }) {
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
func (s *Settings) decided(r *argo.Rollout, people *attendance) (assumed []string) {
	if assumed = people.assumed(time.Duration(s.approveAfter), " (--approve-after)"); s.neverApprove && assumed != nil {
		assumed = []string{"nobody approves (--never-approve)"}
	}
	analysed := slices.ContainsFunc(r.Steps, func(step argo.Step) bool {
		return step.Other == argo.StepAnalysis || step.Other == argo.StepExperiment || step.Other == argo.StepPlugin
	})
	if b := r.BlueGreen; analysed || b != nil && (b.PrePromotionAnalysis || b.PostPromotionAnalysis) {
		assumed = append(assumed, fmt.Sprintf("analyses end after %s and are %s (--analysis-after, --analysis)", terminal.Clock(time.Duration(s.analysisAfter)), s.analysis))
	}
	return assumed
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

// History returns the revisions, or only the wanted one; 0 is all.
func (a Argo) History(wanted int64, _ bool) (Document, []string, error) {
	r := a.ArgoRollout
	h := view.ArgoHistory{Namespace: r.Object.Namespace, Name: r.Object.Name, Number: wanted}
	for _, rs := range revisionsOf(r) {
		number, _ := revisionOf(rs)
		if wanted > 0 && number != wanted {
			continue
		}
		template, err := templateText(&rs.Spec.Template)
		if err != nil {
			return nil, nil, err
		}
		hash := rs.Labels[argo.HashLabel]
		h.Entries = append(h.Entries, view.ArgoEntry{
			Name: rs.Name, Revision: number, New: hash == r.Snapshot.Rollout.TemplateHash, Stable: hash == r.Snapshot.Rollout.Status.StableRS,
			Images: images(&rs.Spec.Template), Template: template,
		})
	}
	if wanted > 0 && len(h.Entries) == 0 {
		return nil, nil, noRevision(wanted)
	}
	return h, nil, nil
}

func noRevision(number int64) error {
	return fmt.Errorf("unable to find specified revision %d in history", number)
}

// Undo returns the result of kubectl argo rollouts undo.
func (a Argo) Undo(s *Settings, number int64) (Document, *view.Simulation, error) {
	undo, err := s.argoUndo(a.ArgoRollout, number)
	return undo, undo.Rollout, err
}

// argoUndo returns the result of kubectl argo rollouts undo, with the simulation of its rollout.
func (s *Settings) argoUndo(r *manifest.ArgoRollout, number int64) (view.ArgoUndo, error) {
	target, err := argoTarget(r, number)
	if err != nil {
		return view.ArgoUndo{}, r.Invalid(err)
	}
	undo := view.ArgoUndo{Namespace: r.Object.Namespace, Name: r.Object.Name, ReplicaSet: target.Name, Number: number}
	undo.Revision, _ = revisionOf(target)
	template := *target.Spec.Template.DeepCopy()
	delete(template.Labels, argo.HashLabel)
	current := r.Object.Spec.Template.DeepCopy()
	current.Labels = maps.Clone(current.Labels)
	if hash := target.Labels[argo.HashLabel]; hash == r.Snapshot.Rollout.TemplateHash || equality.Semantic.DeepEqual(&template, current) {
		undo.Skipped = true
		return undo, nil
	}
	undo.Images = Changes(&current.Spec, &template.Spec)
	rollout, err := s.argoRollout(r, target)
	undo.Rollout = &rollout
	return undo, err
}

// argoRollout simulates the rollout after the template of a ReplicaSet is restored.
func (s *Settings) argoRollout(r *manifest.ArgoRollout, target *appsv1.ReplicaSet) (view.Simulation, error) {
	j := argoJob(r, nil, s.Begin)
	var people *attendance
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		s.healed(b)
		next := b.WantedArgo()
		next.TemplateHash, next.TemplateLabels = target.Labels[argo.HashLabel], maps.Clone(target.Spec.Template.Labels)
		delete(next.TemplateLabels, argo.HashLabel)
		b.Applied = []any{next}
		config.Argo, config.ApproveAfter = argo.Options{Repair: s.ArgoRollouts()}, cluster.Exactly(approvedAfter)
		people, j.telling = attendanceIn(config, b.Name), view.ArgoRollouts{Rollout: next.Rollout}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.Flags(quirk.Table())
		result.Assumed = slices.Concat([]string{"all pods become ready, and nodes have room"}, s.lives(b, result), people.assumed(approvedAfter, ""))
	}
	return s.alone(j)
}

// argoTarget returns the ReplicaSet to go back to: the one with the wanted revision, or the one
// before the last.
func argoTarget(r *manifest.ArgoRollout, number int64) (*appsv1.ReplicaSet, error) {
	list := revisionsOf(r)
	if number == 0 {
		if len(list) < 2 {
			return nil, errors.New("no revision to go back to")
		}
		return list[len(list)-2], nil
	}
	for _, rs := range list {
		if n, _ := revisionOf(rs); n == number {
			return rs, nil
		}
	}
	return nil, noRevision(number)
}
