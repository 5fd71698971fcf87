// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/preview"
)

// The preview agrees with what the passes do in an ideal cluster.
func TestPreviewAgreesWithPasses(t *testing.T) {
	for _, replicas := range []int32{1, 2, 3, 6, 10, 37} {
		steps := []kruise.Step{step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)}
		c := newWorld(t, replicas, steps...)
		p, err := preview.Of(preview.Input{Rollout: c.r, Replicas: replicas}, kruise.Options{})
		require.NoError(t, err)
		c.begin()
		for i := range steps[:2] {
			c.run(c.at(int32(i)+1, kruise.StatePaused), false)
			require.Equal(t, p.Steps[i].End, preview.Sizes{New: c.sizes["v2"], Old: c.sizes["v1"]}, "%d replicas, step %d", replicas, i+1)
			c.r.Status.Sub.CurrentStepState = kruise.StateReady
		}
		c.run(c.phase(kruise.PhaseHealthy), true)
		require.Equal(t, replicas, c.sizes["v2"])
	}
}
