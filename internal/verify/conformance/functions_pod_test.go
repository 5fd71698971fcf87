// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/apis/core/helper"
	"k8s.io/kubernetes/pkg/controller"
	testclock "k8s.io/utils/clock/testing"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
)

var podFunctions = []function{
	{"IsPodActive, IsPodTerminating, IsPodTerminal", comparePodState},
	{"IsPodReady, IsPodAvailable", compareAvailable},
	{"FindMinNextPodAvailabilityCheck", compareNextAvailable},
	{"GetDeletionCostFromPodAnnotations", compareCost},
}

func comparePodState(t random.T, c *caseCounts, now time.Time) {
	pod := gen.Pod(t, now, 0)
	ours := kube.Pod(pod)
	corners := []corner[decision[*corev1.Pod]]{
		outcomeIs[*corev1.Pod]("active", [3]bool{true, false, false}),
		outcomeIs[*corev1.Pod]("terminating", [3]bool{false, true, false}),
		outcomeIs[*corev1.Pod]("finished", [3]bool{false, false, true}),
		in("finished and being deleted", func(p *corev1.Pod) bool {
			return p.Status.Phase == corev1.PodFailed && p.DeletionTimestamp != nil
		}),
		in("no phase", func(p *corev1.Pod) bool { return p.Status.Phase == "" }),
	}
	judge(t, c, corners, nil, decision[*corev1.Pod]{
		pod,
		[3]bool{controller.IsPodActive(pod), controller.IsPodTerminating(pod), podutil.IsPodTerminal(pod)},
		[3]bool{ours.Active(), ours.Terminating(), ours.Finished()},
	})
}

// waiting is pods and how long they must be ready.
type waiting struct {
	Pods     []*corev1.Pod
	MinReady int32
}

func drawMinReady(t random.T) int32 {
	if random.OneIn(t, "ordinary", 3) {
		return int32(random.Below(t, "min ready", 90))
	}
	return random.Number(t, "min ready")
}

type availability struct{ Ready, Available bool }

func compareAvailable(t random.T, c *caseCounts, now time.Time) {
	pod, minReady := gen.Pod(t, now, 0), drawMinReady(t)
	ready := podutil.GetPodReadyCondition(pod.Status)
	if ready != nil && random.OneIn(t, "at the boundary", 4) {
		offset := []time.Duration{0, 1, -1}[random.Below(t, "offset", 3)]
		ready.LastTransitionTime = at(now.Add(offset - time.Duration(minReady)*time.Second))
	}
	ours := kube.Pod(pod)
	due := func(offset time.Duration) func(waiting) bool {
		return func(w waiting) bool {
			c := podutil.GetPodReadyCondition(w.Pods[0].Status)
			return podutil.IsPodReady(w.Pods[0]) && w.MinReady > 0 &&
				c.LastTransitionTime.Time.Equal(now.Add(offset-time.Duration(w.MinReady)*time.Second))
		}
	}
	judge(t, c, []corner[decision[waiting]]{
		outcomeIs[waiting]("available", availability{true, true}),
		outcomeIs[waiting]("ready", availability{true, false}),
		outcomeIs[waiting]("not ready", availability{false, false}),
		in("at the boundary", due(0)), in("just before it", due(1)), in("just after it", due(-1)),
		in("negative minReadySeconds", func(w waiting) bool { return w.MinReady < 0 && podutil.IsPodReady(w.Pods[0]) }),
		in("ready without time", func(w waiting) bool {
			c := podutil.GetPodReadyCondition(w.Pods[0].Status)
			return podutil.IsPodReady(w.Pods[0]) && c.LastTransitionTime.IsZero()
		}),
		in("two conditions", func(w waiting) bool {
			c := w.Pods[0].Status.Conditions
			return len(c) == 2 && c[0].Type == c[1].Type
		}),
	}, nil, decision[waiting]{
		waiting{[]*corev1.Pod{pod}, minReady},
		availability{podutil.IsPodReady(pod), podutil.IsPodAvailable(pod, minReady, at(now))},
		availability{ours.Ready, ours.Available(minReady, now)},
	})
}

func compareNextAvailable(t random.T, c *caseCounts, now time.Time) {
	w := waiting{gen.Pods(t, now, 6), drawMinReady(t)}
	d := decision[waiting]{in: w, upstream: time.Duration(-1), ours: time.Duration(-1)}
	if next := controller.FindMinNextPodAvailabilityCheck(w.Pods, w.MinReady, now, testclock.NewFakePassiveClock(now)); next != nil {
		d.upstream = *next
	}
	for _, pod := range w.Pods {
		p := kube.Pod(pod)
		after, ok := p.AvailableAt(w.MinReady)
		if left := after.Sub(now); ok && w.MinReady > 0 && left > 0 && (d.ours == time.Duration(-1) || left < d.ours.(time.Duration)) {
			d.ours = left
		}
	}
	judge(t, c, []corner[decision[waiting]]{
		outcomeIs[waiting]("none", time.Duration(-1)),
		{"some", func(d decision[waiting]) bool { return d.upstream.(time.Duration) > 0 }},
		in("negative minReadySeconds", func(w waiting) bool { return w.MinReady < 0 && len(w.Pods) > 0 }),
		in("several", func(w waiting) bool { return len(w.Pods) > 3 }),
	}, nil, d)
}

type cost struct {
	N     int32
	Valid bool
}

func compareCost(t random.T, c *caseCounts, _ time.Time) {
	text := random.Cost(t)
	if random.OneIn(t, "any text", 4) {
		text = random.Text(t, "text")
	}
	annotations := map[string]string{podorder.AnnotationDeletionCost: text}
	if random.OneIn(t, "missing", 10) {
		annotations = nil
	}
	n, err := helper.GetDeletionCostFromPodAnnotations(annotations)
	ours, valid := podorder.DeletionCost(annotations)
	judge(t, c, []corner[decision[map[string]string]]{
		outcomeIs[map[string]string]("invalid", cost{0, false}),
		in("missing", func(m map[string]string) bool { return m == nil }),
		in("leading zero after a minus", func(m map[string]string) bool { return m[podorder.AnnotationDeletionCost] == "-01" }),
		in("plus", func(m map[string]string) bool { return strings.HasPrefix(m[podorder.AnnotationDeletionCost], "+") }),
		outcomeIs[map[string]string]("smallest", cost{-1 << 31, true}), outcomeIs[map[string]string]("largest", cost{1<<31 - 1, true}),
	}, nil, decision[map[string]string]{annotations, cost{n, err == nil}, cost{ours, valid}})
}

// snapshots translates pods.
func snapshots(pods []*corev1.Pod) []podorder.Pod {
	list := make([]podorder.Pod, len(pods))
	for i, pod := range pods {
		list[i] = kube.Pod(pod)
	}
	return list
}

func names(pods []*corev1.Pod) []string {
	list := make([]string, len(pods))
	for i, pod := range pods {
		list[i] = pod.Name
	}
	return list
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
