// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// replicaSetDifferences is the complete list of intended differences in plans for ReplicaSets and
// ReplicationControllers.
var replicaSetDifferences = []difference[*replicaSetPass, replicaSetOutcome]{
	{
		name:   "negative size rejected",
		reason: "replicaset, Deviations: negative replicas are an error; upstream panics, unless it manages no pods",
		leaf:   []string{""},
		from:   negativeSize,
		to:     func(p *replicaSetPass) replicaSetOutcome { return refusedReplicaSet(p.c, "ReplicaSet.Replicas") },
		near: []mistake[replicaSetOutcome]{
			{"another field", func(o *replicaSetOutcome) bool {
				o.Rejected[0] = "ReplicaSet.MinReadySeconds"
				return true
			}},
			{"an empty plan instead", func(o *replicaSetOutcome) bool {
				o.Refused, o.Rejected = false, nil
				return true
			}},
		},
		elsewhere: func(p *replicaSetPass, o *replicaSetOutcome) bool {
			was := o.Refused
			*o = refusedReplicaSet(p.c, "ReplicaSet.Replicas")
			return !was
		},
	},
	{
		name:   "nothing released without a selector",
		reason: "replicaset, Deviations: without a selector the pods are those that it controls, for neighbours as well; upstream releases all",
		leaf:   []string{""},
		from: func(p *replicaSetPass) bool {
			return !negativeSize(p) && slices.ContainsFunc(append(p.in.Siblings, p.in.ReplicaSet), func(rs *appsv1.ReplicaSet) bool { return rs.Spec.Selector == nil })
		},
		to:        insteadOf(selectControlled),
		near:      nearPods,
		elsewhere: oneMoreRelease,
	},
	{
		name:   uidDecides,
		reason: "replicaset, Deviations: the UID decides; upstream does not see a pod with another kind or name in its reference",
		leaf:   []string{""},
		from:   func(p *replicaSetPass) bool { return !negativeSize(p) && !slices.Equal(p.in.Pods, coherentPods(p.in)) },
		to:     ofCoherentPods,
		near:   nearPods,
		elsewhere: func(_ *replicaSetPass, o *replicaSetOutcome) bool {
			o.Creates++
			return !o.Refused
		},
	},
	{
		name:   "no panic over a pod created just now",
		reason: "upstream divides by the age in milliseconds of the youngest ready pod",
		leaf:   []string{""},
		from: func(p *replicaSetPass) bool {
			return strings.Contains(fmt.Sprint(p.result.Panic), "divide by zero") && p.youngestIsNew()
		},
		to:        insteadOf(aMomentAhead),
		near:      nearPods,
		elsewhere: otherVictim,
	},
	{
		name:   "times centuries away are the same",
		reason: "podorder, Deviations: times more than 292 years from 1970 are the same time",
		leaf:   []string{"Deletes"},
		from: func(p *replicaSetPass) bool {
			return len(p.upstream.Deletes) > 0 && slices.ContainsFunc(p.in.Pods, farAway)
		},
		to:        victimsOf(func(c *gen.ReplicaSetCase) { c.Pods = within292Years(c.Pods) }),
		near:      nearPods,
		elsewhere: otherVictim,
	},
	{
		name:   "adopted pods not listed last",
		reason: "upstream lists what it adopts behind the other pods, which decides among equals and in cycles",
		leaf:   []string{"Deletes"},
		from: func(p *replicaSetPass) bool {
			return len(p.upstream.Deletes) > 0 && slices.ContainsFunc(p.ranked().Pods, func(pod *corev1.Pod) bool { return metav1.GetControllerOf(pod) == nil })
		},
		to:        victimsOf(adopted),
		near:      nearPods,
		elsewhere: otherVictim,
	},
	{
		name:   "cycle among more than 12 pods",
		reason: "upstream's sort of more than 12 elements is no insertion sort; ours has no two neighbours in the wrong order, and would be left as it is by an insertion sort",
		leaf:   []string{"Deletes"},
		from: func(p *replicaSetPass) bool {
			return len(p.upstream.Deletes) > 0 && p.chosenFrom().ranked().cycleOfMany()
		},
		to: func(p *replicaSetPass) replicaSetOutcome {
			p.upstream.Deletes = sorted(names(p.chosenFrom().ranked().planned()[:len(p.upstream.Deletes)]))
			return p.upstream
		},
		near:      nearPods,
		elsewhere: otherVictim,
	},
}

