package daemonset_test

import (
	"testing"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// Every field of whatever is asked or answered survives JSON.
func TestRoundTrip(t *testing.T) {
	purity.RoundTrip(t, ".", []any{
		rollout.Percent(7), daemonset.RepairAll,
		daemonset.AdoptPod{}, daemonset.ReleasePod{}, daemonset.AdoptRevision{}, daemonset.ReleaseRevision{}, daemonset.CreateRevision{},
		daemonset.UpdateRevision{}, daemonset.DeleteRevision{}, daemonset.RelabelPod{}, daemonset.CreatePod{}, daemonset.DeletePod{},
		daemonset.PreparePod{}, daemonset.UpdatePod{}, daemonset.RefreshPod{},
	},
		daemonset.Snapshot{}, daemonset.Plan{}, daemonset.Options{}, daemonset.NodeReport{}, inplace.Spec{}, inplace.State{},
		inplace.Pod{}, inplace.Step{}, inplace.Options{},
	)
}
