// SPDX-License-Identifier: Apache-2.0

package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// What a Rollout waits for is told by name: that it is healthy to Argo Rollouts, that the
// preview is complete, or that the new pods are all there, ends no --watch.
func TestArgoWaits(t *testing.T) {
	at := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		says    []string
		verdict view.Verdict
	}{
		"back-to-stable": {[]string{
			"is waiting. Pods of the stable template are not available.", "Argo Rollouts reports the phase Healthy", "100 of 100 requests go to old pods (v2).",
			"replica set web-v1: available pods of the stable template: 0; 4 are wanted (StableUnavailable)",
		}, view.Waits},
		"preview-complete": {[]string{"is waiting. A person has to promote the update.", "kubectl argo rollouts promote"}, view.Waits},
		"stable-refused": {[]string{
			"is stuck. The ReplicaSet web-v1 (stable) cannot create pods: pods is forbidden: violates PodSecurity.",
			"it has 0 of 2 (ReplicaFailure)", `In the words of the API server: "pods is forbidden: violates PodSecurity"`,
		}, view.Stuck},
	} {
		t.Run(name, func(t *testing.T) {
			file := argoData + "live/" + name + ".yaml"
			text := succeed(t, nil, "explain", "-f", file, "--now", at.Format(time.RFC3339))
			golden(t, data+"golden/argo/waits/"+name+".txt", []byte(text))
			for _, want := range c.says {
				require.Contains(t, inWords(text), want)
			}
			require.NotContains(t, text, "BatchNotReady")
			set, err := manifest.Load(manifest.Source{Filenames: []string{file}})
			require.NoError(t, err)
			e, _, err := subject.Argo{ArgoRollout: &set.Argo[0]}.Explain(&subject.Policies{}, at)
			require.NoError(t, err)
			require.Equal(t, c.verdict, e.(judged).Verdict())
		})
	}
}

// A ReplicaSet that cannot create pods makes none in a simulation either, unless all is to
// be well.
func TestArgoRefused(t *testing.T) {
	file := []string{"simulate", "-f", argoData + "live/stable-refused.yaml", "--now", "2026-05-01T12:00:00Z"}
	code, text, stderr := run(nil, file...)
	require.Equal(t, 1, code)
	require.Contains(t, inWords(text), `no more pods are made than there are, as creations fail, in the words of the API server: "pods is forbidden: violates PodSecurity"`)
	require.Contains(t, stderr, "the ReplicaSet cannot create or delete pods: it has 0 of 2")
	require.Contains(t, succeed(t, nil, append(file, "--heal")...), "\nComplete after ")
}
