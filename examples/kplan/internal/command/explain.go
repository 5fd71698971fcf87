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
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

func newExplain(name string) *cobra.Command {
	p := &planning{}
	p.around = cluster.Around{Limits: true, Events: true}
	c := &cobra.Command{
		Use:   "explain {-f FILE | TYPE/NAME}",
		Short: "Show why a workload moves, or does not",
		Long: `Show why each Deployment, DaemonSet and Rollout in the files, or those named in a
cluster, moves, or does not: whether it is complete, progressing, waiting or stuck;
what it holds back, by which numbers, what that means and what ends it; its
ReplicaSets, nodes or steps; the pods that do not serve; and when time alone will
change something. So it is with ReplicaSets and ReplicationControllers that nobody owns,
or that are named.

Complete: nothing is left to roll out. Progressing: something is due at once.
Waiting: pods or time decide, or that someone resumes it. Stuck: it does not go on
by itself.

--repair, --corrected and the policies ask for what the controllers do not do; see
kplan plan.

With -o json each Deployment is an object with name, state, why, rolloutStatus,
budget, actions, holds, replicaSets, pods and instants. All others also have a
kind; DaemonSets have nodes, Rollouts batchRelease and steps, ReplicaSets by themselves
wanted and status. Several objects are the items of one.

The exit code does not depend on the state, but with --watch: then it is 0 when all is
complete, 1 when something is stuck or gone, 3 when the time of --timeout is over before,
and 130 if interrupted.`,
		Example: examples(name, `
# Why does nothing happen?
kplan explain deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan explain -f -

# Watch a rollout
kplan explain deployment/web --watch

# Would it happen without the known defects of the controller?
kplan explain -f cluster.yaml --corrected

# Which Deployments of a cluster are stuck?
kubectl get deployment,replicaset,pod -A -o yaml | kplan explain -f - -o json |
  jq -r '.items[] | select(.state == "stuck") | .namespace + "/" + .name'`),
		Args: p.checkArgs,
		RunE: p.running(p.explain),
	}
	p.input.addFlags(c)
	p.addWatch(c, untilDone)
	p.addLive(c)
	p.input.addNodes(c)
	p.policies.addFlags(c)
	return c
}

func (p *planning) explain(c *cobra.Command) error {
	set, err := p.load(c, p.filenames)
	if err != nil {
		return err
	}
	now := p.present(c, set.Latest)
	explanations, err := argoDocuments(c, &p.input, set, now, p.explainArgo)
	if err != nil {
		return err
	}
	for i := range set.Rollouts {
		e, err := p.explainRollout(&set.Rollouts[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, e)
		if err != nil {
			return err
		}
		explanations = append(explanations, d)
	}
	for _, w := range set.Opened() {
		plan, err := p.plan(w, now)
		if err != nil {
			return err
		}
		p.tellLimits(c, w, plan)
		d, err := p.drawn(c, explanationOf(w, plan, now))
		if err != nil {
			return err
		}
		explanations = append(explanations, d)
	}
	for i := range set.ReplicaSets {
		e, err := p.explainReplicaSet(c, &set.ReplicaSets[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, e)
		if err != nil {
			return err
		}
		explanations = append(explanations, d)
	}
	for i := range set.DaemonSets {
		e, err := p.explainDaemonSet(&set.DaemonSets[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, e)
		if err != nil {
			return err
		}
		explanations = append(explanations, d)
	}
	judge(&p.input, explanations)
	return write(c, p.output, explanations)
}

func explanationOf(w *manifest.Workload, plan view.Plan, now time.Time) view.Explanation {
	e := view.Explanation{Plan: plan, Report: report(w.Deployment, &plan.Snapshot.Deployment), HasPods: len(w.Pods) > 0}
	e.Sets = treeOf(w)
	e.Idle = idlePods(w, e.Sets, now)
	e.Instants = instants(&plan)
	quoted := map[string]bool{} // by conditions, in the same words
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

func refused(f manifest.Failure, now time.Time) view.Refused {
	return view.Refused{Object: f.Object, Age: max(0, now.Sub(f.Last)).Round(time.Second), Count: f.Count, Message: f.Message}
}

// report returns what kubectl rollout status prints now.
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

// treeOf returns the ReplicaSets, the new one first and then the latest revisions.
func treeOf(w *manifest.Workload) []view.Set {
	history, entries := w.History()
	newest, _ := revision.Split(entries, history.Template)
	var sets []view.Set
	for i, rs := range w.Controlled() {
		number, _ := revision.Number(rs.Annotations)
		r := kube.ReplicaSet(rs)
		set := view.Set{
			Name: rs.Name, New: i == newest, Revision: number, Wanted: sizeOf(&r), Images: images(&rs.Spec.Template),
			Pods: rs.Status.Replicas, Ready: rs.Status.ReadyReplicas, Available: rs.Status.AvailableReplicas,
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

// idlePods returns the pods that do not serve, in the order of the ReplicaSets.
func idlePods(w *manifest.Workload, sets []view.Set, now time.Time) []view.Pod {
	names := map[types.UID]string{}
	for _, rs := range w.Controlled() {
		names[rs.UID] = rs.Name
	}
	bySet := map[string][]view.Pod{}
	for _, p := range w.Pods {
		name := names[metav1.GetControllerOfNoCopy(p).UID]
		if pod, ok := idlePod(p, name, now); ok {
			bySet[name] = append(bySet[name], pod)
		}
	}
	var pods []view.Pod
	for _, s := range sets {
		pods = append(pods, bySet[s.Name]...)
	}
	return pods
}

// instants returns when time alone changes something, in order.
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

func availableNext(plan *replicaset.Plan, name string) string {
	if plan.Status.AvailableReplicas == plan.Status.ReadyReplicas {
		return "replica set " + name + " is looked at again"
	}
	return "a pod of " + name + " becomes available"
}
