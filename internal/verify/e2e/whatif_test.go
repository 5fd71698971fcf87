// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// liveStates is how many live states are simulated, and bySide of how many more an apply on
// the server's side is.
const (
	liveStates = 40
	bySide     = 16
)

// A whatIf is a live state and an apply to it.
type whatIf struct {
	*env
	random *rand.Rand
	size   int    // of the first apply
	limits string // of the strategy
	tag    string // that is running
	next   string // the manifest to apply
	flags  []string
	how    []string // flags of the apply, for kubectl and kplan
	after  func()   // further events when the apply has settled; nil for none
}

// quick is how pods behave if nothing is said.
var quick = cluster.Behaviour{Ready: 20 * time.Millisecond}

// manifest returns one of web; a size of 0 leaves replicas out.
func (w *whatIf) manifest(size int, tag string, more ...string) string {
	text := web(size, tag, w.limits, more...)
	if size == 0 {
		text = strings.Replace(text, "  replicas: 0\n", "", 1)
	}
	return text
}

// begin rolls out the first version.
func (w *whatIf) begin(size int) {
	w.behave(quick)
	w.apply(w.manifest(size, "1"))
	w.rolled("deployment/web")
	w.settle()
}

// anyNext chooses the manifest to apply: another template, the first one, or another size.
func (w *whatIf) anyNext() {
	switch w.random.IntN(4) {
	case 0:
		w.next = w.manifest(w.size, "1")
	case 1:
		w.next = w.manifest(w.size+1+w.random.IntN(3), w.tag)
	default:
		w.next = w.manifest(w.size, "3")
	}
}

// situations bring a namespace into a live state and choose the manifest to apply then.
var situations = []struct {
	name string
	make func(w *whatIf)
}{
	{"healthy", func(w *whatIf) { w.begin(w.size); w.anyNext() }},
	{"broken", func(w *whatIf) {
		w.begin(w.size)
		w.apply(w.manifest(w.size, "missing"))
		w.pods("missing")
		w.tag = "missing"
		w.anyNext()
	}},
	{"brokenwide", func(w *whatIf) {
		w.size, w.limits = w.size+4, threeAndTwo
		w.begin(w.size)
		w.apply(w.manifest(w.size, "missing"))
		w.pods("missing")
		switch w.random.IntN(3) {
		case 0:
			w.next = w.manifest(w.size, "1")
		case 1:
			w.next, w.flags = w.manifest(w.size, "again:missing"), []string{"--never-ready"}
			w.next = strings.Replace(w.next, image+"again:missing", image[:len(image)-1]+"2:missing", 1)
		default:
			w.next = w.manifest(w.size+w.random.IntN(4), "missing")
		}
	}},
	{"noroom", func(w *whatIf) {
		w.limits = oneByOne
		w.begin(w.size)
		full := quick
		full.Room = w.size
		w.behave(full)
		w.apply(w.manifest(w.size, "2"))
		w.wait("a pod without a node", func(s *cluster.State) bool {
			for _, p := range s.Pods {
				if p.Spec.NodeName == "" && len(p.Status.Conditions) > 0 {
					return true
				}
			}
			return false
		})
		w.tag = "2"
		w.next = w.manifest(w.size, "3")
		if w.random.IntN(2) == 0 {
			w.next = w.manifest(w.size-1, "2") // which makes room
		}
	}},
	{"quota", func(w *whatIf) {
		w.limits = oneByOne
		w.quota(fmt.Sprint(w.size))
		w.begin(w.size)
		w.apply(w.manifest(w.size, "2"))
		w.wait("the failure", func(s *cluster.State) bool {
			return condition(s.Deployments["web"], appsv1.DeploymentReplicaFailure) == corev1.ConditionTrue
		})
		w.tag = "2"
		w.next = w.manifest(w.size, []string{"1", "3"}[w.random.IntN(2)])
	}},
	{"half", func(w *whatIf) {
		w.begin(w.size)
		w.behave(cluster.Behaviour{Ready: -1})
		w.apply(w.manifest(w.size, "2"))
		w.pods("2")
		w.tag = "2"
		w.anyNext()
	}},
	{"scaled", func(w *whatIf) {
		w.begin([]int{w.size, 0}[w.random.IntN(2)]) // and so owned or not
		w.kubectl("scale", "deployment/web", fmt.Sprintf("--replicas=%d", w.size+2))
		w.rolled("deployment/web")
		w.next = w.manifest([]int{w.size, 0, 0}[w.random.IntN(3)], []string{"1", "2"}[w.random.IntN(2)])
	}},
	{"paused", func(w *whatIf) {
		if w.random.IntN(2) == 0 {
			w.behave(quick)
			w.apply(w.manifest(w.size, "1", "  paused: true"))
			w.next = w.manifest(w.size, "2", []string{"", "  paused: true"}[w.random.IntN(2)])
			w.tag = ""
			return
		}
		w.begin(w.size)
		w.kubectl("rollout", "pause", "deployment/web")
		w.kubectl("set", "env", "deployment/web", "HAND=1")
		w.next = w.manifest(w.size+w.random.IntN(3), "2")
	}},
}

// pods waits until there is a pod of an image.
func (w *whatIf) pods(tag string) {
	w.Helper()
	w.replicas(tag, 1)
	w.settle()
}

// foretold is the part of a simulation about sizes.
type foretold struct {
	Assumed []string
	Steps   []foretoldStep
}

type foretoldStep struct {
	Actions []resize
	Parts   []struct { // ReplicaSets
		Name            string
		Replicas, Ready int32
	}
}

