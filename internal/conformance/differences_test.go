package conformance

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/conformance/gen"
	"github.com/kplan-go/kplan/internal/conformance/upstream"
)

// This file is the complete list of what is meant to differ from upstream. Whatever
// else differs fails.

// A difference is one intended difference between passes P.
type difference[P any] struct {
	name string
	// reason is why the plans differ, with the number of the defect or of the
	// deviation in the package comment that says so.
	reason string
	// applies recognises a pass in which this difference may show.
	applies func(P) bool
	// forgive removes from both sides what may differ, without changing what they
	// point to. Nil forgives everything.
	forgive func(P)
}

var deploymentDifferences = []difference[*deploymentPass]{
	{
		name:    "unusable limit rejected",
		reason:  "upstream treats a limit that is no number in two ways; kube and deploy report it",
		applies: func(p *deploymentPass) bool { return p.rejected != nil && unusableLimit(p.c.Deployment) },
	},
	{
		name:   "unset surge is 0 for the new ReplicaSet as well",
		reason: "deploy, Deviations: upstream reads an unset surge as 0, except where the new ReplicaSet is created or grows, which fails",
		applies: func(p *deploymentPass) bool {
			return unsetSurge(&p.c.Deployment.Spec) && p.result.Err != nil && strings.Contains(p.result.Err.Error(), "nil value for IntOrString")
		},
		forgive: func(p *deploymentPass) { // what upstream has done by then is the same
			steps := append([]string(nil), p.ours.Steps[:min(len(p.ours.Steps), len(p.upstream.Steps))]...)
			p.upstream, p.ours = deploymentOutcome{Steps: p.upstream.Steps}, deploymentOutcome{Steps: steps}
		},
	},
	{
		name:    "percentages beyond the precision of a float",
		reason:  "rollout, Deviations: whole numbers are computed; floats are exact up to 2^53",
		applies: func(p *deploymentPass) bool { return tooPrecise(limitsOf(p.c.Deployment)) },
	},
	{
		name:    "negative number rejected",
		reason:  "deploy, Deviations: negative numbers are an error",
		applies: func(p *deploymentPass) bool { return p.rejected != nil && negative(p) },
	},
	{
		name:   "unknown strategy rejected at once",
		reason: "deploy, Deviations: an unknown strategy is an error; upstream gets as far as the strategy",
		applies: func(p *deploymentPass) bool {
			return p.rejected != nil && p.c.Deployment.Spec.Strategy.Type == "Canary"
		},
	},
	{
		name:   "ReplicaSet without UID rejected at once",
		reason: "deploy admits no ReplicaSet of the Deployment's without a UID; upstream first adopts and releases others",
		applies: func(p *deploymentPass) bool {
			return p.rejected != nil && anySet(func(rs *appsv1.ReplicaSet) bool { return rs.UID == "" })(p)
		},
	},
	{
		name:    "no size below 0",
		reason:  "deploy, Deviations: a size that wraps around below 0 is not planned; upstream writes it, and would be refused",
		applies: func(p *deploymentPass) bool { return slices.ContainsFunc(p.upstream.Steps, belowZero) },
		forgive: func(p *deploymentPass) { // up to the write that is refused
			n := slices.IndexFunc(p.upstream.Steps, belowZero)
			steps := append([]string(nil), p.ours.Steps[:min(n, len(p.ours.Steps))]...)
			p.upstream, p.ours = deploymentOutcome{Steps: append([]string(nil), p.upstream.Steps[:n]...)}, deploymentOutcome{Steps: steps}
		},
	},
	{
		name:    "nothing released without a selector",
		reason:  "deploy, Deviations: without a selector nothing is adopted or released; upstream releases all and panics",
		applies: func(p *deploymentPass) bool { return p.c.Deployment.Spec.Selector == nil },
	},
	{
		name:    "name of the new ReplicaSet taken",
		reason:  "deploy, Deviations: what follows when it cannot be created is AfterCreate; the steps are the same",
		applies: func(p *deploymentPass) bool { return p.nameTaken() },
		forgive: func(p *deploymentPass) {
			for _, o := range []*deploymentOutcome{&p.upstream, &p.ours} {
				*o = deploymentOutcome{Created: o.Created, Steps: untilCreate(o.Steps)}
			}
		},
	},
	{
		name:    "cyclic order of revisions broken",
		reason:  "deploy, Deviations: with an unusable revision upstream's order may be cyclic",
		applies: func(p *deploymentPass) bool { return cyclic(util.ReplicaSetsByRevision(own(p))) },
		forgive: func(p *deploymentPass) {
			p.upstream.Steps, p.ours.Steps = withoutDeletes(p.upstream.Steps), withoutDeletes(p.ours.Steps)
		},
	},
	{
		name:   "no recheck of a condition that cannot time out",
		reason: "deploy.ReusedSetKeepsDeadline: upstream goes on looking at a rollout whose condition says that it was complete",
		applies: func(p *deploymentPass) bool {
			c := progressing(&p.c.Deployment.Status)
			return c != nil && c.Reason == "NewReplicaSetAvailable" && p.ours.Recheck == never
		},
		forgive: func(p *deploymentPass) { p.upstream.Recheck = never },
	},
}

