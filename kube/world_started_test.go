// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
)

// New pods of a template stay as far from being ready as those that are seen: Pending without their image, and
// Running if these run.
func TestBelievedPhase(t *testing.T) {
	for phase, status := range map[podorder.Phase]string{
		podorder.Pending: waits("ImagePullBackOff"),
		podorder.Running: fmt.Sprintf(notReady, "2026-05-01T11:54:59Z"),
	} {
		t.Run(string(phase), func(t *testing.T) {
			now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			s, err := kube.WorldAt(now, read(t, web, seenPod("web-1", "", onA, status)))
			require.NoError(t, err)
			template := s.Templates[s.ReplicaSets[0].Template.ID]
			require.Equal(t, []bool{phase == podorder.Running, phase == podorder.Pending}, []bool{template.NeverReady, template.NeverStarts})
			w, err := sim.New(s, sim.Config{})
			require.NoError(t, err)
			_, err = w.Settle(time.Hour)
			require.NoError(t, err)
			require.Len(t, w.View().Pods(), 3)
			for _, p := range w.View().Pods() {
				require.Equal(t, phase, p.Phase, p.Name)
			}
		})
	}
}
