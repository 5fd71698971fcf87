// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller/deployment/util"
)

// The files differences_*.go are the complete list of intended differences from upstream. Every
// other difference fails. This one has the differences of functions.

// limitDifferences are the differences of both functions that resolve limits.
var limitDifferences = []difference[*decision[limits], any]{{
	name:   "percentages beyond the precision of a float",
	reason: "rollout, Deviations: whole numbers are computed; floats are exact up to 2^53",
	leaf:   []string{"Up", "Down", "Surge", "Unavailable", "MinAvailable"},
	from:   func(d *decision[limits]) bool { return tooPrecise(d.in) },
	to: func(d *decision[limits]) any {
		l := limits{exactly(d.in.Surge, d.in.Replicas, true), exactly(d.in.Unavailable, d.in.Replicas, false), d.in.Replicas}
		if _, ok := d.upstream.(budget); ok {
			return decideBudget(l).upstream
		}
		return decideFenceposts(l).upstream
	},
}}

var fencepostDifferences = append(limitDifferences, difference[*decision[limits], any]{
	name:   "percentage beyond 32 bits rejected",
	reason: "rollout, Deviations: upstream wraps around",
	leaf:   []string{"Up", "Down", "Failed"},
	from:   func(d *decision[limits]) bool { return tooLarge(d.in.Surge) || tooLarge(d.in.Unavailable) },
	to:     func(*decision[limits]) any { return fenceposts{Failed: true} },
	elsewhere: func(_ *decision[limits], o *any) bool {
		was := (*o).(fenceposts).Failed
		*o = fenceposts{Failed: true}
		return !was
	},
})

var budgetDifferences = append(limitDifferences, difference[*decision[limits], any]{
	name:   "what must be available saturates",
	reason: "rollout, Deviations: upstream wraps around",
	leaf:   []string{"MinAvailable"},
	from: func(d *decision[limits]) bool {
		least := leastAvailable(d)
		return least != int64(int32(least))
	},
	to: func(d *decision[limits]) any {
		b := d.upstream.(budget)
		b.MinAvailable = int32(min(max(leastAvailable(d), math.MinInt32), math.MaxInt32))
		return b
	},
	elsewhere: func(_ *decision[limits], o *any) bool {
		b := (*o).(budget)
		b.MinAvailable = math.MaxInt32
		*o = b
		return true
	},
})

func leastAvailable(d *decision[limits]) int64 {
	return int64(d.in.Replicas) - int64(d.upstream.(budget).Unavailable)
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

var revisionDifferences = []difference[*decision[historied], any]{{
	name:   "cyclic order of revisions broken",
	reason: "deploy, Deviations: with an unusable revision upstream's order may be cyclic; ours has no two neighbours in the wrong order, and an insertion sort leaves it as it is",
	leaf:   []string{""},
	from:   func(d *decision[historied]) bool { return cyclic(util.ReplicaSetsByRevision(d.in.Sets)) },
	to: func(d *decision[historied]) any {
		return decideByRevision(historied{Sets: plannedByRevision(d.in.Sets)}).upstream
	},
	near:      []mistake[any]{{"backwards", backwards}},
	elsewhere: func(_ *decision[historied], o *any) bool { return backwards(o) },
}}

func backwards(o *any) bool {
	list := slices.Clone((*o).([]string))
	slices.Reverse(list)
	*o = list
	return len(list) > 1
}

var farAwayDifference = difference[*decision[ranked], any]{
	name:   "times centuries away are the same",
	reason: "podorder, Deviations: times more than 292 years from 1970 are the same time",
	leaf:   []string{""},
	from:   func(d *decision[ranked]) bool { return slices.ContainsFunc(d.in.Pods, farAway) },
	to: func(d *decision[ranked]) any {
		d.in.Pods = within292Years(d.in.Pods)
		return d.in.answer(d.in)
	},
}

var cycleDifference = difference[*decision[ranked], any]{
	name: "cycle among more than 12 pods",
	reason: "upstream's sort of more than 12 elements is no insertion sort, so that its answers to a cycle are " +
		"not easily told; ours has no two neighbours in the wrong order, and would be left as it is by an insertion sort",
	leaf: []string{""},
	from: func(d *decision[ranked]) bool { return d.in.cycleOfMany() },
	to: func(d *decision[ranked]) any {
		list := names(d.in.planned())
		if d.in.victims {
			return sorted(list[:d.in.N])
		}
		return list
	},
}

// Two pods have no cycle, and upstream's very sort follows it through any.
var (
	pairDifferences = []difference[*decision[ranked], any]{farAwayDifference}
	sortDifferences = []difference[*decision[ranked], any]{farAwayDifference, cycleDifference}
)

// limitsOf returns the limits of a Deployment, unset unless it has any.
func limitsOf(d *appsv1.Deployment) limits {
	l := limits{Replicas: number(d.Spec.Replicas)}
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		l.Surge, l.Unavailable = r.MaxSurge, r.MaxUnavailable
	}
	return l
}

// cyclic reports whether an order is none: a before b and b before c, but not a
// before c.
func cyclic(list sort.Interface) bool {
	n := list.Len()
	less := make([]bool, n*n)
	for i := range less {
		less[i] = list.Less(i/n, i%n)
	}
	for a := range n {
		for b := range n {
			if !less[a*n+b] {
				continue
			}
			for c := range n {
				if a != c && less[b*n+c] && !less[a*n+c] {
					return true
				}
			}
		}
	}
	return false
}

func progressing(s *appsv1.DeploymentStatus) *appsv1.DeploymentCondition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == appsv1.DeploymentProgressing {
			return &s.Conditions[i]
		}
	}
	return nil
}
