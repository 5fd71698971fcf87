// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
)

// A journalReader knows of pods what a journal has told of them.
type journalReader struct {
	at, anew int
	pods     map[string]*podorder.Pod
}

func (r *journalReader) read(t *rapid.T, j *journal[podorder.Pod]) {
	anew := func() { r.anew, r.pods = r.anew+1, map[string]*podorder.Pod{} }
	require.NoError(t, j.since(&r.at, anew, func(old, p *podorder.Pod) error {
		name := ""
		if old != nil {
			name = old.Name
			require.Same(t, r.pods[name], old)
			delete(r.pods, name)
		}
		if p != nil {
			r.pods[p.Name] = p
		}
		return nil
	}))
}

// TestPropertyJournal: whoever reads knows what there is, however late, and what all have read is
// forgotten, but nothing that one of them needs, unless that is more than all pods.
func TestPropertyJournal(t *testing.T) {
	late := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newStore()
		pods := &s.pods
		pods.atOnce = true
		pods.keep()
		there := map[string]*podorder.Pod{}
		var numbers []int32
		change := func(n int) {
			for range n {
				switch i := len(numbers); {
				case i < 20 || len(pods.places)%3 > 0 && i < 200:
					p := &podorder.Pod{Name: strconv.Itoa(len(pods.places))}
					there[p.Name] = pods.insert(&s.versions, p)
					numbers = append(numbers, pods.last())
				case s.version%2 > 0:
					old := pods.numbered(numbers[0])
					changed := *old
					pods.replace(&s.versions, numbers[0], old, &changed)
					there[changed.Name] = &changed
					numbers = append(numbers[1:], numbers[0])
				default:
					delete(there, pods.numbered(numbers[0]).Name)
					pods.remove(&s.versions, numbers[0])
					numbers = numbers[1:]
				}
			}
		}
		quick, slow, dead := &journalReader{at: -1}, &journalReader{at: -1}, &journalReader{at: -1}
		dead.read(t, pods.journal)
		change(rapid.IntRange(0, 100).Draw(t, "before"))
		for range rapid.IntRange(1, 10).Draw(t, "rounds") {
			for range rapid.IntRange(0, 60).Draw(t, "reads of one") {
				change(rapid.IntRange(0, 400).Draw(t, "changes"))
				quick.read(t, pods.journal)
				require.True(t, maps.Equal(there, quick.pods))
			}
			behind, anew := pods.journal.end()-slow.at, slow.anew
			slow.read(t, pods.journal)
			require.True(t, maps.Equal(there, slow.pods))
			require.False(t, anew > 0 && anew < slow.anew && behind <= 1024, "it began anew, %d events behind", behind)
			quick.read(t, pods.journal)
			change(1)
			require.LessOrEqual(t, len(pods.journal.events), 2*(1024+200/2)+1024)
		}
		require.LessOrEqual(t, quick.anew, 1)
		if slow.anew > 1 {
			late++
		}
		for range 200 {
			change(50)
			quick.read(t, pods.journal)
			slow.read(t, pods.journal)
		}
		require.Len(t, pods.journal.readers, 2, "one that does not read any more keeps nothing")
		require.LessOrEqual(t, len(pods.journal.events), 1024+2*50)
	})
	require.Positive(t, late, "nobody is ever too late")
}
