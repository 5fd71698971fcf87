// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// A memory is the knowledge of both sides from earlier passes.
type memory struct {
	expected expect.Expectations
	backoff  daemonset.Backoff
	theirs   upstream.Memory
}

// inform gives upstream our knowledge.
func (m *memory) inform() {
	e := m.expected
	m.theirs = upstream.Memory{Expected: upstream.Expected{Creations: e.Creations, Deletions: e.Deletions, Pending: e.Pending, At: e.At}, Delays: m.delays()}
}

func (m *memory) delays() (list []upstream.NodeDelay) {
	for _, b := range m.backoff {
		list = append(list, upstream.NodeDelay{Key: upstream.DelayKey(b.UID, b.Generation, b.Node), Delay: b.Delay, Since: b.Since})
	}
	slices.SortFunc(list, func(a, b upstream.NodeDelay) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// expectations returns upstream's expectations in our form.
func expectations(m upstream.Memory) expect.Expectations {
	e := m.Expected
	return expect.Expectations{Creations: e.Creations, Deletions: e.Deletions, Pending: e.Pending, At: e.At}
}

// stillExpected returns the compared part of expectations. Expectations from earlier passes do not
// matter once they are satisfied: nothing raises them again.
func stillExpected(e expect.Expectations, now time.Time) (creations, deletions int64) {
	switch {
	case e.At.Equal(now):
		return e.Creations, e.Deletions
	case e.Satisfied(now):
		return 0, 0
	}
	return max(0, e.Creations), max(0, e.Deletions)
}

// backoffOf returns the table after the failures of a case.
func backoffOf(c *gen.DaemonSetCase) (daemonset.Backoff, error) {
	s, err := daemonSetSnapshot(c)
	return s.Backoff.Sorted(), err
}

// failuresOf returns failures that lead to the entries of a DaemonSet in a table.
func failuresOf(b daemonset.Backoff, uid string, generation int64) (list []upstream.Failure) {
	for _, e := range b {
		if e.UID == uid && e.Generation == generation {
			list = append(list, upstream.Failure{Node: e.Node, Times: bits.Len64(uint64((e.Delay+time.Second-1)/time.Second-1)) + 1, At: e.Since})
		}
	}
	return list
}
