// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Deployment is a Deployment.
type Deployment struct{ *manifest.Workload }

// Plan returns the next plan.
func (w Deployment) Plan(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := w.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	return plan, w.notes(&plan), nil
}

// Explain returns the explanation of the next plan.
func (w Deployment) Explain(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := w.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	return explanationOf(w.Workload, plan, now), w.notes(&plan), nil
}

// Versions returns the pods before and after the change.
func (w Deployment) Versions(from *Earlier) (before, after Pods) {
	return podsOfDeployment(from.deployments[w.Key()]), podsOfDeployment(w.Workload)
}

func podsOfDeployment(w *manifest.Workload) Pods {
	if w == nil {
		return Pods{}
	}
	w.Open()
	return Pods{&w.Deployment.Spec.Template, w.Deployment.Spec.Replicas}
}

func (w Deployment) plan(p *Policies, now time.Time) (view.Plan, error) {
	snapshot, err := w.Snapshot()
	if err != nil {
		return view.Plan{}, err
	}
	plan, err := deploy.Reconcile(snapshot, now, p.deployOptions())
	if err != nil {
		return view.Plan{}, w.Invalid(err)
	}
	pods, err := p.podPlans(w.Workload, now)
	if err != nil {
		return view.Plan{}, w.Invalid(err)
	}
	return view.Plan{
		Namespace: w.Deployment.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Pods: pods, Policies: p.departures(),
		Unapplied: manifest.IsManifest(w.Deployment.UID),
	}, nil
}

// notes returns notes about the limits that keep the Deployment from its wanted pods.
func (w Deployment) notes(plan *view.Plan) []string {
	return noted(w.Placed(), w.Bites(plan.Plan.Budget, running(w.Pods)))
}

// podPlans returns the plans for the pods of all ReplicaSets at their current sizes.
func (p *Policies) podPlans(w *manifest.Workload, now time.Time) ([]view.PodPlan, error) {
	var plans []view.PodPlan
	options := replicaset.Options{Repair: p.ReplicaSets()}
	for _, s := range w.PodSnapshots() {
		plan, err := podPlan(s, now, options)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

func explanationOf(w *manifest.Workload, plan view.Plan, now time.Time) view.Explanation {
	e := view.Explanation{Plan: plan, Report: report(w.Deployment, &plan.Snapshot.Deployment), HasPods: len(w.Pods) > 0}
	e.Sets = treeOf(w, plan.Plan.Actions)
	e.Idle = idleOfSets(w, e.Sets, now)
	e.Instants = instants(&plan)
	e.Caveats = append(deploymentPorts(w, &e), deploymentImages(w, w.Pods)...)
	quoted := map[string]bool{} // messages that conditions already show
	for i := range e.Sets {
		quoted[e.Sets[i].Failure] = true
	}
	for _, f := range w.Failures() {
		if !quoted[f.Message] {
			e.Refused = append(e.Refused, refused(f, now))
		}
	}
	return e
}

// report returns the current output of kubectl rollout status.
func report(d *appsv1.Deployment, s *deploy.Deployment) view.Report {
	r := kubectl.Deployment{
		Name: d.Name, Generation: d.Generation, Annotations: d.Annotations, Replicas: d.Spec.Replicas,
		Status: kubectl.DeploymentStatus{
			ObservedGeneration: s.Status.ObservedGeneration, Replicas: s.Status.Replicas,
			UpdatedReplicas: s.Status.UpdatedReplicas, AvailableReplicas: s.Status.AvailableReplicas,
		},
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			r.Status.ProgressingReason = c.Reason
		}
	}
	text, done, err := r.Report(0)
	if err != nil {
		return view.Report{Err: err.Error()}
	}
	return view.Report{Text: strings.TrimSpace(text), Done: done}
}

// adopted returns the ReplicaSets that a plan adopts.
func adopted(w *manifest.Workload, actions deploy.Actions) (list []*appsv1.ReplicaSet) {
	for _, a := range actions {
		adopt, ok := a.(deploy.AdoptReplicaSet)
		for _, rs := range w.ReplicaSets {
			if ok && rs.Name == adopt.Name {
				list = append(list, rs)
			}
		}
	}
	return list
}

// formerOwner returns the name of the Deployment that created a ReplicaSet, taken from the name
// of the ReplicaSet. It returns "" if that is the adopting Deployment or cannot be determined.
func formerOwner(rs *appsv1.ReplicaSet, adopts string) string {
	name, found := strings.CutSuffix(rs.Name, "-"+rs.Labels[revision.LabelHash])
	if !found || name == adopts {
		return ""
	}
	return name
}

// treeOf returns the ReplicaSets of a Deployment and the ReplicaSets that the plan adopts, the
// new one first, then by descending revision.
func treeOf(w *manifest.Workload, actions deploy.Actions) []view.Set {
	history, entries := w.History()
	newest, _ := revision.Split(entries, history.Template)
	var sets []view.Set
	own := w.Controlled()
	for i, rs := range slices.Concat(own, adopted(w, actions)) {
		number, _ := revision.Number(rs.Annotations)
		r := kube.ReplicaSet(rs)
		set := view.Set{
			Name: rs.Name, New: i == newest, Revision: number, Wanted: sizeOf(&r), Images: images(&rs.Spec.Template),
			Pods: rs.Status.Replicas, Ready: rs.Status.ReadyReplicas, Available: rs.Status.AvailableReplicas,
		}
		if i >= len(own) {
			set.Adopted, set.Former = true, formerOwner(rs, w.Deployment.Name)
		}
		for _, c := range rs.Status.Conditions {
			if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue {
				set.Failure = c.Message
			}
		}
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b view.Set) int {
		switch {
		case a.New != b.New && a.New, a.New == b.New && a.Revision > b.Revision:
			return -1
		case a.New != b.New, a.Revision < b.Revision:
			return 1
		}
		return 0
	})
	return sets
}

