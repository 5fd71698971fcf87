// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

// A daemonSetOutcome is the result of a pass in a form that both sides share. All lists are sorted:
// upstream writes pods in any order.
type daemonSetOutcome struct {
	Refused   bool
	Claims    []string // adoptions and releases, once each: upstream repeats them
	Revisions []string
	Relabels  []string
	Creates   []string
	Pods      []string // created pods, once each, without the node
	Deletes   []string
	Status    appsv1.DaemonSetStatus
	Events    []string
}

// A daemonSetPass is one case with the results of both sides.
type daemonSetPass struct {
	c              *gen.DaemonSetCase
	in             *gen.DaemonSetCase // the input of upstream
	dsc            *upstream.DaemonSets
	now            time.Time
	result         upstream.Result
	upstream, ours daemonSetOutcome
	plan           daemonset.Plan
	rejected       error
	hash           string // of the current revision
}

func passDaemonSet(dsc *upstream.DaemonSets, c *gen.DaemonSetCase, now time.Time) (daemonSetPass, error) {
	p := daemonSetPass{c: c, in: c, dsc: dsc, now: now}
	p.sync()
	s, err := daemonSetSnapshot(c)
	if err != nil {
		return p, err
	}
	p.plan, p.rejected = daemonset.Reconcile(s, now, daemonset.Options{})
	s.Pods = nil
	from, rejected := daemonset.ReconcileFrom(s, kube.DaemonSetPods(c.DaemonSet.Namespace, c.Pods), now, daemonset.Options{})
	if diff := gocmp.Diff(p.plan, from, cmpopts.EquateEmpty()); diff != "" || fmt.Sprint(rejected) != fmt.Sprint(p.rejected) {
		return p, fmt.Errorf("pods that are read in place: %s %w", diff, rejected)
	}
	p.hash = p.currentHash(s.DaemonSet.Template.Data)
	p.readUpstream(now)
	p.readPlan(now)
	return p, nil
}

func (p *daemonSetPass) sync() {
	p.dsc.Fill(p.in.DaemonSet, p.in.Revisions, p.in.Nodes, p.in.Pods, p.in.Failures)
	p.result = p.dsc.Sync(p.in.DaemonSet)
}

// again runs upstream with its input changed.
func (p *daemonSetPass) again(change func(*gen.DaemonSetCase)) {
	in := *p.in
	in.DaemonSet, in.Revisions = in.DaemonSet.DeepCopy(), slices.Clone(in.Revisions)
	p.in = &in
	change(p.in)
	p.sync()
	p.readUpstream(p.now)
}

func (p *daemonSetPass) sides() (theirs, ours *daemonSetOutcome) { return &p.upstream, &p.ours }

func (p *daemonSetPass) clone() *daemonSetPass {
	q := *p
	return &q
}

// daemonSetSnapshot translates a case.
func daemonSetSnapshot(c *gen.DaemonSetCase) (daemonset.Snapshot, error) {
	s, err := kube.DaemonSetSnapshot(c.DaemonSet, c.Nodes, c.Pods, c.Revisions)
	for _, f := range c.Failures {
		s.Backoff = append(s.Backoff, daemonset.BackoffEntry{
			BackoffKey: daemonset.BackoffKey{UID: string(c.DaemonSet.UID), Generation: c.DaemonSet.Status.ObservedGeneration, Node: f.Node},
			Delay:      time.Second << (f.Times - 1), Since: f.At,
		})
	}
	return s, err
}

// currentHash returns the hash of the revision that upstream takes for the current one.
func (p *daemonSetPass) currentHash(data []byte) string {
	hash, number := "", int64(-1)
	selector, err := metav1.LabelSelectorAsSelector(p.c.DaemonSet.Spec.Selector)
	for _, r := range p.c.Revisions {
		owner := metav1.GetControllerOf(r)
		if err == nil && string(r.Data.Raw) == string(data) && selector.Matches(setOf(r.Labels)) && r.Revision >= number &&
			(owner == nil || owner.UID == p.c.DaemonSet.UID) {
			number = r.Revision
			if hash = r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]; !has(r.Labels, appsv1.DefaultDaemonSetUniqueLabelKey) {
				hash = r.Name
			}
		}
	}
	for _, w := range p.result.Writes {
		if create, ok := w.(upstream.CreateRevision); ok {
			hash = create.Object.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
			if create.Err != nil { // it exists, with its own hash
				hash = cmp.Or(p.labelOf(create.Object.Name), create.Object.Name)
			}
		}
	}
	return hash
}

