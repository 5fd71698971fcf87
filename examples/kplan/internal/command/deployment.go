// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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
)

// planDeployment returns the next plan for a Deployment.
func (p *policies) planDeployment(w *manifest.Workload, now time.Time) (view.Plan, error) {
	snapshot, err := w.Snapshot()
	if err != nil {
		return view.Plan{}, err
	}
	plan, err := deploy.Reconcile(snapshot, now, p.deployOptions())
	if err != nil {
		return view.Plan{}, w.Invalid(err)
	}
	pods, err := p.podPlans(w, now)
	if err != nil {
		return view.Plan{}, w.Invalid(err)
	}
	return view.Plan{
		Namespace: w.Deployment.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Pods: pods, Policies: p.departures(),
		Unapplied: manifest.IsManifest(w.Deployment.UID),
	}, nil
}

// tellLimits prints the limits that keep the Deployment from its wanted pods.
func tellLimits(c *cobra.Command, w *manifest.Workload, plan view.Plan) {
	for _, text := range w.Bites(plan.Plan.Budget, running(w.Pods)) {
		tell(c, []string{w.Placed() + ": " + text})
	}
}

// podPlans returns the plans for the pods of all ReplicaSets at their current sizes.
func (p *policies) podPlans(w *manifest.Workload, now time.Time) ([]view.PodPlan, error) {
	var plans []view.PodPlan
	options := replicaset.Options{Repair: p.replicaSets()}
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
// of the ReplicaSet. It returns "" if that is the adopting Deployment or cannot be told.
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

// ofDeployment returns the simulation of the rollout of a Deployment, from an old Deployment or
// from its current pods.
func (s *simulation) ofDeployment(w, old *manifest.Workload) (*job, error) {
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return nil, err
	}
	j, err := s.startOf(w, old)
	if err != nil {
		return nil, err
	}
	of := view.Deployments{Images: imagesOf(w, old)}
	j.telling = of
	var assumed []string
	var short []manifest.Shortage
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		renumber(b, old)
		assumed, short = s.environment(w, old, b)
		b.Broken(s.neverReady)
		config.Autoscalers = append(config.Autoscalers, scaled(b.Name, w.Scaled())...)
		return nil
	}
	j.tell = func(b *world.Beginning, r *world.Run, result *view.Simulation) {
		result.Policies = s.departures()
		result.Assumed = slices.Concat(w.Bites(of.Bounds(result), b.Running(), short...), partial, assumed, s.lives(b, result))
		if old == nil {
			result.Caveats = deploymentImages(w, stillThere(w.Pods, r))
		}
	}
	return j, nil
}

// neverStarted reports whether a Deployment has been paused since its creation and so has no
// ReplicaSet.
func neverStarted(w *manifest.Workload) bool {
	d := w.Deployment
	return d.Spec.Paused && d.Status.Replicas == 0 && d.Annotations[revision.AnnotationRevision] == ""
}

// hasSets reports whether a Deployment controls a ReplicaSet or can adopt one.
func hasSets(w *manifest.Workload) bool {
	selector, err := metav1.LabelSelectorAsSelector(w.Deployment.Spec.Selector)
	return slices.ContainsFunc(w.ReplicaSets, func(rs *appsv1.ReplicaSet) bool {
		owner := metav1.GetControllerOfNoCopy(rs)
		return owner != nil && owner.UID == w.Deployment.UID || owner == nil && err == nil && selector.Matches(labels.Set(rs.Labels))
	})
}

// startOf returns the simulation at the start of the rollout.
func (s *simulation) startOf(w, old *manifest.Workload) (*job, error) {
	if old == nil {
		return deploymentJob(w, nil, s.now.Time)
	}
	if err := sameSelector(old.Deployment.Spec.Selector, w.Deployment.Spec.Selector, old.File); err != nil {
		return nil, w.Invalid(err)
	}
	j, err := deploymentJob(old, w, s.now.Time)
	if err != nil {
		return nil, err
	}
	begin, earlier := j.begin, !hasSets(old) && !neverStarted(old)
	j.begin = func(b *world.Beginning) error {
		b.Earlier = earlier
		return begin(b)
	}
	return j, nil
}

// scaled returns an autoscaler that sets the replicas of a Deployment, none if replicas is nil.
func scaled(name string, replicas *int32) []sim.Autoscaler {
	if replicas == nil {
		return nil
	}
	return []sim.Autoscaler{{Name: "horizontal pod autoscaler", Desired: func(sim.View) map[string]int32 { return map[string]int32{name: *replicas} }}}
}

// besides returns the simulation of CloneSets and StatefulSets that no Rollout releases. The
// answers leave them out, but their pods roll, and use nodes and quotas, in the same cluster.
func (s *simulation) besides(set *manifest.Set, from *earlier) (jobs []*job) {
	for i := range set.PodSets {
		p := &set.PodSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Set == p }) {
			continue
		}
		j := &job{of: p, now: s.now.Time, around: set.Around(p.Object.GetNamespace()), silent: true}
		j.prepare = func(*world.Beginning, *sim.Config) error { return nil }
		if err := tooMany(p.Set.Replicas); err != nil {
			j.err = p.Invalid(err)
		} else {
			s.besideSet(j, p, from.podSets[p.Key()])
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// besideSet begins with a set: with the change from an old set, or with its current state if old
// is nil.
func (s *simulation) besideSet(j *job, p, old *manifest.PodSet) {
	namespace, name := p.Object.GetNamespace(), p.Object.GetName()
	if old == nil {
		j.objects = []kube.Object{p.Object.(kube.Object)}
		for _, pod := range p.Pods {
			j.objects = append(j.objects, pod)
		}
		j.begin = func(b *world.Beginning) error {
			b.BeginSetAlone(namespace, name)
			return nil
		}
		return
	}
	if err := tooMany(old.Set.Replicas); err != nil {
		j.err = old.Invalid(err)
		return
	}
	var inPlace bool
	inPlace, j.err = p.InPlace(old)
	j.replaces(old, p)
	j.begin = func(b *world.Beginning) error {
		next := b.BeginSet(namespace, name, inPlace)
		next.Partition, next.Paused = p.Set.Partition, p.Set.Paused // as a Rollout would set them
		b.Applied, b.Earlier = []any{*next}, true
		return nil
	}
}