// negativeSize reports whether the case is refused, so that no difference of plans applies.
func negativeSize(p *replicaSetPass) bool { return *p.c.ReplicaSet.Spec.Replicas < 0 }

// insteadOf is upstream's outcome for another input.
func insteadOf(change func(*gen.ReplicaSetCase)) func(*replicaSetPass) replicaSetOutcome {
	return func(p *replicaSetPass) replicaSetOutcome {
		p.again(change)
		return p.upstream
	}
}

// ofCoherentPods is upstream's outcome when it sees all pods of the ReplicaSet. If it then panics
// over a pod that was created just now, there is no answer yet.
func ofCoherentPods(p *replicaSetPass) replicaSetOutcome {
	panicked := p.result.Panic != nil
	p.again(func(c *gen.ReplicaSetCase) { c.Pods = coherentPods(c) })
	if p.result.Panic != nil && !panicked && p.youngestIsNew() {
		p.again(aMomentAhead)
	}
	return p.upstream
}

// victimsOf is upstream's outcome with the victims that it chooses for another input.
func victimsOf(change func(*gen.ReplicaSetCase)) func(*replicaSetPass) replicaSetOutcome {
	return func(p *replicaSetPass) replicaSetOutcome {
		q := p.chosenFrom()
		q.again(change)
		p.choice, p.upstream.Deletes = q.in, q.upstream.Deletes
		return p.upstream
	}
}

// chosenFrom returns the pass in which the victims are chosen.
func (p *replicaSetPass) chosenFrom() *replicaSetPass {
	q := p.clone()
	q.in = cmp.Or(p.choice, p.in)
	return q
}

// selectControlled gives ReplicaSets without a selector one for the pods that they control.
func selectControlled(c *gen.ReplicaSetCase) {
	withSelector := func(rs *appsv1.ReplicaSet) *appsv1.ReplicaSet {
		if rs.Spec.Selector != nil {
			return rs
		}
		rs = rs.DeepCopy()
		label := "example.com/of-" + rs.Name
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{label: ""}}
		for i, pod := range c.Pods {
			if o := metav1.GetControllerOf(pod); o != nil && o.UID == rs.UID {
				c.Pods[i] = pod.DeepCopy()
				metav1.SetMetaDataLabel(&c.Pods[i].ObjectMeta, label, "")
			}
		}
		return rs
	}
	c.ReplicaSet = withSelector(c.ReplicaSet)
	for i, rs := range c.Siblings {
		c.Siblings[i] = withSelector(rs)
	}
}

func coherentPods(c *gen.ReplicaSetCase) []*corev1.Pod {
	return coherent(c.Kind(), []*appsv1.ReplicaSet{c.ReplicaSet}, c.Pods)
}

// aMomentAhead moves the pods that are created now into the future. Their rank by age, the rank of
// all pods that are not older than now, stays the same, and so do ties among them.
func aMomentAhead(c *gen.ReplicaSetCase) {
	now := time.Now()
	for i, pod := range c.Pods {
		if pod.CreationTimestamp.Time.Equal(now) {
			c.Pods[i] = pod.DeepCopy()
			c.Pods[i].CreationTimestamp = at(now.Add(1234567 * time.Microsecond))
		}
	}
}

// within292Years moves times that are further away to the limit of 64 bits of nanoseconds.
func within292Years(pods []*corev1.Pod) []*corev1.Pod {
	pods = slices.Clone(pods)
	for i, pod := range pods {
		if !farAway(pod) {
			continue
		}
		pods[i] = pod.DeepCopy()
		nearer := func(t *metav1.Time) {
			switch sec := float64(t.Unix()) * 1e9; {
			case t.IsZero() || math.Abs(sec) <= math.MaxInt64:
			case sec > 0:
				*t = at(time.Unix(0, math.MaxInt64))
			default:
				*t = at(time.Unix(0, math.MinInt64))
			}
		}
		nearer(&pods[i].CreationTimestamp)
		for k := range pods[i].Status.Conditions {
			nearer(&pods[i].Status.Conditions[k].LastTransitionTime)
		}
	}
	return pods
}

