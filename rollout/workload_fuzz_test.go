package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

func FuzzInspect(f *testing.F) {
	w := rollout.Workload{WorkloadRef: deployment, Template: template("v2"), Labels: map[string]string{stableLabel: "v1"}, Annotations: map[string]string{rollout.AnnotationInProgress: "x"}}
	sets := []rollout.WorkloadSet{{Name: "a", Template: template("v1"), Replicas: 3}, {Name: "b", Template: template("v2"), Replicas: 1}}
	daemon := w
	daemon.WorkloadRef = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web"}
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.InspectSnapshot) (rollout.WorkloadState, error) { return rollout.Inspect(s), nil },
		rollout.InspectSnapshot{Workload: w, Style: rollout.Partition, Sets: sets}, rollout.InspectSnapshot{Workload: w, Style: rollout.Canary, Sets: sets, CanarySets: sets},
		rollout.InspectSnapshot{Workload: daemon, Revisions: []rollout.DaemonSetRevision{{Revision: 2, Hash: "b"}, {Revision: 1, Hash: "a"}}})
}

// A name is read as the quirk of that name, or refused.
func FuzzParseQuirks(f *testing.F) {
	f.Add("LastPauseSkipped")
	f.Add("nonsense")
	f.Fuzz(func(t *testing.T, name string) {
		q, err := rollout.ParseQuirks(name)
		if err != nil {
			require.ErrorIs(t, err, rollout.ErrInvalid)
			return
		}
		require.Equal(t, name, q.String())
	})
}
