// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// what somebody writes, and the same as an API server returns it.
const (
	written = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx, securityContext: {}, resources: {requests: {cpu: 0.5}}}
`
	returned = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, uid: u, generation: 1}
spec:
  progressDeadlineSeconds: 600
  replicas: 1
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - image: nginx
        imagePullPolicy: Always
        name: web
        resources: {requests: {cpu: 500m}}
        securityContext: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
`
	// without is written without an object that is empty, which is another template.
	without = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 500m}}}]}
`
)

// TestDefaults: a manifest is what the API server makes of it, in a namespace that it does
// not name; an empty object that is left out is a change.
func TestDefaults(t *testing.T) {
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	old, same, other := file("old.yaml", returned), file("same.yaml", written), file("other.yaml", without)
	steps := func(from, to string) rolloutJSON {
		code, stdout, stderr := run(nil, "simulate", "--from", from, "-f", to, "-o", "json")
		require.Zero(t, code, stderr)
		require.Empty(t, stderr, "it is in the files of --from")
		return readRollout(t, stdout)
	}
	for _, pair := range [][2]string{{old, same}, {same, old}, {same, same}} {
		r := steps(pair[0], pair[1])
		require.True(t, r.Done)
		require.Len(t, r.Steps[len(r.Steps)-1].Parts, 1, "nothing is rolled out")
	}
	r := steps(same, other)
	require.Len(t, r.Steps[len(r.Steps)-1].Parts, 2, "another template")
	r = steps(old, other)
	require.Len(t, r.Steps[len(r.Steps)-1].Parts, 1, "no apply has owned what is left out of the live object")
	text, err := yaml.YAMLToJSON([]byte(written))
	require.NoError(t, err)
	owned := strings.Replace(returned, "uid: u,", "uid: u, annotations: {"+corev1.LastAppliedConfigAnnotation+": '"+string(text)+"'},", 1)
	r = steps(file("owned.yaml", owned), other)
	require.Len(t, r.Steps[len(r.Steps)-1].Parts, 2, "the last apply has")

	code, _, stderr := run(nil, "plan", "-f", file("both.yaml", written+"---\n"+returned))
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `Deployment "web": there is one of this name already`)
}