// adopted gives the pods to adopt to the ReplicaSet.
func adopted(c *gen.ReplicaSetCase) {
	for i, pod := range c.Pods {
		if metav1.GetControllerOf(pod) == nil && claimed(c, pod) && controller.IsPodActive(pod) {
			c.Pods[i] = pod.DeepCopy()
			c.Pods[i].OwnerReferences = append(c.Pods[i].OwnerReferences,
				*metav1.NewControllerRef(c.ReplicaSet, appsv1.SchemeGroupVersion.WithKind(c.Kind())))
		}
	}
}

// nearPods are wrong plans for pods.
var nearPods = []mistake[replicaSetOutcome]{
	{"a victim less", func(o *replicaSetOutcome) bool {
		ok := len(o.Deletes) > 0
		if ok {
			o.Deletes = o.Deletes[1:]
		}
		return ok
	}},
	{"another victim", func(o *replicaSetOutcome) bool {
		ok := len(o.Deletes) > 0
		if ok {
			o.Deletes[0] = "p99"
		}
		return ok
	}},
	{"a creation more", func(o *replicaSetOutcome) bool {
		o.Creates++
		return true
	}},
	{"a release more", func(o *replicaSetOutcome) bool {
		o.Claims = append(o.Claims, "p99 {}")
		return true
	}},
	{"another status", func(o *replicaSetOutcome) bool {
		o.Status.Replicas++
		return true
	}},
	{"no plan", func(o *replicaSetOutcome) bool {
		*o = replicaSetOutcome{Refused: true, Status: o.Status, Recheck: never}
		return true
	}},
}

func oneMoreRelease(_ *replicaSetPass, o *replicaSetOutcome) bool { return nearPods[3].plant(o) }

// otherVictim deletes another pod of the case instead.
func otherVictim(p *replicaSetPass, o *replicaSetOutcome) bool {
	for _, pod := range p.c.Pods {
		if len(o.Deletes) > 0 && !slices.Contains(o.Deletes, pod.Name) {
			o.Deletes[0] = pod.Name
			slices.Sort(o.Deletes)
			return true
		}
	}
	return false
}

// rareReplicas turns some cases into rare ones: with times centuries away, and one in 50 with many
// pods for which upstream's order may be cyclic.
func rareReplicas(t random.T, c *gen.ReplicaSetCase, now time.Time) {
	if centuriesAway(t, c.Pods) {
		*c.ReplicaSet.Spec.Replicas = int32(len(c.Pods) / 2)
	}
	if random.OneIn(t, "in a circle", 50) && c.ReplicaSet.Spec.Selector != nil {
		c.Pods = nil
		for _, pod := range drawCircle(t, now) {
			pod.Labels = map[string]string{}
			for k, v := range c.ReplicaSet.Labels {
				pod.Labels[k] = v
			}
			pod.OwnerReferences = []metav1.OwnerReference{{Kind: c.Kind(), Name: c.ReplicaSet.Name, UID: c.ReplicaSet.UID, Controller: new(true)}}
			c.Pods = append(c.Pods, pod)
		}
		*c.ReplicaSet.Spec.Replicas = int32(len(c.Pods) - 1 - random.Below(t, "fewer", 6))
	}
}

// drawCircle draws 13 healthy pods of about the same age; their order by age, restarts and UID may
// be cyclic.
func drawCircle(t random.T, now time.Time) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range 13 {
		p := healthyPod(now.Add(-time.Hour-time.Duration(random.Below(t, "seconds", 6))*time.Second), i)
		p.UID = types.UID(strconv.Itoa(random.Below(t, "uid", 128)) + "-" + strconv.Itoa(i))
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: int32(random.Below(t, "restarts", 4))}}
		pods = append(pods, p)
	}
	return pods
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

// youngestIsNew reports whether the youngest ready active pod was created less than
// a millisecond ago.
func (p *replicaSetPass) youngestIsNew() bool {
	return youngestIsNew(p.now, p.ranked().Pods)
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
