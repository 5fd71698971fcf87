// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// The adapter rolls a fleet of machines, while the controllers of its sets run in any order and may
// create or delete late. One old machine at a time may fail.
type machineLoop struct {
	d      MachineDeployment
	b      rollout.Budget
	random *rand.Rand
	breaks int32 // deadlocks that were broken, each of which may cost a machine that serves
}

func newMachineLoop(random *rand.Rand) *machineLoop {
	l := &machineLoop{random: random}
	n := random.Int32N(12) + 1
	l.d = MachineDeployment{
		Replicas: n, MaxSurge: rollout.Int(random.Int32N(4)), MaxUnavailable: rollout.Int(random.Int32N(4)),
		NewSet: MachineSet{Name: "new", Created: 9},
	}
	l.b = rollout.Resolve(n, l.d.MaxSurge, l.d.MaxUnavailable)
	for i := range random.Int64N(3) + 1 {
		size := random.Int32N(n + 1)
		n -= size
		l.d.OldSets = append(l.d.OldSets, MachineSet{Name: "old" + strconv.FormatInt(i, 10), Created: i, Wanted: size, There: size, Available: size})
	}
	l.d.NewSet.Wanted = n
	l.d.NewSet.There, l.d.NewSet.Available = n, n
	return l
}

// sets are all, the new one last.
func (l *machineLoop) sets() (sets []*MachineSet) {
	for i := range l.d.OldSets {
		sets = append(sets, &l.d.OldSets[i])
	}
	return append(sets, &l.d.NewSet)
}

// run runs one controller: of the deployment, or of a set. A set that loses machines may lose
// available ones, and the new machines of a set become available one by one.
func (l *machineLoop) run(which int) {
	sets := l.sets()
	if which == len(sets) {
		old := make([]rollout.Set, len(l.d.OldSets))
		for i, s := range l.d.OldSets {
			old[i] = s.set(false)
		}
		changed, _, _ := l.d.Scale()
		if len(changed) == 1 && rollout.Deadlock(l.d.NewSet.set(false), old) >= 0 {
			l.breaks++
		}
		for _, s := range sets {
			if size, ok := changed[s.Name]; ok {
				s.Wanted = size
			}
		}
		return
	}
	s := sets[which]
	if gone := s.There - s.Wanted; gone > 0 {
		s.There, s.Available = s.Wanted, max(0, s.Available-gone)
		return
	}
	s.There = s.Wanted
	s.Available = min(s.There, s.Available+1)
}

// fail takes an old machine out of service, unless one is already, or some are still to go. More
// than one at a time upstream does not allow for: see The worst case in rules.md of package
// rollout. Nor can it for one that fails when others are already on their way.
func (l *machineLoop) fail() {
	for _, s := range l.d.OldSets {
		if s.Available < s.There || s.There != s.Wanted {
			return
		}
	}
	if s := &l.d.OldSets[l.random.IntN(len(l.d.OldSets))]; s.Available > 0 {
		s.Available--
	}
}

func (l *machineLoop) counts() (there, available int32) {
	for _, s := range l.sets() {
		there, available = there+s.There, available+s.Available
	}
	return there, available
}

func (l *machineLoop) done() bool {
	there, _ := l.counts()
	return l.d.NewSet.Available == l.d.Replicas && there == l.d.Replicas
}

// In 10,000 rollouts, or as many as KPLAN_LOOPS says, both bounds hold at each instant, but for
// one machine each time that a deadlock is broken, and every rollout ends.
func TestMachineLoops(t *testing.T) {
	loops := 10_000
	if text := os.Getenv("KPLAN_LOOPS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		loops = n
	}
	passes, breaches := 0, 0
	for seed := range loops {
		l := newMachineLoop(rand.New(rand.NewPCG(uint64(seed), 20)))
		_, served := l.counts()
		controllers := len(l.d.OldSets) + 2
		for pass := 0; !l.done(); pass++ {
			require.Less(t, pass, 2000, "seed %d does not end: %+v", seed, l.d)
			which := l.random.IntN(controllers)
			switch {
			case pass > 500: // each in its turn
				which = pass % controllers
			case l.random.IntN(8) == 0:
				l.fail()
				_, served = l.counts()
			}
			l.run(which)
			there, available := l.counts()
			l.breaks -= max(0, min(served, l.b.MinAvailable())-available)
			if there > l.b.MaxTotal() || l.breaks < 0 {
				l.breaks = 0
				breaches++
				if breaches < 4 {
					t.Errorf("seed %d, pass %d: %d there, %d available, %v: %+v", seed, pass, there, available, l.b, l.d)
				}
			}
			served = available
			passes++
		}
	}
	t.Logf("%d rollouts, %d passes, %d breaches", loops, passes, breaches)
	require.Zero(t, breaches)
}
