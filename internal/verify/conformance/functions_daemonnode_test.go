// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
)

var daemonNodeFunctions = []function{
	{"SurgeCount, UnavailableCount, AllowsSurge", compareCounts},
	{"updatedDesiredNodeCounts", compareDaemonBudget},
	{"GetTemplateGeneration, IsPodUpdated", compareUpdated},
}

// daemonLimits are the two limits of a rolling update as a DaemonSet has them. Replicas
// are nodes.
type daemonLimits struct {
	Limits   limits
	OnDelete bool
	NoBlock  bool
}

func drawDaemonLimits(t random.T) daemonLimits {
	l := daemonLimits{drawLimits(t), random.OneIn(t, "on delete", 10), random.OneIn(t, "no block", 20)}
	l.Limits.Replicas = max(0, l.Limits.Replicas)
	return l
}

func (l daemonLimits) object() *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "web", UID: "ds"}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	ds.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
	if l.OnDelete {
		ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	}
	if !l.NoBlock {
		ds.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: l.Limits.Surge, MaxUnavailable: l.Limits.Unavailable}
	}
	return ds
}

// read reports whether anything reads the limits.
func (l daemonLimits) read() bool { return !l.OnDelete && !l.NoBlock }

// counted is a resolved limit.
type counted struct {
	N      int
	Failed bool
}

type daemonCounts struct {
	Surge, Unavailable counted
	Allowed            bool
}

func compareCounts(t random.T, c *caseCounts, _ time.Time) {
	l := drawDaemonLimits(t)
	ds, nodes := l.object(), int(l.Limits.Replicas)
	var theirs, ours daemonCounts
	of := func(n int, err error) counted {
		if err != nil { // with an error the values do not matter
			return counted{Failed: true}
		}
		return counted{N: n}
	}
	theirs.Surge, theirs.Unavailable = of(daemonutil.SurgeCount(ds, nodes)), of(daemonutil.UnavailableCount(ds, nodes))
	theirs.Allowed = daemonutil.AllowsSurge(ds)
	s, one := daemonset.Strategy(ds.Spec.UpdateStrategy.Type), rollout.Int(1)
	if l.read() {
		surge, err := limit(l.Limits.Surge)
		ours.Surge = of(int(daemonset.Resolve(s, surge, one, l.Limits.Replicas).Surge), err)
		ours.Allowed = err == nil && daemonset.SurgeAllowed(s, surge)
		unavailable, err := limit(l.Limits.Unavailable)
		ours.Unavailable = of(int(daemonset.Resolve(s, one, unavailable, l.Limits.Replicas).Unavailable), err)
	}
	judge(t, c, []corner[decision[daemonLimits]]{
		in("OnDelete", func(l daemonLimits) bool { return l.OnDelete }), in("no block", func(l daemonLimits) bool { return l.NoBlock }),
		in("0 nodes", func(l daemonLimits) bool { return l.Limits.Replicas == 0 }),
		in("2147483647 nodes", func(l daemonLimits) bool { return l.Limits.Replicas == math.MaxInt32 }),
		{"surge allowed", func(d decision[daemonLimits]) bool { return d.upstream.(daemonCounts).Allowed }},
		{"surge unusable", func(d decision[daemonLimits]) bool { return d.upstream.(daemonCounts).Surge.Failed }},
		{"surge of a percentage", func(d decision[daemonLimits]) bool {
			return l.read() && d.in.Limits.Surge != nil && d.in.Limits.Surge.StrVal == "25%" && d.upstream.(daemonCounts).Surge.N > 0
		}},
		{"unavailable unset, which fails", func(d decision[daemonLimits]) bool {
			return l.read() && l.Limits.Unavailable == nil && d.upstream.(daemonCounts).Unavailable.Failed
		}},
	}, countDifferences, decision[daemonLimits]{l, theirs, ours})
}

