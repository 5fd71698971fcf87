// SPDX-License-Identifier: Apache-2.0

package pausepoint_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

// cases returns how many random cases a long test runs: the environment variable
// KPLAN_CASES, or few.
func cases(t *testing.T, few int) int {
	text := os.Getenv("KPLAN_CASES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "KPLAN_CASES")
	return n
}

// A rolloutSim is a rolling update of a Deployment with pause points, run by a
// planner that sees old states of the world, whose writes get lost, and that
// crashes.
type rolloutSim struct {
	r     *rand.Rand
	world simState
	seen  []simState // all states so far; a cache may show any of them but never goes back
	deps  int        // the state of the Deployment that the planner sees
	lists int        // the state of the pods that it sees

	pauses  map[string]int  // pauses written, by pod
	resumed map[string]bool // pauses that the user has seen and ended, by pod
	waits   string          // the pod at which the Deployment waits
	stats   *simStats
	fault   string
}

type simState struct {
	paused  bool
	token   string
	version int // of the Deployment
	alive   []bool
}

type simStats struct{ passes, deletions, pauses, conflicts, lost, crashes, stale, failed, byHand int }

var simModes = []string{"", "", "", "", "before", "after", "before", "nonsense"}

func (s *rolloutSim) run(t *testing.T) {
	n := 1 + s.r.IntN(8)
	pods := make([]podorder.Pod, n)
	sets := 1 + s.r.IntN(3)
	for i := range pods {
		pods[i] = running(fmt.Sprintf("u%d", i), t0)
		if mode := simModes[s.r.IntN(len(simModes))]; mode != "" {
			pods[i].Annotations = map[string]string{pausepoint.Annotation: mode}
		}
		pods[i].ControllerName = strconv.Itoa(i * sets / n)
		s.world.alive = append(s.world.alive, true)
	}
	s.seen = []simState{s.world}
	for pass := range 2000 {
		if !s.left() {
			s.finish(pods)
			return
		}
		s.user(pods)
		s.pass(pods, sets)
		s.stats.passes++
		if s.fault != "" {
			t.Fatalf("pass %d: %s (state %+v)", pass, s.fault, s.world)
		}
	}
	t.Fatalf("stuck: %+v", s.world)
}

func (s *rolloutSim) left() bool {
	for _, alive := range s.world.alive {
		if alive {
			return true
		}
	}
	return false
}

// finish checks that each point has paused exactly once.
func (s *rolloutSim) finish(pods []podorder.Pod) {
	for i := range pods {
		mode, _ := pausepoint.Parse(pods[i].Annotations)
		want := 1
		if mode == pausepoint.Never {
			want = 0
		}
		if s.pauses[pods[i].UID] != want {
			s.fault = fmt.Sprintf("%s paused %d times, want %d", pods[i].UID, s.pauses[pods[i].UID], want)
		}
	}
}

func (s *rolloutSim) write() {
	next := s.world
	next.alive = append([]bool(nil), s.world.alive...)
	s.world = next
	s.seen = append(s.seen, next)
}

// user resumes what has paused, and now and then pauses by hand.
func (s *rolloutSim) user(pods []podorder.Pod) {
	switch {
	case s.world.paused && s.r.IntN(4) == 0:
		if s.waits != "" {
			s.resumed[s.waits] = true
		}
		s.waits = ""
		s.world.paused = false
		s.world.version++
		s.write()
	case !s.world.paused && s.r.IntN(30) == 0:
		s.world.paused = true
		s.stats.byHand++
		s.world.version++
		s.write()
	}
}

// observe moves a cache forward, not necessarily to the end.
func (s *rolloutSim) observe(at int) int {
	if s.r.IntN(3) > 0 {
		return len(s.seen) - 1
	}
	s.stats.stale++
	return at + s.r.IntN(len(s.seen)-at)
}

func (s *rolloutSim) pass(pods []podorder.Pod, sets int) {
	s.deps, s.lists = s.observe(s.deps), s.observe(s.lists)
	dep, list := s.seen[s.deps], s.seen[s.lists]
	var visible []podorder.Pod
	for i := range pods {
		if list.alive[i] {
			visible = append(visible, pods[i])
		}
	}
	downs := make([]pausepoint.ScaleDown, sets)
	for set := range downs {
		numbers := []int{}
		for i := range visible {
			if visible[i].ControllerName == strconv.Itoa(set) {
				numbers = append(numbers, i)
			}
		}
		downs[set] = pausepoint.ScaleDown{Pods: numbers, N: min(len(numbers), s.r.IntN(4)), Cause: pausepoint.CauseRollout}
	}
	order := podorder.Order{Chain: podorder.Legacy}
	plan := pausepoint.Decide(order, visible, downs, pausepoint.State{
		Name: "web", ResourceVersion: strconv.Itoa(dep.version), Paused: dep.paused, Token: dep.token, Revision: 7,
	})
	var steps []func()
	for set, down := range downs {
		for _, v := range order.Victims(visible, down.Pods, plan.Delete[set]) {
			steps = append(steps, func() { s.delete(pods, visible[v].UID) })
		}
	}
	if plan.Pause != nil {
		steps = append(steps, func() { s.pause(pods, plan.Pause) })
	}
	s.r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] }) // no order is promised to be kept
	for _, step := range steps {
		if s.r.IntN(12) == 0 {
			s.stats.crashes++
			return
		}
		step()
	}
}