// idleOfSets returns the pods that do not serve, in the order of the ReplicaSets.
func idleOfSets(w *manifest.Workload, sets []view.Set, now time.Time) []view.Pod {
	names := map[types.UID]string{}
	for _, rs := range w.ReplicaSets {
		names[rs.UID] = rs.Name
	}
	bySet := map[string][]view.Pod{}
	for _, p := range w.PodsOfSets() {
		name := names[metav1.GetControllerOfNoCopy(p).UID]
		if pod, ok := idlePod(p, name, now); ok {
			bySet[name] = append(bySet[name], pod)
		}
	}
	var pods []view.Pod
	for _, s := range sets {
		for _, pod := range bySet[s.Name] {
			if pod.Ending != nil {
				pod.Ending.Old = !s.New
			}
			pods = append(pods, pod)
		}
	}
	return pods
}

// instants returns the times at which the state changes without any event, in order.
func instants(p *view.Plan) []view.Instant {
	var list []view.Instant
	if at := p.Plan.RecheckAt; !at.IsZero() {
		list = append(list, view.Instant{At: at, What: "the progress deadline has passed"})
	}
	for i := range p.Pods {
		if at := p.Pods[i].Plan.RecheckAt; !at.IsZero() {
			list = append(list, view.Instant{At: at, What: availableNext(&p.Pods[i].Plan, p.Pods[i].Name)})
		}
	}
	slices.SortStableFunc(list, func(a, b view.Instant) int { return a.At.Compare(b.At) })
	return list
}

