// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// idle is a DaemonSet on one node, whose pod is on its way out, with as many old
// revisions as it may keep.
func idle(t *testing.T) *state {
	s := Snapshot{
		DaemonSet: DaemonSet{Name: "agent", UID: "ds", Selector: &selector.LabelSelector{}, Template: Template{Hash: "v", Data: []byte("v")}},
		Nodes:     []Node{{Name: "n"}},
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.Pods = []Pod{{Pod: podorder.Pod{Name: "p", NodeName: "n", ControllerUID: "ds", DeletionTimestamp: now}}}
	for i := range revision.DefaultLimit {
		name := fmt.Sprint("agent-", i)
		s.Revisions = append(s.Revisions, revision.ControllerRevision{Name: name, ControllerUID: "ds", Labels: map[string]string{LabelHash: name}, Data: []byte(name)})
	}
	st, _, err := prepare(s, now, Options{})
	require.NoError(t, err)
	require.Nil(t, st.collision)
	require.Len(t, st.old, revision.DefaultLimit)
	return st
}

// In a large cluster most nodes and revisions need nothing, and take no room.
func TestNothingTakesNoRoom(t *testing.T) {
	st := idle(t)
	nodes, started := st.decideNodes()
	require.Empty(t, nodes)
	require.Empty(t, started)
	require.Zero(t, testing.AllocsPerRun(10, func() { st.unused() }))
}
