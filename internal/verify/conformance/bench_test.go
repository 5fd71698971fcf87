// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/apis/core/helper"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// Each benchmark runs upstream's function and ours on the same data. The names tell them apart:
// impl=upstream and impl=kplan, and impl=kplan+kube for ours with the translation of the objects.
// Some have impl=floor, the least possible work, and floor+kube for the same from the objects.
// ratios.sh prints the ratios.

// measure runs one implementation. run must do the whole work of one call. In addition to the
// elapsed time, it reports the processor time, with garbage collection, which other programs on the
// machine do not affect.
func measure(b *testing.B, impl, axis string, run func()) {
	b.Run("impl="+impl+axis, func(b *testing.B) {
		b.ReportAllocs()
		start := processorTime()
		for b.Loop() {
			run()
		}
		b.ReportMetric(float64(processorTime()-start)/float64(b.N), "cpu-ns/op")
	})
}

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

var benchNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clusterPods returns n running pods of one ReplicaSet on n/20 nodes: of different
// ages, 15 % not ready, 10 % with a deletion cost, some with restarts.
func clusterPods(n int) []*corev1.Pod {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	pods := make([]*corev1.Pod, n)
	for i := range pods {
		created := benchNow.Add(-time.Duration(3600+r.IntN(1_000_000)) * time.Second)
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: gen.Namespace, Name: "web-a-" + strconv.Itoa(i), UID: types.UID(fmt.Sprintf("%08x-%d", r.Uint32(), i)),
			Labels:            map[string]string{"app": "web", "pod-template-hash": "a", "tier": "x"},
			CreationTimestamp: at(created),
			OwnerReferences:   []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web-a", UID: "a", Controller: new(true)}},
		}}
		p.Spec.NodeName, p.Status.Phase = "node-"+strconv.Itoa(r.IntN(1+n/20)), corev1.PodRunning
		status := corev1.ConditionTrue
		if r.IntN(100) < 15 {
			status = corev1.ConditionFalse
		}
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodInitialized, Status: corev1.ConditionTrue},
			{Type: corev1.PodReady, Status: status, LastTransitionTime: at(created.Add(30 * time.Second))},
		}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", RestartCount: int32(r.IntN(3))}}
		if r.IntN(10) == 0 {
			p.Annotations = map[string]string{podorder.AnnotationDeletionCost: strconv.Itoa(r.IntN(100))}
		}
		pods[i] = p
	}
	return pods
}

func benchSet(size int) *appsv1.ReplicaSet {
	rs := podsCase(benchNow).ReplicaSet
	rs.Spec.Replicas = new(int32(size))
	rs.Spec.Template.Labels = map[string]string{"app": "web", "pod-template-hash": "a"}
	return rs
}

