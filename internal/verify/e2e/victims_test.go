// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

const scaleDowns = 200

// Figures are the results of scale-downs.
type figures struct {
	sync.Mutex
	left            int // scale-downs that no Deployment has begun
	done, contained int
	alone, right    int // answers that leave no choice
	tied            int // answers that do
	aged            int // scale-downs while which an age began to count as another
}

// Upstream's controllers delete the pods that kplan order names: each certain victim, and otherwise
// only pods out of a tie.
func TestVictims(t *testing.T) {
	world := ownWorld(t, true)
	f := figures{left: scaleDowns}
	t.Run("all", func(t *testing.T) {
		for i := range testsAtOnce { // Deployments, none of which waits for another
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, world, fmt.Sprintf("victims-%d", i), upstream, script{})
				defer e.close(script{})
				v := &victims{env: e, random: rand.New(rand.NewPCG(19, uint64(i))), figures: &f}
				v.behave(quick)
				v.apply(web(10, "1", oneByOne))
				v.rolled("deployment/web")
				for f.begin() {
					for !v.scaleDown() {
					}
				}
			})
		}
	})
	t.Logf("order's answer contains the real victims in %d of %d; it leaves no choice in %d, right in %d; ties in %d; %d not counted, since pods aged meanwhile",
		f.contained, f.done, f.alone, f.right, f.tied, f.aged)
	require.Equal(t, [2]int{scaleDowns, scaleDowns}, [2]int{f.done, f.contained})
	require.Equal(t, f.alone, f.right)
	require.Greater(t, f.alone, scaleDowns/10)
	require.Greater(t, f.tied, scaleDowns/10)
}

// begin reports whether there is one more scale-down to do.
func (f *figures) begin() bool {
	f.Lock()
	defer f.Unlock()
	f.left--
	return f.left >= 0
}

type victims struct {
	*env
	random  *rand.Rand
	figures *figures
}

// An answer is which pods go, and of which some do.
type answer struct{ Go, May []string }

// scaleDown removes a few of ten pods, which either have just been created together, as usual, or
// differ. It returns false if the right answer is unknown, because the pods' ages changed buckets
// between the question and the deletion.
func (v *victims) scaleDown() bool {
	together := v.random.IntN(3) == 0
	if together {
		v.scale(0)
		v.wait("no pod", func(s *cluster.State) bool { return len(s.Pods) == 0 })
	}
	v.scale(10)
	v.wait("ten pods", func(s *cluster.State) bool { return len(s.Pods) == 10 && len(podsOf(s, started)) == 10 })
	v.vary(together)
	before := v.list()
	count := 1 + v.random.IntN(3)
	asked := time.Now()
	for ; aged(before, asked, asked.Add(2*time.Second)); asked = time.Now() {
		time.Sleep(100 * time.Millisecond)
	}
	said := v.order(count, asked)
	v.scale(10 - count)
	v.wait("fewer pods", func(s *cluster.State) bool { return len(s.Pods) == 10-count })
	if aged(before, asked, time.Now()) {
		v.figures.Lock()
		defer v.figures.Unlock()
		v.figures.aged++
		return false
	}
	var went []string
	for _, p := range before {
		if v.state.Pods[p.Name] == nil {
			went = append(went, p.Name)
		}
	}
	require.Len(v, went, count)
	contained := true
	for _, name := range said.Go {
		contained = contained && slices.Contains(went, name)
	}
	for _, name := range went {
		contained = contained && (slices.Contains(said.Go, name) || slices.Contains(said.May, name))
	}
	if !contained {
		v.Errorf("%v went, but %+v was said\n%s", went, said, v.kubectl("get", "pods", "-o", "yaml"))
	}
	v.count(contained, len(said.May) == 0)
	return true
}

func (v *victims) count(contained, alone bool) {
	f := v.figures
	f.Lock()
	defer f.Unlock()
	f.done++
	if contained {
		f.contained++
	}
	switch {
	case !alone:
		f.tied++
	case contained:
		f.alone++
		f.right++
	default:
		f.alone++
	}
}

// scale scales like kubectl scale.
func (v *victims) scale(replicas int) {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	_, err := v.client.AppsV1().Deployments(v.namespace).Patch(v.ctx, "web", types.MergePatchType, patch, metav1.PatchOptions{}, "scale")
	require.NoError(v, err)
}

func started(p *corev1.Pod) bool { return active(p) && len(p.Status.ContainerStatuses) > 0 }

func (v *victims) list() []corev1.Pod {
	list, err := v.client.CoreV1().Pods(v.namespace).List(v.ctx, metav1.ListOptions{})
	require.NoError(v, err)
	return list.Items
}

// aged reports whether an age of a pod began to count as another: ages are compared by their
// binary logarithms, in nanoseconds.
func aged(pods []corev1.Pod, from, to time.Time) bool {
	rank := func(since metav1.Time, now time.Time) int { return bits.Len64(uint64(max(0, now.Sub(since.Time)))) }
	for _, p := range pods {
		ages := []metav1.Time{p.CreationTimestamp}
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady {
				ages = append(ages, c.LastTransitionTime)
			}
		}
		if slices.ContainsFunc(ages, func(t metav1.Time) bool { return rank(t, from) != rank(t, to) }) {
			return true
		}
	}
	return false
}

// vary makes the pods differ in few things, unless they are left as they are.
func (v *victims) vary(leave bool) {
	defer time.Sleep(2 * quiet) // until the controllers have seen it
	if leave {
		return
	}
	now := time.Now()
	kinds := 1 + v.random.IntN(4)
	for _, p := range v.list() {
		p.Annotations = nil
		if v.random.IntN(6*kinds) == 0 {
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": fmt.Sprint(v.random.IntN(3) - 1)}
		}
		p, err := v.client.CoreV1().Pods(v.namespace).Update(v.ctx, &p, metav1.UpdateOptions{})
		require.NoError(v, err)
		p.Status.ContainerStatuses[0].RestartCount += int32(v.random.IntN(kinds) / 2)
		answer, since := corev1.ConditionTrue, now.Add(-time.Hour*time.Duration(1+v.random.IntN(kinds))-time.Second*time.Duration(v.random.IntN(kinds)))
		if v.random.IntN(10) == 0 {
			answer = corev1.ConditionFalse
		}
		for c := range p.Status.Conditions {
			if p.Status.Conditions[c].Type == corev1.PodReady {
				p.Status.Conditions[c].Status, p.Status.Conditions[c].LastTransitionTime = answer, metav1.NewTime(since)
			}
		}
		_, err = v.client.CoreV1().Pods(v.namespace).UpdateStatus(v.ctx, p, metav1.UpdateOptions{})
		require.NoError(v, err)
	}
}

// order asks kplan which pods go at a time.
func (v *victims) order(count int, now time.Time) (said answer) {
	var problems strings.Builder
	cmd := v.kplan("order", "deployment/web", "--count", fmt.Sprint(count), "-o", "json", "--now", now.UTC().Format(time.RFC3339Nano))
	cmd.Stderr = &problems
	text, err := cmd.Output()
	require.NoError(v, err, problems.String())
	var o struct {
		Pods []struct {
			Name          string
			Goes, Perhaps bool
		}
	}
	only(v, text, &o, problems.String())
	for _, p := range o.Pods {
		switch {
		case p.Goes:
			said.Go = append(said.Go, p.Name)
		case p.Perhaps:
			said.May = append(said.May, p.Name)
		}
	}
	require.LessOrEqual(v, len(said.Go), count)
	require.GreaterOrEqual(v, len(said.Go)+len(said.May), count)
	return said
}
