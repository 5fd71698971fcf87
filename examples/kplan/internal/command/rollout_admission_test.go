// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tutorial is a Rollout as most tutorials have it, in both versions of the API: steps of 20, 50 and
// 100% of the pods, each with as much traffic.
func tutorial(version, metadata string) string {
	spec := `
  objectRef: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: echo}}
  strategy:
    canary:
      steps:
      - {weight: 20, replicas: 20%, pause: {duration: 60}}
      - {weight: 50, replicas: 50%, pause: {duration: 120}}
      - {weight: 100, replicas: 100%, pause: {duration: 300}}`
	if version == "v1beta1" {
		spec = `
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: echo}
  strategy:
    canary:
      steps:
      - {traffic: 20%, replicas: 20%, pause: {duration: 60}}
      - {traffic: 50%, replicas: 50%, pause: {duration: 120}}
      - {traffic: 100%, replicas: 100%, pause: {duration: 300}}`
	}
	return fmt.Sprintf(`---
apiVersion: rollouts.kruise.io/%s
kind: Rollout
metadata: {name: echo, annotations: {rollouts.kruise.io/rolling-style: partition}%s}
spec:%s
      trafficRoutings: [{service: echo, ingress: {name: echo}}]
---
apiVersion: v1
kind: Service
metadata: {name: echo}
spec: {selector: {app: echo}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: echo}
spec:
  ingressClassName: nginx
  rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: echo, port: {number: 80}}}}]}}]
`, version, metadata, spec)
}

func echo(image string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata: {name: echo}
spec:
  replicas: 6
  selector: {matchLabels: {app: echo}}
  template:
    metadata: {labels: {app: echo}}
    spec: {containers: [{name: echo, image: "echo:` + image + `"}]}
`
}

// What only a flag of OpenKruise's webhook is against is simulated, with a note that names the flag and
// the least value of it. --strict refuses it, and a Rollout of a cluster has been let in by
// whatever flags that has.
func TestTutorialStepsWithTraffic(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	from := write("old.yaml", echo("1"))
	for version, words := range map[string]string{
		"v1beta1": `spec.strategy.canary.steps[2].replicas: 100%: OpenKruise would refuse it, in the words of its webhook: ` +
			`"For partition style rollout: step[x].replicas must not greater than partition-percent-limit if traffic specified"`,
		"v1alpha1": `spec.strategy.canary.steps[2]: 2: OpenKruise would refuse it, in the words of its webhook: ` +
			`"For patition style rollout: step[x].replicas must not greater than replicasLimitWithTraffic if traffic or matches specified"`,
	} {
		file := write(version+".yaml", echo("2")+tutorial(version, ""))
		told := file + `: Rollout "echo": ` + words + "; let the step ask for less, or for a number of pods, or leave its traffic out" +
			"; with its flag --partition-percent-limit=100 it would not\n"
		for command, args := range map[string][]string{
			"simulate": {"simulate", "--from", from, "-f", file, "-o", "json"},
			"diff":     {"diff", "--from", from, "-f", file, "-o", "json"},
			"plan":     {"plan", "-f", file, "-o", "json"},
			"explain":  {"explain", "-f", file, "-o", "json"},
		} {
			code, stdout, stderr := run(nil, args...)
			require.Zero(t, code, "%s %s: %s", command, version, stderr)
			require.Contains(t, stderr, "note: "+told, "%s %s", command, version)
			require.True(t, json.Valid([]byte(stdout)))

			code, _, stderr = run(nil, append(args, "--partition-percent-limit", "100", "--strict")...)
			require.Zero(t, code, "%s %s", command, version)
			require.NotContains(t, stderr, "would refuse")

			code, stdout, stderr = run(nil, append(args, "--strict")...)
			require.Equal(t, exitFailure, code, "%s %s", command, version)
			require.Contains(t, stdout+stderr, "would refuse it")
			require.NotContains(t, stderr, "note: "+file)
		}
		live := write(version+"-live.yaml", echo("2")+tutorial(version, ", uid: e0"))
		code, _, stderr := run(nil, "simulate", "--from", from, "-f", live, "--strict")
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, "note: "+strings.Replace(strings.Replace(told, file, live, 1), "refuse it", "refuse a change of it", 1))
	}
	_, stdout, _ := run(nil, "simulate", "--from", from, "-f", filepath.Join(dir, "v1beta1.yaml"))
	require.Contains(t, stdout, "Complete after ")
	code, _, stderr := run(nil, "simulate", "--from", from, "-f", filepath.Join(dir, "v1beta1.yaml"), "--partition-percent-limit=0", "--strict")
	require.Equal(t, exitFailure, code, "a limit of 0 lets no percentage in")
	require.Contains(t, stderr, "steps[0].replicas: 20%")
}

// A flag of the webhook lets any kind of workload in. It is said, and that such a workload is
// not planned here.
func TestUnknownKindNamesTheFlag(t *testing.T) {
	job := strings.Replace(tutorial("v1beta1", ""), "apiVersion: apps/v1, kind: Deployment", "apiVersion: batch/v1, kind: Job", 1)
	code, _, stderr := run([]byte(echo("2")+job), "plan", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `"WorkloadRef kind is not supported"; name a Deployment, CloneSet, StatefulSet or DaemonSet; `+
		"with its flag --filter-workload-type=false it takes any kind, which is not planned here")
}
