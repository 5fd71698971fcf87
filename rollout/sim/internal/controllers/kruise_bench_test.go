// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A release of a Deployment in three steps that nobody confirms.
func BenchmarkRollout(b *testing.B) {
	for _, pods := range []int32{100, 1000, 10_000} {
		b.Run(fmt.Sprint(pods), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				t := &testing.T{}
				h := releasingDeployment(t, 1, quirk.All, pods, trouble.Rates{})
				s := steps(20, 60, 100)
				for i := range s.Steps {
					s.Steps[i].Pause.Duration = ptr.To(int32(1))
				}
				canary(h, webDeployment, s)
				before := h.Plans
				b.StartTimer()
				h.admit(webDeployment, "v2")
				h.rest()
				if h.of("v2") != int(pods) {
					b.Fatal(h.of("v1"), h.of("v2"))
				}
				b.ReportMetric(float64(h.Plans-before), "plans")
			}
		})
	}
}
