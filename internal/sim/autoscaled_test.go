// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// An autoscaler looks at a Deployment 15 seconds after the start, whether the rollout has
// come to its end by then or not.
func TestAutoscaled(t *testing.T) {
	d := deployment("web", 4, rollout.Int(1), rollout.Int(0))
	c, err := Finished(d)
	require.NoError(t, err)
	r, err := Run(c, Config{Autoscaled: ptr.To(int32(6))})
	require.NoError(t, err)
	require.True(t, r.Done)
	require.Equal(t, 15*time.Second, r.Steps[0].Time)
	require.EqualValues(t, 6, r.Steps[0].Total)

	d.Replicas, d.Template = ptr.To(int32(1)), revision.Template{ID: "v2", Hash: "v2"}
	c.Update(d)
	r, err = Run(c, Config{Autoscaled: ptr.To(int32(6)), Kubelet: Kubelet{ReadyAfter: 20 * time.Second}})
	require.NoError(t, err)
	require.True(t, r.Done)
	var lines []string
	for _, s := range r.Steps {
		lines = append(lines, fmt.Sprint(s.Time, " ", s.Total))
	}
	require.Equal(t, []string{
		"0s 1", "0s 2", // what is wanted, and the surge
		"15s 7",          // 6 and the surge, of which both sets take their share: 3 and 4
		"35s 6", "35s 7", // one of the 3 old pods goes each time that others are ready
		"55s 6", "55s 7", "1m15s 6", "1m15s 6",
	}, lines)
}