func (p *daemonSetPass) readUpstream(now time.Time) {
	o := daemonSetOutcome{Status: p.c.DaemonSet.Status}
	updated := map[string]*appsv1.ControllerRevision{}
	written := 0
	for _, w := range p.result.Writes {
		written++
		switch w := w.(type) {
		case upstream.Patch:
			written--
			o.Claims = append(o.Claims, claimText(strings.Contains(w.Body, `"controller":true`), w.Kind, w.Name))
		case upstream.CreateRevision:
			if w.Err == nil {
				o.Revisions = append(o.Revisions, fmt.Sprintf("create %s %d %v %v %s", w.Object.Name, w.Object.Revision, w.Object.Labels, w.Object.Annotations, w.Object.Data.Raw))
			}
		case upstream.UpdateRevision:
			if before := updated[w.Object.Name]; before != nil { // upstream's second write is of the first one's result
				w.Object.Labels = before.Labels
			}
			updated[w.Object.Name] = w.Object
		case upstream.DeleteRevision:
			o.Revisions = append(o.Revisions, "delete "+w.Name)
		case upstream.UpdateDaemonSetStatus:
			o.Status = w.Status
		case upstream.CreateDaemonPod:
			o.Creates = append(o.Creates, p.created(w.Node, w.Template.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], w.Template.Labels["pod-template-generation"], now))
			ref := metav1.NewControllerRef(p.c.DaemonSet, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
			o.Pods = append(o.Pods, anyNode(must(controller.GetPodFromTemplate(w.Template, p.c.DaemonSet, ref))))
		case upstream.RelabelPod:
			o.Relabels = append(o.Relabels, w.Name+" "+w.Labels[appsv1.DefaultDaemonSetUniqueLabelKey])
		case upstream.DeletePod:
			o.Deletes = append(o.Deletes, p.deleted(w.Name, now))
		default:
			o.Revisions = append(o.Revisions, fmt.Sprintf("unexpected %T", w))
		}
	}
	for name, r := range updated {
		o.Revisions = append(o.Revisions, fmt.Sprintf("update %s %d %s", name, r.Revision, r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]))
	}
	for _, e := range p.result.Events {
		o.Events = append(o.Events, e.Type+" "+e.Reason+" "+e.Message)
	}
	o.Refused = (p.result.Err != nil || p.result.Panic != nil) && written == 0
	p.upstream = o.normalised()
}

func claimText(adopts bool, kind, name string) string {
	if adopts {
		return "adopt " + kind + " " + name
	}
	return "release " + kind + " " + name
}

func (p *daemonSetPass) readPlan(now time.Time) {
	s := p.plan.Status
	o := daemonSetOutcome{Refused: p.rejected != nil, Status: appsv1.DaemonSetStatus{
		ObservedGeneration: s.ObservedGeneration, DesiredNumberScheduled: s.DesiredNumberScheduled, CurrentNumberScheduled: s.CurrentNumberScheduled,
		NumberMisscheduled: s.NumberMisscheduled, NumberReady: s.NumberReady, NumberAvailable: s.NumberAvailable,
		NumberUnavailable: s.NumberUnavailable, UpdatedNumberScheduled: s.UpdatedNumberScheduled, CollisionCount: s.CollisionCount,
	}}
	if o.Refused {
		o.Status = p.c.DaemonSet.Status
	}
	for _, a := range p.plan.Actions {
		switch a := a.(type) {
		case daemonset.AdoptPod:
			o.Claims = append(o.Claims, claimText(true, "Pod", a.Name))
		case daemonset.ReleasePod:
			o.Claims = append(o.Claims, claimText(false, "Pod", a.Name))
		case daemonset.AdoptRevision:
			o.Claims = append(o.Claims, claimText(true, "ControllerRevision", a.Name))
		case daemonset.ReleaseRevision:
			o.Claims = append(o.Claims, claimText(false, "ControllerRevision", a.Name))
		case daemonset.CreateRevision:
			o.Revisions = append(o.Revisions, fmt.Sprintf("create %s %d %v %v %s", a.Name, a.Revision, a.Labels, a.Annotations, a.Data))
		case daemonset.UpdateRevision:
			o.Revisions = append(o.Revisions, fmt.Sprintf("update %s %d %s", a.Name, a.To, cmp.Or(a.Hash, p.labelOf(a.Name))))
		case daemonset.DeleteRevision:
			o.Revisions = append(o.Revisions, "delete "+a.Name)
		case daemonset.RelabelPod:
			o.Relabels = append(o.Relabels, a.Name+" "+a.To)
		case daemonset.CreatePod:
			o.Creates = append(o.Creates, p.created(a.Node, a.Hash, a.Generation, now))
			o.Pods = append(o.Pods, anyNode(kube.NewDaemonPod(p.c.DaemonSet, a)))
		case daemonset.DeletePod:
			o.Deletes = append(o.Deletes, p.deleted(a.Name, now))
		default:
			o.Revisions = append(o.Revisions, fmt.Sprintf("unexpected %T", a))
		}
	}
	for _, e := range p.plan.Events {
		o.Events = append(o.Events, e.Type+" "+e.Reason+" "+e.Message)
	}
	p.ours = o.normalised()
}

