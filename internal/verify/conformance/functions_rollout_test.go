// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"math"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

var limitFunctions = []function{
	{"ResolveFenceposts", compareFenceposts},
	{"MaxSurge, MaxUnavailable, MinAvailable", compareBudget},
}

var rolloutFunctions = []function{
	{"NewRSNewReplicas", compareNewSize},
	{"getReplicaSetFraction", compareFraction},
	{"GetReplicaSetProportion", compareProportion},
	{"DeploymentComplete", compareComplete},
	{"DeploymentProgressing", compareProgressed},
}

// limit translates a limit as the API spells it. Unset stays unset.
func limit(v *intstr.IntOrString) (rollout.IntOrPercent, error) {
	switch {
	case v == nil:
		return rollout.IntOrPercent{}, nil
	case v.Type == intstr.Int:
		return rollout.Int(v.IntVal), nil
	case v.StrVal == "" || v.StrVal[len(v.StrVal)-1] != '%':
		return rollout.IntOrPercent{}, errors.New("no percentage")
	}
	return rollout.Parse(v.StrVal)
}

// limits are the two limits of a rolling update.
type limits struct {
	Surge, Unavailable *intstr.IntOrString
	Replicas           int32
}

func drawLimits(t random.T) limits {
	l := limits{Surge: gen.Limit(t, "surge"), Unavailable: gen.Limit(t, "unavailable"), Replicas: random.Size(t, "replicas")}
	if random.OneIn(t, "any replicas", 20) {
		l.Replicas = random.Number(t, "replicas")
	}
	return l
}

func (l limits) ours() (surge, unavailable rollout.IntOrPercent, err error) {
	surge, err1 := limit(l.Surge)
	unavailable, err2 := limit(l.Unavailable)
	return surge, unavailable, errors.Join(err1, err2)
}

func (l limits) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: &l.Replicas,
		Strategy: appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: l.Surge, MaxUnavailable: l.Unavailable},
		},
	}}
}

type fenceposts struct {
	Up, Down int32
	Failed   bool
}

var limitCorners = []corner[decision[limits]]{
	in("0 replicas", func(l limits) bool { return l.Replicas == 0 }),
	in("2147483647 replicas", func(l limits) bool { return l.Replicas == math.MaxInt32 }),
	in("negative replicas", func(l limits) bool { return l.Replicas < 0 }),
	in("unset", func(l limits) bool { return l.Surge == nil }),
	in("number", func(l limits) bool { return l.Surge != nil && l.Surge.Type == intstr.Int }),
	in("percentage", func(l limits) bool { return l.Surge != nil && l.Surge.StrVal == "25%" }),
	in("signed percentage", func(l limits) bool { return l.Surge != nil && l.Surge.StrVal == "+5%" }),
	in("unusable", func(l limits) bool { _, _, err := l.ours(); return err != nil }),
}

func compareFenceposts(t random.T, c *caseCounts, _ time.Time) {
	corners := append(limitCorners, outcomeIs[limits]("neither", fenceposts{Up: 0, Down: 1}))
	judge(t, c, corners, fencepostDifferences, decideFenceposts(drawLimits(t)))
}

func decideFenceposts(l limits) decision[limits] {
	d := decision[limits]{in: l}
	up, down, err := util.ResolveFenceposts(l.Surge, l.Unavailable, l.Replicas)
	d.upstream = fenceposts{up, down, err != nil}
	surge, unavailable, err := l.ours()
	ours := fenceposts{Failed: err != nil}
	if err == nil {
		ours.Up, ours.Down = rollout.Fenceposts(l.Replicas, surge, unavailable)
	}
	d.ours = ours
	return d
}

type budget struct{ Surge, Unavailable, MinAvailable int32 }

func compareBudget(t random.T, c *caseCounts, _ time.Time) {
	l := drawLimits(t)
	if _, _, err := l.ours(); err != nil { // no budget without limits: the planners reject them
		take(c, limitCorners, decision[limits]{in: l})
		return
	}
	judge(t, c, limitCorners, budgetDifferences, decideBudget(l))
}

func decideBudget(l limits) decision[limits] {
	d := decision[limits]{in: l}
	surge, unavailable, _ := l.ours()
	api := l.deployment()
	d.upstream = budget{util.MaxSurge(*api), util.MaxUnavailable(*api), util.MinAvailable(api)}
	b := rollout.Resolve(l.Replicas, surge, unavailable)
	d.ours = budget{b.Surge, b.Unavailable, b.MinAvailable()}
	return d
}

// sized is a Deployment and the sizes of its ReplicaSets, the last of them new.
type sized struct {
	Limits limits
	Sizes  []int32
}

func (s sized) sets() []*appsv1.ReplicaSet {
	sets := make([]*appsv1.ReplicaSet, len(s.Sizes))
	for i := range s.Sizes {
		sets[i] = &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: &s.Sizes[i]}}
	}
	return sets
}

