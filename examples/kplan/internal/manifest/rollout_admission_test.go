// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const small = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}\n"

// What the webhook of OpenKruise would refuse is told in its words, marked as such, and with
// what to change.
func TestRefusedRollout(t *testing.T) {
	rollout := func(steps string) error {
		_, err := Load(Source{Filenames: []string{"-"}, Stdin: strings.NewReader(`apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: web}
spec:
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  strategy: {canary: {steps: [` + steps + `]}}
` + "---\n" + small)})
		return err
	}
	require.NoError(t, rollout("{replicas: 20%}, {replicas: 50%}"))
	err := rollout("{replicas: 50%}, {replicas: 20%}")
	require.ErrorContains(t, err, "spec.strategy.canary.steps[1].replicas: ")
	require.ErrorContains(t, err, `OpenKruise would refuse it, in the words of its webhook: "Steps.CanaryReplicas must be a non decreasing sequence"; let no step ask for less than the one before`)
	require.ErrorContains(t, rollout("{traffic: 5%}"), `"replicas cannot be empty"; set it`)
}