func BenchmarkVictims(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
		axis := fmt.Sprintf("/pods=%d", n)
		pods, list := clusterPods(n), snapshots(clusterPods(n))
		victims := max(1, n/10)
		measure(b, "upstream", axis, func() { upstream.PodsToDelete(slices.Clone(pods), pods, victims) })
		now := time.Now()
		choose := func(list []podorder.Pod) {
			neighbours := podorder.Neighbours{}
			for i := range list {
				neighbours.Add(&list[i])
			}
			podorder.New(now, neighbours).Victims(list, nil, victims)
		}
		measure(b, "kplan", axis, func() { choose(list) })
		measure(b, "kplan+kube", axis, func() { choose(snapshots(pods)) })
		measure(b, "floor", axis, func() { chooseOnce(list, victims, now) })
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// BenchmarkReplicaSetPass is a whole pass: one that finds nothing to do, and one
// that deletes a tenth of the pods.
func BenchmarkReplicaSetPass(b *testing.B) {
	for _, shrink := range []bool{false, true} {
		for _, n := range []int{10, 100, 1_000, 10_000, 100_000, 1_000_000} {
			pods, rs := clusterPods(n), benchSet(n)
			axis := fmt.Sprintf("/case=steady/pods=%d", n)
			if shrink {
				axis = fmt.Sprintf("/case=shrink/pods=%d", n)
				rs.Spec.Replicas = new(int32(n - max(1, n/10)))
			}
			if n <= 100_000 { // beyond that only the growth of ours is of interest
				rsc := upstream.NewReplicaSets()
				rsc.Fill([]*appsv1.ReplicaSet{rs}, pods)
				measure(b, "upstream", axis, func() { rsc.Sync(rs, 1<<30) })
			}
			opts := replicaset.Options{Burst: 1 << 30}
			s := kube.ReplicaSetSnapshot(rs, pods, nil)
			now := time.Now()
			measure(b, "kplan", axis, func() { must(replicaset.Reconcile(s, now, opts)) })
			measure(b, "kplan+kube", axis, func() {
				must(replicaset.ReconcileFrom(kube.ReplicaSetSnapshot(rs, nil, nil), kube.Pods(rs.Namespace, pods), now, opts))
			})
			measure(b, "floor", axis, func() {
				readOnce(&s)
				if shrink {
					chooseOnce(s.Pods, max(1, n/10), now)
				}
			})
			if !shrink {
				measure(b, "floor+kube", axis, func() { readObjectsOnce(rs, pods) })
			}
		}
	}
}

// benchDeployment is a rollout with n ReplicaSets, of which the three newest are active
// and the newest has the template, and templates of the given number of containers.
func benchDeployment(n, containers int) *gen.DeploymentCase {
	revisions := make([]string, n)
	for i := range revisions {
		revisions[i] = strconv.Itoa(i + 1)
	}
	fill := func(t *corev1.PodTemplateSpec) {
		if containers == 0 { // templates differ by something else
			t.Spec.NodeName, t.Spec.Containers = t.Spec.Containers[0].Image, nil
		}
		for i := 1; i < containers; i++ {
			t.Spec.Containers = append(t.Spec.Containers, corev1.Container{Name: "c" + strconv.Itoa(i), Image: "i"})
		}
	}
	c := rolloutCase(benchNow, func(d *appsv1.Deployment) {
		*d.Spec.Replicas = 12
		*d.Spec.RevisionHistoryLimit = int32(n)
		d.Spec.Template = podTemplate("web-" + strconv.Itoa(n-1)) // the template of the newest set
		fill(&d.Spec.Template)
	}, revisions...)
	for i, rs := range c.ReplicaSets {
		fill(&rs.Spec.Template)
		rs.Annotations[revision.AnnotationDesired], rs.Annotations[revision.AnnotationMax] = "12", "13"
		rs.Labels = maps.Clone(rs.Labels)
		if rs.Labels == nil {
			rs.Labels = map[string]string{}
		}
		rs.Labels[revision.LabelHash] = rs.Name // as its controller has labelled it
		*rs.Spec.Replicas = 4
		rs.Status.Replicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = 4, 4, 4
		if i < n-3 {
			*rs.Spec.Replicas = 0
			rs.Status.Replicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = 0, 0, 0
		}
	}
	return c
}

// BenchmarkDeploymentPass is a whole pass in the middle of a rollout.
func BenchmarkDeploymentPass(b *testing.B) {
	for _, containers := range []int{0, 1, 5} {
		for _, n := range []int{2, 10, 100, 1_000} {
			axis := fmt.Sprintf("/containers=%d/sets=%d", containers, n)
			c := benchDeployment(n, containers)
			dc, err := upstream.NewDeployments()
			if err != nil {
				b.Fatal(err)
			}
			dc.Fill(c.Deployment, c.ReplicaSets, nil)
			measure(b, "upstream", axis, func() { dc.Sync(c.Deployment) })
			s := must(kube.Snapshot(c.Deployment, c.ReplicaSets, nil))
			measure(b, "kplan", axis, func() { must(deploy.Reconcile(s, benchNow, deploy.Options{})) })
			measure(b, "kplan+kube", axis, func() {
				must(deploy.Reconcile(must(kube.Snapshot(c.Deployment, c.ReplicaSets, nil)), benchNow, deploy.Options{}))
			})
			if n == 2 {
				measure(b, "floor", axis, func() { rollOnce(&s, benchNow) })
				measure(b, "floor+kube", axis, func() { rollObjectsOnce(c, benchNow) })
			}
		}
	}
}

// BenchmarkTemplate compares two templates and computes the hash of one, ours with the identity.
func BenchmarkTemplate(b *testing.B) {
	for _, containers := range []int{1, 5} {
		axis := fmt.Sprintf("/containers=%d", containers)
		c := benchDeployment(1, containers)
		p, q := &c.Deployment.Spec.Template, new(podTemplate("other"))
		q = q.DeepCopy()
		for _, op := range []string{"/op=differ", "/op=same"} {
			measure(b, "upstream", op+axis, func() { util.EqualIgnoreHash(p, q) })
			measure(b, "kplan", op+axis, func() { _ = kube.TemplateID(p) == kube.TemplateID(q) })
			q = p.DeepCopy()
		}
		measure(b, "upstream", "/op=hash"+axis, func() { controller.ComputeHash(p, nil) })
		measure(b, "kplan", "/op=hash"+axis, func() { kube.Template(p, nil) })
	}
}

func BenchmarkNewSize(b *testing.B) {
	for _, n := range []int{10, 100, 1_000} {
		axis := fmt.Sprintf("/sets=%d", n)
		l := limits{new(intstr.FromString("25%")), new(intstr.FromString("25%")), 12}
		d, s := l.deployment(), sized{Limits: l, Sizes: make([]int32, n)}
		sets := s.sets()
		measure(b, "upstream", axis, func() { must(util.NewRSNewReplicas(d, sets, sets[n-1])) })
		measure(b, "kplan", axis, func() {
			total := int32(0)
			for _, size := range s.Sizes {
				total += size
			}
			rollout.Grow(rollout.Resolve(12, rollout.Percent(25), rollout.Percent(25)), int64(total), s.Sizes[n-1], rollout.Counting{})
		})
	}
}

func BenchmarkFraction(b *testing.B) {
	s := share{Replicas: 15, Surge: 3, Size: 8, Annotation: new("13")}
	rs, d := s.objects()
	logger := klog.FromContext(silent)
	measure(b, "upstream", "", func() { upstream.Fraction(logger, *rs, *d) })
	measure(b, "kplan", "", func() { rollout.Fraction(rollout.Budget{Replicas: 15, Surge: 3}, 8, 13, rollout.Counting{}) })
}

func BenchmarkFenceposts(b *testing.B) {
	surge, unavailable := new(intstr.FromString("25%")), new(intstr.FromString("25%"))
	measure(b, "upstream", "", func() { _, _, _ = util.ResolveFenceposts(surge, unavailable, 10) })
	measure(b, "kplan", "", func() { rollout.Fenceposts(10, rollout.Percent(25), rollout.Percent(25)) })
}

func BenchmarkRevisions(b *testing.B) {
	logger := klog.FromContext(silent)
	for _, n := range []int{10, 100, 1_000} {
		axis := fmt.Sprintf("/sets=%d", n)
		sets := benchDeployment(n, 1).ReplicaSets
		measure(b, "upstream", axis, func() { util.MaxRevision(logger, sets) })
		measure(b, "kplan", axis, func() {
			highest := int64(0) // as the planner finds it, with the other annotations of a set
			for _, rs := range sets {
				if number, err := revision.Number(rs.Annotations); err == nil {
					highest = max(highest, number)
				}
			}
			if highest != int64(n) {
				b.Fatal(highest)
			}
		})
	}
}

func BenchmarkAnnotations(b *testing.B) {
	c := benchDeployment(1, 1)
	c.Deployment.Annotations["kubernetes.io/change-cause"] = "new image"
	d, rs := c.Deployment, c.ReplicaSets[0]
	measure(b, "upstream", "", func() {
		copied := appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: cloneMap(rs.Annotations)}}
		util.SetNewReplicaSetAnnotations(silent, d, &copied, "7", true, revision.HistoryLimit)
	})
	measure(b, "kplan", "", func() { revision.Sync(d.Annotations, rs.Annotations, 7) })
}