var replicaSetDifferences = []difference[*replicaSetPass]{
	{
		name:    "negative size rejected",
		reason:  "replicaset, Deviations: negative replicas are an error; upstream panics",
		applies: func(p *replicaSetPass) bool { return p.rejected != nil && *p.c.ReplicaSet.Spec.Replicas < 0 },
	},
	{
		name:    "nothing released without a selector",
		reason:  "replicaset, Deviations: without a selector the pods are those that it controls; upstream releases all",
		applies: func(p *replicaSetPass) bool { return p.c.ReplicaSet.Spec.Selector == nil },
	},
	{
		name:    "no panic over a pod created just now",
		reason:  "upstream divides by the age in milliseconds of the youngest ready pod",
		applies: func(p *replicaSetPass) bool { return p.result.Panic != nil && p.youngestIsNew() },
	},
	{
		name:    "adopted pods not listed last",
		reason:  "upstream lists what it adopts behind the other pods, which decides among equals and in cycles",
		applies: func(p *replicaSetPass) bool { return p.adoptsAmongEquals() },
		forgive: otherVictims,
	},
	{
		name:    "cycle among more than 12 pods",
		reason:  "as for single functions, below",
		applies: func(p *replicaSetPass) bool { return p.ranked().cycleOfMany() },
		forgive: otherVictims,
	},
	{
		name:    "times centuries away are the same",
		reason:  "podorder, Deviations: times more than 292 years from 1970 are the same time",
		applies: func(p *replicaSetPass) bool { return slices.ContainsFunc(p.c.Pods, farAway) },
		forgive: otherVictims,
	},
}

var daemonSetDifferences = []difference[*daemonSetPass]{
	{
		name:   "another owner's revision without a hash",
		reason: "a revision without a hash has its name for one; upstream labels new pods with nothing",
		applies: func(p *daemonSetPass) bool {
			return p.result.Err == nil && slices.ContainsFunc(p.result.Writes, func(w upstream.Write) bool {
				c, ok := w.(upstream.CreateRevision)
				return ok && c.Err != nil && p.labelOf(c.Object.Name) == ""
			})
		},
	},
	{
		name:   "missing node fails a surge without an error",
		reason: "daemonset, Deviations: where upstream fails, and has nothing to write before, the plan has a hold",
		applies: func(p *daemonSetPass) bool {
			return p.result.Err != nil && strings.Contains(p.result.Err.Error(), "couldn't get node for nodeName") &&
				slices.ContainsFunc(p.plan.Holds, func(h daemonset.Hold) bool { return h.Reason == daemonset.ReasonMissingNode })
		},
		forgive: func(p *daemonSetPass) { p.upstream.Refused = false },
	},
}