// countDifferences are differences for limits that no cluster has, and for an unset one.
var countDifferences = []difference[*decision[daemonLimits], any]{
	{
		name:   "percentages beyond the precision of a float",
		reason: "rollout, Deviations: whole numbers are computed; floats are exact up to 2^53",
		leaf:   []string{"Surge.N", "Unavailable.N"},
		from:   func(d *decision[daemonLimits]) bool { return d.in.read() && tooPrecise(d.in.Limits) },
		to: func(d *decision[daemonLimits]) any {
			return exactCounts(d)
		},
	},
	{
		name:   "percentage beyond 32 bits rejected",
		reason: "rollout, Deviations: upstream wraps around",
		leaf:   []string{"Surge", "Unavailable", "Allowed"},
		from: func(d *decision[daemonLimits]) bool {
			return d.in.read() && (tooLarge(d.in.Limits.Surge) || tooLarge(d.in.Limits.Unavailable))
		},
		to: func(d *decision[daemonLimits]) any {
			theirs := d.upstream.(daemonCounts)
			if tooLarge(d.in.Limits.Surge) {
				theirs.Surge, theirs.Allowed = counted{Failed: true}, false
			}
			if tooLarge(d.in.Limits.Unavailable) {
				theirs.Unavailable = counted{Failed: true}
			}
			return theirs
		},
		elsewhere: func(_ *decision[daemonLimits], o *any) bool { return failed(o) },
	},
	{
		name:   "more nodes than 32 bits hold",
		reason: "daemonset, Deviations: they wrap around, as for Deployments; upstream counts DaemonSets with 64 bits",
		leaf:   []string{"Surge.N", "Unavailable.N"},
		from: func(d *decision[daemonLimits]) bool {
			theirs := d.upstream.(daemonCounts)
			if d.in.read() && tooPrecise(d.in.Limits) && exactCounts(d) != theirs { // a count from a float might not wrap
				return false
			}
			return wrappedCounts(d) != theirs
		},
		to: func(d *decision[daemonLimits]) any { return wrappedCounts(d) },
	},
	{
		name:   "unset maxUnavailable is no error",
		reason: "daemonset, Deviations: unset limits have the defaults of the API, which a snapshot has already, where upstream fails; alone it is 0",
		leaf:   []string{"Unavailable.Failed"},
		from: func(d *decision[daemonLimits]) bool {
			return d.in.read() && d.in.Limits.Unavailable == nil && d.upstream.(daemonCounts).Unavailable.Failed
		},
		to: func(d *decision[daemonLimits]) any {
			theirs := d.upstream.(daemonCounts)
			theirs.Unavailable = counted{}
			return theirs
		},
		elsewhere: func(d *decision[daemonLimits], o *any) bool {
			c := (*o).(daemonCounts)
			was := c.Unavailable
			c.Unavailable = counted{}
			*o = c
			return was != c.Unavailable
		},
	},
}

// wrappedCounts wraps around where no percentage is rejected.
func wrappedCounts(d *decision[daemonLimits]) daemonCounts {
	theirs, l := d.upstream.(daemonCounts), d.in.Limits
	if !tooLarge(l.Surge) {
		theirs.Surge.N = int(int32(theirs.Surge.N))
	}
	if !tooLarge(l.Unavailable) {
		theirs.Unavailable.N = int(int32(theirs.Unavailable.N))
	}
	return theirs
}

func exactCounts(d *decision[daemonLimits]) daemonCounts {
	theirs, l := d.upstream.(daemonCounts), d.in.Limits
	theirs.Surge.exact(l.Surge, l.Replicas)
	theirs.Unavailable.exact(l.Unavailable, l.Replicas)
	return theirs
}

// exact computes the number that a percentage comes to in whole numbers.
func (c *counted) exact(v *intstr.IntOrString, nodes int32) {
	if n, ok := exactNumber(v, nodes, true); ok && !c.Failed {
		c.N = int(n)
	}
}

// failed plants a surge that is unusable.
func failed(o *any) bool {
	c := (*o).(daemonCounts)
	was := c.Surge.Failed
	c.Surge, c.Allowed = counted{Failed: true}, false
	*o = c
	return !was
}

// scheduled is a DaemonSet in a cluster.
type scheduled struct {
	DaemonSet *appsv1.DaemonSet
	Nodes     []*corev1.Node
	Pods      []*corev1.Pod
	limits    daemonLimits
}