func cloneMap(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// BenchmarkPods counts pods by a predicate: without the count, the compiler would remove code that
// it can see through, on either side.
func BenchmarkPods(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		axis := fmt.Sprintf("/pods=%d", n)
		pods, list := clusterPods(n), snapshots(clusterPods(n))
		count := 0
		measure(b, "upstream", "/op=available"+axis, func() {
			for _, p := range pods {
				if podutil.IsPodAvailable(p, 10, at(benchNow)) {
					count++
				}
			}
		})
		measure(b, "kplan", "/op=available"+axis, func() {
			for i := range list {
				if list[i].Available(10, benchNow) {
					count++
				}
			}
		})
		measure(b, "upstream", "/op=active"+axis, func() {
			for _, p := range pods {
				if controller.IsPodActive(p) {
					count++
				}
			}
		})
		measure(b, "kplan", "/op=active"+axis, func() {
			for i := range list {
				if list[i].Active() {
					count++
				}
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	r := ranked{Pods: clusterPods(2), Now: at(benchNow)}
	list, pods, order := r.upstream(), snapshots(r.Pods), r.order()
	measure(b, "upstream", "", func() { list.Less(0, 1) })
	measure(b, "kplan", "", func() { order.Compare(pods[0], pods[1]) })
}

func BenchmarkDeletionCost(b *testing.B) {
	m := map[string]string{podorder.AnnotationDeletionCost: "-17"}
	measure(b, "upstream", "", func() { _, _ = helper.GetDeletionCostFromPodAnnotations(m) })
	measure(b, "kplan", "", func() { podorder.DeletionCost(m) })
}