// anyNode is the text of a pod that is created for a node, without the node, which may
// be another one.
func anyNode(pod *corev1.Pod) string {
	pod.Namespace = "" // upstream names it in the call
	pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values = nil
	return string(must(json.Marshal(pod)))
}

func (p *daemonSetPass) labelOf(name string) string {
	for _, r := range p.c.Revisions {
		if r.Name == name {
			return r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		}
	}
	return ""
}

func (o daemonSetOutcome) normalised() daemonSetOutcome {
	o.Revisions = slices.DeleteFunc(slices.Clone(o.Revisions), func(s string) bool { // of revisions that are deleted later
		update := strings.Fields(s)
		return update[0] == "update" && slices.Contains(o.Revisions, "delete "+update[1])
	})
	for _, list := range []*[]string{&o.Claims, &o.Revisions, &o.Relabels, &o.Creates, &o.Pods, &o.Deletes, &o.Events} {
		slices.Sort(*list)
	}
	o.Claims, o.Pods = slices.Compact(o.Claims), slices.Compact(o.Pods)
	return o
}

// deleted describes a deleted pod: by its name, unless a rolling update may choose among several.
// Of these both sides must delete the same number. Whether the node should run a pod matters only
// with a surge.
func (p *daemonSetPass) deleted(name string, now time.Time) string {
	for _, pod := range p.c.Pods {
		if pod.Name == name && p.alone(pod) && p.choice(pod, now) {
			return fmt.Sprintf("an old available pod, where one should run: %v", !surges(p) || p.wanted(pod))
		}
	}
	return name
}

// created describes a created pod: by its node, unless it replaces a pod that a rolling update may
// choose among several.
func (p *daemonSetPass) created(node, hash, generation string, now time.Time) string {
	for _, pod := range p.c.Pods {
		if target, err := daemonutil.GetTargetNodeName(pod); err == nil && target == node && p.alone(pod) && p.choice(pod, now) {
			node = "beside an old available pod"
		}
	}
	return node + " " + hash + " " + generation
}

// alone reports whether no other pod of the DaemonSet is on the node of pod, except pods that are
// being deleted.
func (p *daemonSetPass) alone(pod *corev1.Pod) bool {
	node, _ := daemonutil.GetTargetNodeName(pod)
	for _, other := range p.c.Pods {
		if n, err := daemonutil.GetTargetNodeName(other); err == nil && n == node && other != pod && other.DeletionTimestamp == nil && p.claims(other) {
			return false
		}
	}
	return pod.DeletionTimestamp == nil
}

func (p *daemonSetPass) claims(pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(p.c.DaemonSet.Spec.Selector)
	owner := metav1.GetControllerOf(pod)
	return err == nil && selector.Matches(setOf(pod.Labels)) && (owner == nil || owner.UID == p.c.DaemonSet.UID)
}

func (p *daemonSetPass) choice(pod *corev1.Pod, now time.Time) bool {
	generation, err := daemonutil.GetTemplateGeneration(p.c.DaemonSet)
	if err != nil {
		generation = nil
	}
	return !daemonutil.IsPodUpdated(pod, p.hash, generation) && podutil.IsPodAvailable(pod, p.c.DaemonSet.Spec.MinReadySeconds, at(now))
}

func (p *daemonSetPass) wanted(pod *corev1.Pod) bool {
	name, _ := daemonutil.GetTargetNodeName(pod)
	for _, n := range p.c.Nodes {
		if n.Name == name {
			run, _ := upstream.ShouldRun(n, p.c.DaemonSet)
			return run
		}
	}
	return false
}

// verdict compares the two sides of a pass, as for Deployments.
func (p daemonSetPass) verdict() (intended, diff string) {
	names, diff := explain(daemonSetDifferences, &p)
	return strings.Join(names, " and "), diff
}

func (p daemonSetPass) report(diff string) string {
	objects, err := yaml.Marshal(p.c)
	if err != nil {
		objects = []byte(err.Error())
	}
	return fmt.Sprintf("upstream (-) and plan (+) differ:\n%s\nupstream error: %v, panic: %v\nplan error: %v\nplan:\n%v\ncase:\n%s",
		diff, p.result.Err, p.result.Panic, p.rejected, p.plan, objects)
}

// TestDaemonSets compares whole passes of the DaemonSet controller with plans.
func TestDaemonSets(t *testing.T) {
	counts := newCaseCounts("whole passes of DaemonSets")
	defer counts.clock()()
	inBubble(t, func(t bubble, now time.Time) {
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		counts.check(t, daemonCases, func(t random.T) {
			c := gen.DaemonSet(t, now)
			rareDaemons(t, dsc, c)
			p, err := passDaemonSet(dsc, c, now)
			require.NoError(t, err)
			take(counts, daemonSetCorners, &p)
			judgePass(t, counts, daemonSetDifferences, &p)
		})
	})
}
