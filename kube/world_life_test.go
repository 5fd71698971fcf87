// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestLifeOfTemplate: how long pods take at least to be ready, and to end.
func TestLifeOfTemplate(t *testing.T) {
	for spec, want := range map[string]cluster.Template{
		`containers: [{name: c}]`: {EndWithin: 30 * time.Second},
		`containers: [{name: c, readinessProbe: {initialDelaySeconds: 60, periodSeconds: 5}}], terminationGracePeriodSeconds: 90`:                                                                                             {ReadyAfter: time.Minute, EndWithin: 90 * time.Second},
		`containers: [{name: c, readinessProbe: {initialDelaySeconds: 7, periodSeconds: 5, successThreshold: 3}}, {name: d, readinessProbe: {periodSeconds: 20}}]`:                                                            {ReadyAfter: 17 * time.Second, EndWithin: 30 * time.Second},
		`containers: [{name: c, readinessProbe: {successThreshold: 2}}]`:                                                                                                                                                      {ReadyAfter: 10 * time.Second, EndWithin: 30 * time.Second},
		`containers: [{name: c, startupProbe: {initialDelaySeconds: 20}, readinessProbe: {initialDelaySeconds: 5, periodSeconds: 4, successThreshold: 2}}]`:                                                                   {ReadyAfter: 24 * time.Second, EndWithin: 30 * time.Second},
		`initContainers: [{name: i, readinessProbe: {initialDelaySeconds: 99}}, {name: s, restartPolicy: Always, startupProbe: {initialDelaySeconds: 6}}], containers: [{name: c, readinessProbe: {initialDelaySeconds: 3}}]`: {ReadyAfter: 9 * time.Second, EndWithin: 30 * time.Second},
		`containers: [{name: c, lifecycle: {preStop: {sleep: {seconds: 15}}}}], terminationGracePeriodSeconds: 0`:                                                                                                             {EndAfter: 15 * time.Second, EndWithin: time.Second},
	} {
		s, err := kube.World(read(t, `{kind: ReplicaSet, metadata: {name: web, uid: r}, spec: {template: {spec: {`+spec+`}}}}`))
		require.NoError(t, err)
		got := s.Templates[s.ReplicaSets[0].Template.ID]
		require.Equal(t, want, cluster.Template{ReadyAfter: got.ReadyAfter, EndAfter: got.EndAfter, EndWithin: got.EndWithin}, spec)
	}
}