// delete removes a pod, and checks that no point is passed.
func (s *rolloutSim) delete(pods []podorder.Pod, uid string) {
	if s.r.IntN(10) == 0 {
		s.stats.failed++
		return
	}
	owner := ""
	for i := range pods {
		if pods[i].UID == uid {
			owner = pods[i].ControllerName
		}
	}
	for i := range pods {
		mode, _ := pausepoint.Parse(pods[i].Annotations)
		switch {
		case pods[i].UID == uid:
			if !s.world.alive[i] {
				return
			}
			if mode == pausepoint.Before && !s.resumed[uid] || mode == pausepoint.After && s.pauses[uid] == 0 {
				s.fault = uid + " deleted without a pause"
			}
			s.world.alive[i] = false
			s.stats.deletions++
			s.write()
			return
		case mode != pausepoint.Never && !s.resumed[pods[i].UID] && (pods[i].ControllerName == owner || s.held(pods[i].UID)):
			s.fault = uid + " deleted, which is behind " + pods[i].UID
			return
		}
	}
}

// held reports whether the planner knew that the Deployment waits at the pod.
func (s *rolloutSim) held(uid string) bool {
	return s.waits == uid && s.seen[s.deps].token == s.world.token && s.seen[s.deps].paused
}

// pause writes to the Deployment, if it is the one that was seen.
func (s *rolloutSim) pause(pods []podorder.Pod, a *pausepoint.PauseDeployment) {
	switch {
	case strconv.Itoa(s.world.version) != a.ResourceVersion:
		s.stats.conflicts++
		return
	case s.r.IntN(6) == 0:
		s.stats.lost++
		return
	}
	token, ok := pausepoint.ParseToken(a.Token)
	if !ok {
		s.fault = "unreadable token " + a.Token
		return
	}
	uid := token.Entries[len(token.Entries)-1].UID
	if s.pauses[uid]++; s.pauses[uid] > 1 {
		s.fault = uid + " paused twice"
	}
	s.world.paused, s.world.token, s.waits = true, a.Token, uid
	s.stats.pauses++
	s.world.version++
	s.write()
}

// TestPauseSimulation: whatever is lost, late or broken off, each pause point pauses
// the rollout exactly once, nothing behind it is deleted before the user resumes, and
// the rollout ends.
func TestPauseSimulation(t *testing.T) {
	var stats simStats
	n := cases(t, 500)
	start := time.Now()
	for seed := range n {
		s := rolloutSim{r: rand.New(rand.NewPCG(uint64(seed), 7)), pauses: map[string]int{}, resumed: map[string]bool{}, stats: &stats}
		s.run(t)
		require.Empty(t, s.fault, "seed %d", seed)
	}
	t.Logf("%d rollouts: none missed, none doubled, none stuck: %+v in %v", n, stats, time.Since(start))
	for what, count := range map[string]int{"pauses": stats.pauses, "conflicts": stats.conflicts, "lost": stats.lost, "crashes": stats.crashes, "by hand": stats.byHand} {
		require.NotZero(t, count, what)
	}
}