var limitDifferences = []difference[decision[limits]]{
	{
		name:    "percentages beyond the precision of a float",
		reason:  "rollout, Deviations: whole numbers are computed; floats are exact up to 2^53",
		applies: func(d decision[limits]) bool { return tooPrecise(d.in) },
	},
	{
		name:    "percentage beyond 32 bits rejected",
		reason:  "rollout, Deviations: upstream wraps around",
		applies: func(d decision[limits]) bool { return tooLarge(d.in.Surge) || tooLarge(d.in.Unavailable) },
	},
	{
		name:   "what must be available saturates",
		reason: "rollout, Deviations: upstream wraps around",
		applies: func(d decision[limits]) bool {
			b, ok := d.upstream.(budget)
			least := int64(d.in.Replicas) - int64(b.Unavailable)
			return ok && least != int64(int32(least))
		},
	},
}

// cycleOfMany reports whether upstream's relation has a cycle on more pods than an
// insertion sort is used for, and the planner's order does not contradict it
// anywhere between two neighbours.
func (r ranked) cycleOfMany() bool {
	if len(r.Pods) <= 12 || !cyclic(r.upstream()) {
		return false
	}
	list := ranked{Pods: r.planned(), Ranks: r.Ranks, Now: r.Now}.upstream()
	for i := 1; i < list.Len(); i++ {
		if list.Less(i, i-1) {
			return false
		}
	}
	return true
}

// adoptsAmongEquals reports whether pods are adopted, and upstream's sort would choose
// the planner's victims if it were given the pods in the planner's order.
func (p *replicaSetPass) adoptsAmongEquals() bool {
	r := p.ranked()
	if !slices.ContainsFunc(r.Pods, func(pod *corev1.Pod) bool { return metav1.GetControllerOf(pod) == nil }) {
		return false
	}
	list := ranked{Pods: r.planned(), Ranks: r.Ranks, Now: r.Now}.upstream()
	sort.Sort(list)
	return len(p.ours.Deletes) <= list.Len() && slices.Equal(p.ours.Deletes, sorted(names(list.Pods[:len(p.ours.Deletes)])))
}

// percentOf returns the percentage that a limit is.
func percentOf(v *intstr.IntOrString) (p int64, ok bool) {
	if v == nil || v.Type == intstr.Int {
		return 0, false
	}
	digits, ok := strings.CutSuffix(v.StrVal, "%")
	p, err := strconv.ParseInt(digits, 10, 64)
	return p, ok && err == nil
}

func tooLarge(v *intstr.IntOrString) bool {
	p, ok := percentOf(v)
	return ok && p != int64(int32(p))
}

func tooPrecise(l limits) bool {
	for _, v := range []*intstr.IntOrString{l.Surge, l.Unavailable} {
		p, ok := percentOf(v)
		if product := float64(p) * float64(l.Replicas); ok && math.Abs(product) >= 1<<53 {
			return true
		}
	}
	return false
}

var revisionDifferences = []difference[decision[historied]]{
	{
		name:    "cyclic order of revisions broken",
		reason:  "deploy, Deviations: with an unusable revision upstream's order may be cyclic",
		applies: func(d decision[historied]) bool { return cyclic(util.ReplicaSetsByRevision(d.in.Sets)) },
	},
}

var orderDifferences = []difference[decision[ranked]]{
	{
		name: "cycle among more than 12 pods",
		reason: "upstream's sort of more than 12 elements is no insertion sort, so that its answers to a cycle are " +
			"not easily told; ours has no two neighbours in the wrong order, and would be left as it is by an insertion sort",
		applies: func(d decision[ranked]) bool { return d.in.cycleOfMany() },
	},
	{
		name:    "times centuries away are the same",
		reason:  "podorder, Deviations: times more than 292 years from 1970 are the same time",
		applies: func(d decision[ranked]) bool { return slices.ContainsFunc(d.in.Pods, farAway) },
	},
}

