// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/internal/e2e/cluster"
)

const (
	scaleDowns    = 200
	manyDeletions = 8 // Deployments, one beside the other
)

// Figures are what has been seen of scale-downs.
type figures struct {
	sync.Mutex
	done, contained int
	alone, right    int // answers that leave no choice
	tied, early     int // answers that do, and those that were to change while asked for
}

// What kplan order says goes is what upstream's controllers delete: each pod that it says
// goes does go, and what else goes is among those of which it says that some go.
func TestVictims(t *testing.T) {
	world := ownWorld(t, true)
	var f figures
	t.Run("all", func(t *testing.T) {
		for i := range manyDeletions {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, world, fmt.Sprintf("victims-%d", i), upstream, script{})
				defer e.close(script{})
				v := &victims{env: e, random: rand.New(rand.NewPCG(19, uint64(i))), figures: &f}
				v.behave(quick)
				v.apply(web(10, "1", oneByOne))
				v.rolled("deployment/web")
				for range scaleDowns / manyDeletions {
					v.scaleDown()
				}
			})
		}
	})
	t.Logf("order's answer contains the real victims in %d of %d; it leaves no choice in %d, right in %d; ties in %d; asked again %d times",
		f.contained, f.done, f.alone, f.right, f.tied, f.early)
	require.Equal(t, [2]int{scaleDowns, scaleDowns}, [2]int{f.done, f.contained})
	require.Equal(t, f.alone, f.right)
	require.Greater(t, f.alone, scaleDowns/10)
	require.Greater(t, f.tied, scaleDowns/10)
}

type victims struct {
	*env
	random  *rand.Rand
	figures *figures
}

// An answer is which pods go, and of which some do.
type answer struct{ Go, May []string }

// scaleDown takes a few pods of ten away, which have either just been made together, as is
// usual, or differ.
func (v *victims) scaleDown() {
	together := v.random.IntN(3) == 0
	if together {
		v.kubectl("scale", "deployment/web", "--replicas=0")
		v.wait("no pod", func(s *cluster.State) bool { return len(s.Pods) == 0 })
	}
	v.kubectl("scale", "deployment/web", "--replicas=10")
	v.wait("ten pods", func(s *cluster.State) bool { return len(s.Pods) == 10 && len(podsOf(s, started)) == 10 })
	before := v.vary(together)
	count := 1 + v.random.IntN(3)
	said := v.order(count)
	v.kubectl("scale", "deployment/web", fmt.Sprintf("--replicas=%d", 10-count))
	v.wait("fewer pods", func(s *cluster.State) bool { return len(s.Pods) == 10-count })
	var went []string
	for _, name := range before {
		if v.state.Pods[name] == nil {
			went = append(went, name)
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

func started(p *corev1.Pod) bool { return active(p) && len(p.Status.ContainerStatuses) > 0 }

// vary makes the pods differ in few things, unless they are left as they are, and returns
// them.
func (v *victims) vary(leave bool) (names []string) {
	list, err := v.client.CoreV1().Pods(v.namespace).List(v.ctx, metav1.ListOptions{})
	require.NoError(v, err)
	now := time.Now()
	kinds := 1 + v.random.IntN(4)
	for i := range list.Items {
		p := &list.Items[i]
		names = append(names, p.Name)
		if leave {
			continue
		}
		p.Annotations = nil
		if v.random.IntN(6*kinds) == 0 {
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": fmt.Sprint(v.random.IntN(3) - 1)}
		}
		p, err = v.client.CoreV1().Pods(v.namespace).Update(v.ctx, p, metav1.UpdateOptions{})
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
	time.Sleep(quiet) // until the controllers have seen it
	return names
}

// order asks kplan which pods go, until the answer is that of the next seconds as well:
// ages count in powers of two, and pods age.
func (v *victims) order(count int) answer {
	for {
		now := time.Now()
		said := v.orderAt(count, now)
		if then := v.orderAt(count, now.Add(5*time.Second)); fmt.Sprint(said) == fmt.Sprint(then) {
			return said
		}
		v.figures.Lock()
		v.figures.early++
		v.figures.Unlock()
		time.Sleep(time.Second)
	}
}

func (v *victims) orderAt(count int, now time.Time) (said answer) {
	var problems strings.Builder
	cmd := v.kplan("order", "deployment/web", "--count", fmt.Sprint(count), "-o", "json", "--now", now.UTC().Format(time.RFC3339))
	cmd.Stderr = &problems
	text, err := cmd.Output()
	require.NoError(v, err, problems.String())
	var o struct {
		Pods []struct {
			Name          string
			Goes, Perhaps bool
		}
	}
	require.NoError(v, json.Unmarshal(text, &o))
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