// drawCluster draws up to eight nodes, several of them equal, and a DaemonSet for them.
func drawCluster(t random.T) scheduled {
	p := gen.Placement(t)
	c := scheduled{limits: drawDaemonLimits(t)}
	c.DaemonSet = c.limits.object()
	c.DaemonSet.Spec.Template = p.DaemonSet.Spec.Template
	if random.OneIn(t, "everywhere", 3) {
		c.DaemonSet.Spec.Template.Spec = corev1.PodSpec{HostNetwork: true}
	}
	for i := range random.Below(t, "nodes", 9) {
		n := p.Node.DeepCopy()
		switch {
		case random.OneIn(t, "other node", 4):
			n = gen.Placement(t).Node
		case random.OneIn(t, "other taints", 4):
			n.Spec.Taints = gen.Taints(t)
		case random.OneIn(t, "other labels", 4):
			n.Labels = random.Labels(t, "labels")
		}
		n.Name = "n" + strconv.Itoa(i)
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

// compareDaemonBudget compares the numbers of a rolling update, and with them where a
// plan wants pods.
func compareDaemonBudget(t random.T, c *caseCounts, now time.Time) {
	x := drawCluster(t)
	theirs := upstreamBudget(x)
	var ours clusterBudget
	s, err := kube.DaemonSetSnapshot(x.DaemonSet, x.Nodes, nil, nil)
	if err != nil {
		ours.Failed = true
	} else {
		p := must(daemonset.Reconcile(s, now, daemonset.Options{}))
		ours.Budget = p.Budget
		for _, a := range p.Actions {
			if a, ok := a.(daemonset.CreatePod); ok {
				ours.Creates = append(ours.Creates, a.Node)
			}
		}
	}
	of := func(name string, is func(clusterBudget) bool) corner[decision[scheduled]] {
		return corner[decision[scheduled]]{name, func(d decision[scheduled]) bool { return is(d.upstream.(clusterBudget)) }}
	}
	judge(t, c, []corner[decision[scheduled]]{
		of("no node", func(b clusterBudget) bool { return !b.Failed && b.Budget.Desired == 0 }),
		of("all of several nodes", func(b clusterBudget) bool { return int(b.Budget.Desired) == len(x.Nodes) && len(x.Nodes) > 3 }),
		of("some of several nodes", func(b clusterBudget) bool { return len(b.Creates) > 1 && len(b.Creates) < len(x.Nodes) }),
		of("surge", func(b clusterBudget) bool { return b.Budget.Surge > 0 }), of("fails", func(b clusterBudget) bool { return b.Failed }),
		of("neither of the limits", func(b clusterBudget) bool {
			return x.limits.read() && b.Budget.Unavailable == 1 && x.limits.Limits.Unavailable.String() == "0%"
		}),
	}, clusterDifferences, decision[scheduled]{x, theirs, ours})
}

// clusterBudget is the budget of a cluster, and the nodes that get a pod while none has
// one.
type clusterBudget struct {
	Budget  daemonset.Budget
	Creates []string
	Failed  bool
}

func upstreamBudget(x scheduled) (b clusterBudget) {
	surge, unavailable, desired, err := upstream.Budget(x.DaemonSet, x.Nodes)
	if err != nil {
		return clusterBudget{Failed: true}
	}
	b.Budget = daemonset.Budget{Surge: int32(surge), Unavailable: int32(unavailable), Desired: int32(desired)}
	for _, n := range x.Nodes {
		if run, _ := upstream.ShouldRun(n, x.DaemonSet); run {
			b.Creates = append(b.Creates, n.Name)
		}
	}
	return b
}

func negativeLimit(v *intstr.IntOrString) bool {
	ours, err := limit(v)
	return err == nil && ours.IsNegative()
}

// rejectsBudget is that no plan is made.
func rejectsBudget(*decision[scheduled]) any { return clusterBudget{Failed: true} }

func notPlanned(_ *decision[scheduled], o *any) bool {
	was := (*o).(clusterBudget).Failed
	*o = clusterBudget{Failed: true}
	return !was
}

var clusterDifferences = []difference[*decision[scheduled], any]{
	{
		name:   "unset limits have the defaults of the API",
		reason: "daemonset, Deviations: upstream fails, or takes them for 0",
		leaf:   []string{""},
		from: func(d *decision[scheduled]) bool {
			return !d.in.limits.OnDelete && (d.in.limits.NoBlock || d.in.limits.Limits.Unavailable == nil)
		},
		to: func(d *decision[scheduled]) any {
			x := d.in
			x.DaemonSet = x.DaemonSet.DeepCopy()
			strategy := &x.DaemonSet.Spec.UpdateStrategy
			if strategy.RollingUpdate == nil {
				strategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
			}
			if strategy.RollingUpdate.MaxUnavailable == nil {
				strategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(1))
			}
			return upstreamBudget(x)
		},
	},
	{
		name:   "negative limit rejected",
		reason: "kube: no plan can be made from it; upstream takes it as it is",
		leaf:   []string{""},
		from: func(d *decision[scheduled]) bool {
			return d.in.limits.read() && (negativeLimit(d.in.limits.Limits.Surge) || negativeLimit(d.in.limits.Limits.Unavailable))
		},
		to:        rejectsBudget,
		elsewhere: notPlanned,
	},
	{
		name:   "percentage beyond 32 bits rejected",
		reason: "rollout, Deviations: upstream wraps around",
		leaf:   []string{""},
		from: func(d *decision[scheduled]) bool {
			return d.in.limits.read() && (tooLarge(d.in.limits.Limits.Surge) || tooLarge(d.in.limits.Limits.Unavailable))
		},
		to:        rejectsBudget,
		elsewhere: notPlanned,
	},
}

// labelledPod is a pod and the values that distinguish new pods from old ones.
type labelledPod struct {
	Pod  *corev1.Pod
	Hash string
	On   map[string]string // annotations of the DaemonSet
}

type updated struct {
	Generation int64
	Known      bool
	Updated    bool
}

func compareUpdated(t random.T, c *caseCounts, now time.Time) {
	l := labelledPod{&corev1.Pod{}, []string{"new", "new", "new", ""}[random.Below(t, "current hash", 4)], gen.Generation(t)}
	if pods := gen.NodePods(t, now, "n1"); len(pods) > 0 {
		l.Pod = pods[0]
	}
	var theirs, ours updated
	generation, err := daemonutil.GetTemplateGeneration(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Annotations: l.On}})
	if theirs.Known = err == nil && generation != nil; theirs.Known {
		theirs.Generation = *generation
	} else {
		generation = nil
	}
	theirs.Updated = daemonutil.IsPodUpdated(l.Pod, l.Hash, generation)
	if ours.Generation, ours.Known = daemonset.TemplateGeneration(l.On); !ours.Known {
		ours.Generation = 0
	}
	ours.Updated = daemonset.NewVersion(l.Hash, l.On).Current(l.Pod.Labels)
	judge(t, c, []corner[decision[labelledPod]]{
		in("no labels", func(l labelledPod) bool { return l.Pod.Labels == nil }),
		in("no hash", func(l labelledPod) bool { return l.Hash == "" && l.Pod.Labels != nil }),
		{"by hash alone", func(d decision[labelledPod]) bool {
			u := d.upstream.(updated)
			return u.Updated && u.Known && d.in.Pod.Labels["pod-template-generation"] == ""
		}},
		{"by generation alone", func(d decision[labelledPod]) bool {
			return d.upstream.(updated).Updated && d.in.Pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == "old"
		}},
		{"by a generation with a sign", func(d decision[labelledPod]) bool {
			return d.upstream.(updated).Updated && d.in.On[appsv1.DeprecatedTemplateGeneration] == "+2" && d.in.Hash == ""
		}},
		{"not by 02", func(d decision[labelledPod]) bool {
			return !d.upstream.(updated).Updated && d.in.Pod.Labels["pod-template-generation"] == "02" && d.in.On[appsv1.DeprecatedTemplateGeneration] == "02"
		}},
		in("not a generation", func(l labelledPod) bool { return l.On[appsv1.DeprecatedTemplateGeneration] == "x" }),
	}, nil, decision[labelledPod]{l, theirs, ours})
}