var newSizeCorners = []corner[decision[sized]]{
	in("one ReplicaSet", func(s sized) bool { return len(s.Sizes) == 1 }),
	in("four ReplicaSets", func(s sized) bool { return len(s.Sizes) == 4 }),
	in("larger than wanted", func(s sized) bool { return s.Sizes[len(s.Sizes)-1] > s.Limits.Replicas }),
	{"grows", func(d decision[sized]) bool { return d.upstream.(int32) > d.in.Sizes[len(d.in.Sizes)-1] }},
	{"grows to what is wanted", func(d decision[sized]) bool {
		return d.upstream == d.in.Limits.Replicas && d.upstream != d.in.Sizes[len(d.in.Sizes)-1]
	}},
	{"stays", func(d decision[sized]) bool { return d.upstream == d.in.Sizes[len(d.in.Sizes)-1] }},
	in("sum wraps around", func(s sized) bool {
		sum := int64(0)
		for _, n := range s.Sizes {
			sum += int64(n)
		}
		return sum > math.MaxInt32
	}),
	in("surge wraps around", func(s sized) bool {
		surge, _, _ := s.Limits.ours()
		return s.Limits.Replicas+surge.OfUp(s.Limits.Replicas) < 0
	}),
}

func compareNewSize(t random.T, c *caseCounts, _ time.Time) {
	s := sized{Limits: drawLimits(t)}
	near := random.OneIn(t, "near", 2)
	for range 1 + random.Below(t, "sets", 4) {
		if near {
			s.Sizes = append(s.Sizes, max(0, s.Limits.Replicas)/int32(1+random.Below(t, "share", 5)))
		} else {
			s.Sizes = append(s.Sizes, random.Size(t, "size"))
		}
	}
	surge, unavailable, err := s.Limits.ours()
	if err != nil || s.Limits.Surge == nil || tooPrecise(s.Limits) {
		return // rejected, or defaulted, before any size is computed
	}
	sets := s.sets()
	size, err := util.NewRSNewReplicas(s.Limits.deployment(), sets, sets[len(sets)-1])
	if err != nil {
		t.Fatal(err)
	}
	total := int32(0)
	for _, n := range s.Sizes {
		total += n
	}
	b := rollout.Resolve(s.Limits.Replicas, surge, unavailable)
	judge(t, c, newSizeCorners, nil, decision[sized]{s, size, rollout.Grow(b, int64(total), s.Sizes[len(s.Sizes)-1], rollout.Counting{})})
}

// share is a ReplicaSet that is to keep its share.
type share struct {
	Replicas, Surge, Size int32
	Annotation            *string // max-replicas
	Status                int32   // the Deployment's replicas as reported
	ToAdd, Added          int32
}

func drawShare(t random.T) share {
	s := share{
		Replicas: random.Size(t, "replicas"), Surge: random.Size(t, "surge"), Size: random.Size(t, "size"), Status: random.Size(t, "status"),
		ToAdd: random.Number(t, "to add"), Added: random.Number(t, "added"),
	}
	if random.OneIn(t, "all added", 10) {
		s.Added = s.ToAdd
	}
	if text, ok := random.SizeText(t, "max", s.Replicas); ok {
		s.Annotation = &text
	}
	return s
}

func (s share) objects() (*appsv1.ReplicaSet, *appsv1.Deployment) {
	d := limits{new(intstr.FromInt32(s.Surge)), new(intstr.FromInt32(1)), s.Replicas}.deployment()
	d.Status.Replicas = s.Status
	rs := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: &s.Size}}
	if s.Annotation != nil {
		rs.Annotations = map[string]string{revision.AnnotationMax: *s.Annotation}
	}
	return rs, d
}

// before returns the former maximum of the Deployment. Upstream parses that text here; whole passes
// compare how ours parses it.
func (s share) before(rs *appsv1.ReplicaSet) int32 {
	if n, ok := upstream.MaxReplicasAnnotation(klog.Background(), rs); ok && n != 0 {
		return n
	}
	return s.Status
}

func (s share) fraction(rs *appsv1.ReplicaSet) int32 {
	return int32(rollout.Fraction(rollout.Budget{Replicas: s.Replicas, Surge: s.Surge}, s.Size, s.before(rs), rollout.Counting{}))
}

var shareCorners = []corner[decision[share]]{
	in("annotation missing", func(s share) bool { return s.Annotation == nil }),
	in("annotation unusable", func(s share) bool { return s.Annotation != nil && *s.Annotation == "zz" }),
	in("annotation 0", func(s share) bool { return s.Annotation != nil && *s.Annotation == "0" }),
	in("nothing to compare with", func(s share) bool { return s.Annotation == nil && s.Status == 0 }),
	in("0 replicas", func(s share) bool { return s.Replicas == 0 }),
	in("product wraps around", func(s share) bool {
		return int64(s.Size)*(int64(s.Replicas)+int64(s.Surge)) > math.MaxInt32
	}),
	{"shrinks", func(d decision[share]) bool { return d.upstream.(int32) < 0 }},
	{"grows", func(d decision[share]) bool { return d.upstream.(int32) > 0 }},
	{"half is rounded", func(d decision[share]) bool {
		rs, _ := d.in.objects()
		product, before := d.in.Size*(d.in.Replicas+d.in.Surge), d.in.before(rs)
		return before > 0 && before%2 == 0 && product%before == before/2
	}},
}