// A resize is the part of an action about sizes.
type resize struct {
	CreateReplicaSet *struct {
		Name     string
		Replicas int32
	}
	ScaleReplicaSet *struct {
		Name     string
		From, To int32
	}
}

// sizes returns the steps in sizes, and in the end the pods wanted and ready of each
// ReplicaSet that wants any.
func (f *foretold) sizes() (steps []string, end map[string][2]int32) {
	for _, s := range f.Steps {
		for _, a := range s.Actions {
			if c := a.CreateReplicaSet; c != nil {
				steps = append(steps, fmt.Sprintf("%s is made with %d", c.Name, c.Replicas))
			}
			if c := a.ScaleReplicaSet; c != nil && c.From != c.To {
				steps = append(steps, fmt.Sprintf("%s: %d to %d", c.Name, c.From, c.To))
			}
		}
	}
	end = map[string][2]int32{}
	for _, rs := range f.Steps[len(f.Steps)-1].Parts {
		if rs.Replicas > 0 {
			end[rs.Name] = [2]int32{rs.Replicas, rs.Ready}
		}
	}
	return steps, end
}

// done returns the same for the writes since an index in the history.
func (w *whatIf) done(before map[string]int32, since int) (steps []string, end map[string][2]int32) {
	for _, c := range w.history[since:] {
		rs, ok := c.Object.(*appsv1.ReplicaSet)
		if !ok {
			continue
		}
		now := *rs.Spec.Replicas
		switch old, known := before[c.Name]; {
		case !known:
			steps = append(steps, fmt.Sprintf("%s is made with %d", c.Name, now))
		case old != now:
			steps = append(steps, fmt.Sprintf("%s: %d to %d", c.Name, old, now))
		}
		before[c.Name] = now
	}
	end = map[string][2]int32{}
	for name, rs := range w.state.ReplicaSets {
		if *rs.Spec.Replicas > 0 {
			end[name] = [2]int32{*rs.Spec.Replicas, rs.Status.ReadyReplicas}
		}
	}
	return steps, end
}

// ask runs kplan for an apply. It decodes the answer and returns the notes on standard error.
func (w *whatIf) ask(answer any, command, file string, flags ...string) (notes string) {
	w.Helper()
	cmd := w.kplan(slices.Concat([]string{command, "--live", "-f", file, "-o", "json"}, w.how, flags)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	text, _ := cmd.Output() // a rollout that does not finish is no success
	only(w, text, answer, problems.String())
	return problems.String()
}

// first requests only the next pass, which must be the first step of the simulation, and its
// explanation.
func (w *whatIf) first(f *foretold, file string) {
	w.Helper()
	var plan, why struct{ Actions []resize }
	w.ask(&plan, "plan", file)
	w.ask(&why, "explain", file)
	one := func(actions []resize) []string {
		steps, _ := (&foretold{Steps: []foretoldStep{{Actions: actions}}}).sizes()
		return steps
	}
	require.Equal(w, one(f.Steps[0].Actions), one(plan.Actions))
	require.Equal(w, plan.Actions, why.Actions)
}

// check simulates the apply, makes it, and compares the simulation with the writes of upstream's
// controllers.
func (w *whatIf) check() {
	w.settle()
	file := filepath.Join(w.TempDir(), "next.yaml")
	require.NoError(w, os.WriteFile(file, []byte(w.next), 0o600))
	var f foretold
	problems := w.ask(&f, "simulate", file, w.flags...)
	w.first(&f, file)
	before, since := map[string]int32{}, len(w.history)
	for name, rs := range w.state.ReplicaSets {
		before[name] = *rs.Spec.Replicas
	}
	w.applyFile(file, w.how...)
	w.settle()
	if b := w.world.kubelet.Behaviour(w.namespace); b.Ready < 0 {
		w.behave(quick) // the pods were only slow
		w.wait("the slow pods", func(s *cluster.State) bool {
			for _, p := range s.Pods {
				if active(p) && !ready(p) {
					return false
				}
			}
			return true
		})
		w.settle()
	}
	if w.after != nil {
		w.after()
		w.settle()
	}
	wantSteps, wantEnd := w.done(before, since)
	steps, end := f.sizes()
	if diff := cmp.Diff(wantSteps, steps) + cmp.Diff(wantEnd, end); diff != "" {
		w.Errorf("upstream's controllers (-) do not do what was foretold (+):\n%s\n%s\n%s", diff, strings.Join(f.Assumed, "\n"), problems)
		return
	}
	w.Logf("%d steps as foretold", len(steps))
}

// Upstream's controllers do what kplan simulate --live says of a manifest, step by step in sizes,
// from many live states. The same holds for plan and explain, and with --server-side, also after a
// first apply without it.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	world := ownWorld(t, true)
	for i := range liveStates + bySide {
		s := situations[i%len(situations)]
		t.Run(fmt.Sprintf("%s-%d", s.name, i), func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, world, fmt.Sprintf("whatif-%s-%d", s.name, i), upstream, script{})
			defer e.close(script{})
			w := &whatIf{env: e, random: rand.New(rand.NewPCG(19, uint64(i))), tag: "1"}
			w.size = 2 + w.random.IntN(4)
			w.limits = []string{oneByOne, "{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", "{type: Recreate}"}[w.random.IntN(3)]
			if i >= liveStates {
				w.how = []string{"--server-side", "--force-conflicts"}
			}
			s.make(w)
			w.check()
		})
	}
}