// farAway reports whether a time of the pod does not fit into 64 bits of
// nanoseconds around 1970.
func farAway(p *corev1.Pod) bool {
	times := []metav1.Time{p.CreationTimestamp}
	for _, c := range p.Status.Conditions {
		times = append(times, c.LastTransitionTime)
	}
	return slices.ContainsFunc(times, func(t metav1.Time) bool {
		return !t.IsZero() && math.Abs(float64(t.Unix())*1e9) > math.MaxInt64
	})
}

// limitsOf returns the limits of a Deployment, unset unless it has any.
func limitsOf(d *appsv1.Deployment) limits {
	l := limits{Replicas: number(d.Spec.Replicas)}
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		l.Surge, l.Unavailable = r.MaxSurge, r.MaxUnavailable
	}
	return l
}

func unusableLimit(d *appsv1.Deployment) bool {
	surge, unavailable, err := limitsOf(d).ours()
	return err != nil || surge.IsNegative() || unavailable.IsNegative()
}

// cyclic reports whether an order is none: a before b and b before c, but not a
// before c.
func cyclic(list sort.Interface) bool {
	for a := range list.Len() {
		for b := range list.Len() {
			for c := range list.Len() {
				if a != c && list.Less(a, b) && list.Less(b, c) && !list.Less(a, c) {
					return true
				}
			}
		}
	}
	return false
}

func withoutDeletes(steps []string) (rest []string) {
	for _, s := range steps {
		if !strings.HasPrefix(s, "delete ") {
			rest = append(rest, s)
		}
	}
	return rest
}

func untilCreate(steps []string) []string {
	for i, s := range steps {
		if strings.HasPrefix(s, "create ") {
			return steps[:i+1]
		}
	}
	return steps
}

// belowZero reports whether a step sets a size that no ReplicaSet can have.
func belowZero(step string) bool {
	return strings.HasPrefix(step, "scale ") && strings.Contains(step, " to -") ||
		strings.HasPrefix(step, "create ") && strings.Contains(step, " with -")
}

func progressing(s *appsv1.DeploymentStatus) *appsv1.DeploymentCondition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == appsv1.DeploymentProgressing {
			return &s.Conditions[i]
		}
	}
	return nil
}

// otherVictims forgives another choice of as many pods.
func otherVictims(p *replicaSetPass) {
	if len(p.upstream.Deletes) == len(p.ours.Deletes) {
		p.upstream.Deletes, p.ours.Deletes = nil, nil
	}
}

// youngestIsNew reports whether the youngest ready active pod was created less than
// a millisecond ago.
func (p *replicaSetPass) youngestIsNew() bool {
	var candidates []*corev1.Pod
	for _, pod := range p.c.Pods {
		if claimed(p.c, pod) && controller.IsPodActive(pod) {
			candidates = append(candidates, pod)
		}
	}
	return youngestIsNew(p.now, candidates)
}

func youngestIsNew(now time.Time, pods []*corev1.Pod) bool {
	var youngest time.Time
	for _, pod := range pods {
		if podutil.IsPodReady(pod) && pod.CreationTimestamp.After(youngest) {
			youngest = pod.CreationTimestamp.Time
		}
	}
	return now.Sub(youngest).Milliseconds() == 0
}

// claimed reports whether upstream keeps or adopts an active pod, if the references to
// the ReplicaSet are coherent.
func claimed(c *gen.ReplicaSetCase, pod *corev1.Pod) bool {
	rs := c.ReplicaSet
	o := metav1.GetControllerOf(pod)
	if o == nil {
		return rs.DeletionTimestamp == nil && selects(rs, pod)
	}
	return o.UID == rs.UID && selects(rs, pod)
}