func compareFraction(t random.T, c *caseCounts, _ time.Time) {
	s := drawShare(t)
	rs, d := s.objects()
	judge(t, c, shareCorners, nil, decision[share]{s, upstream.Fraction(klog.Background(), *rs, *d), s.fraction(rs)})
}

// compareProportion limits the fraction as the rule says. The planner's own limit is
// not exported and is compared in whole passes.
func compareProportion(t random.T, c *caseCounts, _ time.Time) {
	s := drawShare(t)
	rs, d := s.objects()
	ours, left := s.fraction(rs), s.ToAdd-s.Added
	switch {
	case s.Size == 0 || s.ToAdd == 0 || s.Added == s.ToAdd:
		ours = 0
	case s.ToAdd > 0:
		ours = min(ours, left)
	default:
		ours = max(ours, left)
	}
	corners := append([]corner[decision[share]]{
		in("nothing left", func(s share) bool { return s.Added == s.ToAdd && s.Size > 0 }),
		in("to add", func(s share) bool { return s.ToAdd > 0 }),
		in("to remove", func(s share) bool { return s.ToAdd < 0 }),
	}, shareCorners...)
	judge(t, c, corners, nil, decision[share]{s, util.GetReplicaSetProportion(klog.Background(), rs, *d, s.ToAdd, s.Added), ours})
}

// progress is a Deployment's status and the one before.
type progress struct {
	Before, After       deploy.Status
	Replicas            int32
	Generation          int64
	beforeAPI, afterAPI appsv1.DeploymentStatus
}

func drawProgress(t random.T) progress {
	p := progress{Replicas: random.Size(t, "replicas"), Generation: int64(random.Below(t, "generation", 3))}
	draw := func(label string, near appsv1.DeploymentStatus) (api appsv1.DeploymentStatus, s deploy.Status) {
		number := func(field string, value int32) int32 {
			switch random.Below(t, label+field, 4) {
			case 0:
				return value
			case 1:
				return value + 1
			case 2:
				return p.Replicas
			}
			return random.Number(t, label+field)
		}
		api = appsv1.DeploymentStatus{
			Replicas: number("replicas", near.Replicas), UpdatedReplicas: number("updated", near.UpdatedReplicas),
			ReadyReplicas: number("ready", near.ReadyReplicas), AvailableReplicas: number("available", near.AvailableReplicas),
			ObservedGeneration: int64(random.Below(t, label+"observed", 3)),
		}
		return api, deploy.Status{
			Replicas: api.Replicas, UpdatedReplicas: api.UpdatedReplicas, ReadyReplicas: api.ReadyReplicas,
			AvailableReplicas: api.AvailableReplicas, ObservedGeneration: api.ObservedGeneration,
		}
	}
	p.beforeAPI, p.Before = draw("before ", appsv1.DeploymentStatus{})
	p.afterAPI, p.After = draw("after ", p.beforeAPI)
	return p
}

func compareComplete(t random.T, c *caseCounts, _ time.Time) {
	p := drawProgress(t)
	d := limits{Replicas: p.Replicas}.deployment()
	d.Generation = p.Generation
	judge(t, c, []corner[decision[progress]]{
		outcomeIs[progress]("complete", true), outcomeIs[progress]("not complete", false),
		in("complete but for the generation", func(p progress) bool {
			return deploy.Complete(p.After, p.Replicas, 0) && p.After.ObservedGeneration < p.Generation
		}),
	}, nil, decision[progress]{p, util.DeploymentComplete(d, &p.afterAPI), deploy.Complete(p.After, p.Replicas, p.Generation)})
}

func compareProgressed(t random.T, c *caseCounts, _ time.Time) {
	p := drawProgress(t)
	d := &appsv1.Deployment{Status: p.beforeAPI}
	judge(t, c, []corner[decision[progress]]{
		outcomeIs[progress]("progress", true), outcomeIs[progress]("no progress", false),
		in("only fewer old pods", func(p progress) bool {
			return p.After.UpdatedReplicas <= p.Before.UpdatedReplicas && p.After.ReadyReplicas <= p.Before.ReadyReplicas &&
				p.After.AvailableReplicas <= p.Before.AvailableReplicas && deploy.Progressed(p.Before, p.After)
		}),
	}, nil, decision[progress]{p, util.DeploymentProgressing(d, &p.afterAPI), deploy.Progressed(p.Before, p.After)})
}
