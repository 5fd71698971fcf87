// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// A pod that is another one by now cannot be adopted, which ends the pass: what it would
// have created is not expected. To release such a pod is no failure.
func TestClaimsThatEndThePass(t *testing.T) {
	for _, c := range []struct {
		why    string
		action replicaset.Action
		answer selector.ServerAnswer
		stops  bool
	}{
		{"it is another pod by now", replicaset.AdoptPod{}, selector.Invalid, true},
		{"it is gone", replicaset.AdoptPod{}, selector.NotFound, false},
		{"somebody else has released it", replicaset.ReleasePod{}, selector.Invalid, false},
		{"nobody knows", replicaset.ReleasePod{}, selector.Failed, true},
	} {
		p := &replicaSetPass{plan: replicaset.Plan{Actions: []replicaset.Action{c.action, replicaset.CreatePods{}}}, claims: []selector.Outcome{{Answer: c.answer}}}
		require.Equal(t, c.stops, p.stopped(), c.why)
	}
}