// History returns the revisions, or only one; 0 is all. Its notes are about ReplicaSets that it leaves
// out.
func (w Deployment) History(number int64, full bool) (answer Document, notes []string, err error) {
	workload, entries := w.Workload.History()
	newest, _ := revision.Split(entries, workload.Template)
	rows, skipped := kubectl.History(entries, workload.Template)
	for _, i := range skipped {
		notes = append(notes, fmt.Sprintf("%s: ReplicaSet %q: left out, because its revision is %q", w.File, entries[i].Name, entries[i].Annotations[revision.AnnotationRevision]))
	}
	h := view.History{Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Records: kubectl.FullHistory(entries), Number: number, Full: full}
	for i, rs := range w.Controlled() {
		n, _ := revision.Number(rs.Annotations)
		template, err := templateIf(number != 0, &rs.Spec.Template)
		if err != nil {
			return h, notes, err
		}
		h.Entries = append(h.Entries, view.Entry{
			Name: rs.Name, Revision: n, Current: i == newest, Images: images(&rs.Spec.Template),
			Cause: kubectl.ChangeCause(entries[i]), Template: template,
		})
	}
	if full && number > 0 {
		h.Records, rows = only(h.Records, number)
	}
	h.Rows, err = kubectl.Show(rows, number)
	return h, notes, err
}

// only returns the record of a revision, also as a row. It is the first record with that number,
// and so the current one if there is any.
func only(records []kubectl.Record, number int64) ([]kubectl.Record, []kubectl.Row) {
	for i, r := range records {
		if r.Number == number {
			return records[i : i+1], []kubectl.Row{{Number: number, Source: r.Entry}}
		}
	}
	return nil, nil
}

// Undo returns the result of kubectl rollout undo.
func (w Deployment) Undo(s *Settings, number int64) (Document, *view.Simulation, error) {
	undo, err := s.undo(w.Workload, number)
	return undo, undo.Rollout, err
}

func (s *Settings) undo(w *manifest.Workload, number int64) (view.Undo, error) {
	workload, entries := w.History()
	plan, err := kubectl.PlanUndo(workload, entries, number, revision.Options{})
	if err != nil {
		return view.Undo{}, w.Invalid(whoPaused(err, w))
	}
	target := w.Controlled()[plan.Source]
	undo := view.Undo{Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Undo: plan, ReplicaSet: target.Name}
	if plan.Skipped {
		return undo, nil
	}
	undo.Images = Changes(&w.Deployment.Spec.Template.Spec, &target.Spec.Template.Spec)
	rollout, err := s.rollout(w, target, plan)
	undo.Rollout = &rollout
	return undo, err
}

// rollout simulates the rollout after the template of a ReplicaSet is restored.
func (s *Settings) rollout(w *manifest.Workload, target *appsv1.ReplicaSet, plan kubectl.Undo) (view.Simulation, error) {
	j, err := deploymentJob(w, nil, s.Begin)
	if err != nil {
		return view.Simulation{}, err
	}
	j.around = manifest.Around{}
	j.telling = view.Deployments{Images: imagesOf(w)}
	j.prepare = func(b *world.Beginning, _ *sim.Config) error {
		s.healed(b)
		restored := *b.Deployment()
		restored.Template = b.TemplateOf(string(target.UID))
		restored.TemplateLabels = maps.Clone(target.Spec.Template.Labels)
		delete(restored.TemplateLabels, revision.LabelHash)
		restored.Annotations = plan.Annotations
		b.Applied = []any{restored}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.departures()
		result.Assumed = append([]string{"all pods become ready, and nodes have room"}, s.lives(b, result)...)
	}
	return s.alone(j)
}

// healed makes all pods and nodes of a cluster healthy, except pods of the abandoned template
// with --never-ready.
func (s *Settings) healed(b *world.Beginning) {
	b.Heal()
	b.Broken(s.NeverReady)
}

// whoPaused adds the OpenKruise Rollout that paused a Deployment to the refusal of kubectl. The
// user should not resume the Deployment, which would take it away from its release.
func whoPaused(err error, w *manifest.Workload) error {
	var mark struct {
		RolloutName string `json:"rolloutName"`
	}
	text := w.Deployment.Annotations[workload.AnnotationInProgress]
	if refusal := new(kubectl.Refusal); !errors.As(err, &refusal) || refusal.Reason != kubectl.RefusedUndoPaused || json.Unmarshal([]byte(text), &mark) != nil {
		return err
	}
	return fmt.Errorf("%w; Rollout %s has paused it for its release: apply the template that is to come back, and it rolls back", err, mark.RolloutName)
}
