package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/replicaset"
)

// A pod that is another one by now cannot be adopted, which ends the pass: what it would
// have created is not expected. To release such a pod is no failure.
func TestClaimsThatEndThePass(t *testing.T) {
	for _, c := range []struct {
		why    string
		action replicaset.Action
		answer replicaset.Answer
		stops  bool
	}{
		{"it is another pod by now", replicaset.AdoptPod{}, replicaset.Invalid, true},
		{"it is gone", replicaset.AdoptPod{}, replicaset.NotFound, false},
		{"somebody else has released it", replicaset.ReleasePod{}, replicaset.Invalid, false},
		{"nobody knows", replicaset.ReleasePod{}, replicaset.Failed, true},
	} {
		p := &replicaSetPass{plan: replicaset.Plan{Actions: []replicaset.Action{c.action, replicaset.CreatePods{}}}, claims: []replicaset.Outcome{{Answer: c.answer}}}
		require.Equal(t, c.stops, p.stopped(), c.why)
	}
}
