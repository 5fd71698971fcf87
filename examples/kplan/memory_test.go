// SPDX-License-Identifier: Apache-2.0

//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestMain runs the command itself if a test asks for it, and then writes what the system knows
// of the process into a file.
func TestMain(m *testing.M) {
	if file := os.Getenv("KPLAN_AS_COMMAND"); file != "" {
		code := run()
		status, _ := os.ReadFile("/proc/self/status")
		_ = os.WriteFile(file, status, 0o600) // without which the test fails
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// specOf returns the spec of a template as kubectl prints it, a long one: what is measured are bytes
// rather than objects.
func specOf() string {
	var variables strings.Builder
	for i := range 60 {
		fmt.Fprintf(&variables, "          - name: VARIABLE_%d\n            value: what app-%%[3]d has for %d\n", i, i)
	}
	return strings.Replace(spec, "        - env:\n", "        - env:\n"+variables.String(), 1)
}

const spec = `
        containers:
        - env:
          image: registry.example.com/app-%[3]d:%[7]d
          imagePullPolicy: IfNotPresent
          name: app
          ports:
          - containerPort: 80
            protocol: TCP
          readinessProbe:
            failureThreshold: 3
            httpGet:
              path: /
              port: 80
              scheme: HTTP
            periodSeconds: 10
            successThreshold: 1
            timeoutSeconds: 1
          resources:
            limits:
              memory: 128Mi
            requests:
              cpu: 100m
              memory: 64Mi
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          volumeMounts:
          - mountPath: /config
            name: config
        dnsPolicy: ClusterFirst
        restartPolicy: Always
        schedulerName: default-scheduler
        securityContext: {}
        terminationGracePeriodSeconds: 30
        tolerations:
        - effect: NoExecute
          key: node.kubernetes.io/not-ready
          operator: Exists
          tolerationSeconds: 300
        volumes:
        - configMap:
            defaultMode: 420
            name: config-%[3]d
          name: config`

// writeCluster writes Deployments with six ReplicaSets each, of which the last has pods, as kubectl
// prints them.
func writeCluster(out io.Writer, deployments int) {
	const object = `- apiVersion: apps/v1
  kind: %[1]s
  metadata:
    annotations:
      deployment.kubernetes.io/revision: "%[4]d"
    creationTimestamp: "2026-01-02T15:00:00Z"
    generation: 1
    labels:
      app: app-%[3]d
    name: %[2]s
    namespace: shop
%[5]s    resourceVersion: "1%[3]d"
    uid: uid-%[2]s
  spec:
    replicas: %[6]d
    selector:
      matchLabels:
        app: app-%[3]d
    template:
      metadata:
        labels:
          app: app-%[3]d
      spec:`
	const owned = `    ownerReferences:
    - apiVersion: apps/v1
      blockOwnerDeletion: true
      controller: true
      kind: Deployment
      name: app-%[1]d
      uid: uid-app-%[1]d
`
	const pod = `- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2026-01-02T15:00:00Z"
    labels:
      app: app-%[3]d
    name: %[2]s-%[1]d
    namespace: shop
    ownerReferences:
    - apiVersion: apps/v1
      controller: true
      kind: ReplicaSet
      name: %[2]s
      uid: uid-%[2]s
    uid: uid-%[2]s-%[1]d
  spec:%[4]s
  status:
    conditions:
    - lastTransitionTime: "2026-01-02T15:00:10Z"
      status: "True"
      type: Ready
    phase: Running
`
	spec := specOf()
	podSpec := strings.ReplaceAll(spec, "\n    ", "\n")
	fmt.Fprint(out, "apiVersion: v1\nitems:\n")
	for d := range deployments {
		fmt.Fprintf(out, object+spec+"\n  status:\n    observedGeneration: 1\n", "Deployment", fmt.Sprintf("app-%d", d), d, 6, "", 0, 6)
		for revision := range 6 {
			name := fmt.Sprintf("app-%d-%d", d, revision)
			replicas := revision / 5 * 2
			status := fmt.Sprintf("\n  status:\n    observedGeneration: 1\n    replicas: %[1]d\n    readyReplicas: %[1]d\n    availableReplicas: %[1]d\n", replicas)
			fmt.Fprintf(out, object+spec+status, "ReplicaSet", name, d, revision+1, fmt.Sprintf(owned, d), replicas, revision+1)
			for i := range replicas {
				s := fmt.Sprintf(podSpec+"%[1]s%[2]s%[4]s%[5]s%[6]s", "", "", d, "", "", "", revision+1)
				fmt.Fprintf(out, pod, i, name, d, s)
			}
		}
	}
	fmt.Fprint(out, "kind: List\nmetadata:\n  resourceVersion: \"\"\n")
}

// writeManifests writes Deployments as people write them.
func writeManifests(out io.Writer, deployments, version int) {
	const object = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[3]d
  namespace: shop
spec:
  replicas: 3
  selector:
    matchLabels:
      app: app-%[3]d
  template:
    metadata:
      labels:
        app: app-%[3]d
    spec:%[1]s%[2]s%[4]s%[5]s%[6]s`
	spec := specOf()
	for d := range deployments {
		fmt.Fprintf(out, object+strings.ReplaceAll(spec, "\n  ", "\n")+"\n", "", "", d, "", "", "", version)
	}
}

// peak returns how much memory the command takes at most, in bytes: the least of three runs, on one
// processor, since a collector that comes late on a busy machine only ever adds to what is needed. A
// run that takes no more than is enough is the last. What the parent is told of a child counts its own
// memory as well.
func peak(t *testing.T, enough int64, args ...string) int64 {
	least, file := int64(math.MaxInt64), filepath.Join(t.TempDir(), "status")
	for runs := 0; runs < 3 && least > enough; runs++ {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), "KPLAN_AS_COMMAND="+file, "GOMAXPROCS=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%.1000s", out)
		status, err := os.ReadFile(file)
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		var kilobytes int64
		_, err = fmt.Sscan(rest, &kilobytes)
		require.NoError(t, err, "%s", status)
		least = min(least, kilobytes<<10)
	}
	return least
}

// written writes a file and returns its name.
func written(t *testing.T, name string, write func(io.Writer)) string {
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	require.NoError(t, err)
	out := bufio.NewWriter(f)
	write(out)
	require.NoError(t, out.Flush())
	require.NoError(t, f.Close())
	return f.Name()
}

// compact gives YAML as the JSON of APIs, without a space, which says the same in the fewest bytes.
func compact(t *testing.T, write func(io.Writer)) func(io.Writer) {
	var text bytes.Buffer
	write(&text)
	return func(out io.Writer) {
		for document := range bytes.SplitSeq(text.Bytes(), []byte("---\n")) {
			if len(document) > 0 {
				data, err := yaml.YAMLToJSON(document)
				require.NoError(t, err)
				_, err = out.Write(data)
				require.NoError(t, err)
			}
		}
	}
}

// mostGrowth is by how much memory may grow with what is read.
const mostGrowth = 2.0

// By how much it may grow in simulations, of what is written in the fewest bytes: they hold one cluster with all
// objects and pods. Of manifests they make the pods, of which the files have none.
const mostInCluster, mostOfManifests = 6.0, 20.0

// growth is by how much memory grows with what is read.
func growth(t *testing.T, name string, most float64, small, large []string) float64 {
	var sizes [2]int64
	for i, args := range [][]string{small, large} {
		for _, arg := range args {
			if info, err := os.Stat(arg); err == nil {
				sizes[i] += info.Size()
			}
		}
	}
	more := float64(sizes[1] - sizes[0])
	from := peak(t, 0, small...)
	to := peak(t, from+int64(most*more), large...)
	ratio := float64(to-from) / more
	t.Logf("%s: %d MB for %d KB, %d MB for %d KB: %.2f", name, from>>20, sizes[0]>>10, to>>20, sizes[1]>>10, ratio)
	return ratio
}

// TestMemory: what a file is longer than another takes at most twice as much memory, from the first
// byte that is read to the last that is written, whatever is asked of it, even if it is written in the
// fewest bytes. YAML and JSON with spaces, of which there are more, lead to the same objects.
func TestMemory(t *testing.T) {
	if os.Getenv("KPLAN_FULL") == "" {
		t.Skip("large files take a minute: set KPLAN_FULL to try them")
	}
	var files [2]string
	for i, deployments := range []int{40, 300} {
		files[i] = written(t, "cluster.json", compact(t, func(out io.Writer) { writeCluster(out, deployments) }))
	}
	for _, command := range []string{"plan", "explain", "history", "undo", "simulate", "order"} {
		most := mostGrowth
		if command == "simulate" {
			most = mostInCluster
		}
		ratio := growth(t, command, most, []string{command, "-f", files[0]}, []string{command, "-f", files[1]})
		require.LessOrEqual(t, ratio, most, command)
	}
}

// TestMemoryOfManifests: manifests from which others start are bounded, too.
func TestMemoryOfManifests(t *testing.T) {
	if os.Getenv("KPLAN_FULL") == "" {
		t.Skip("large files take a minute: set KPLAN_FULL to try them")
	}
	var files [2][2]string
	for i, deployments := range []int{100, 1_000} {
		for version := range 2 {
			files[i][version] = written(t, "manifests.json", compact(t, func(out io.Writer) { writeManifests(out, deployments, version) }))
		}
	}
	for _, command := range []string{"simulate", "diff"} {
		ratio := growth(t, command, mostOfManifests, []string{command, "--from", files[0][0], "-f", files[0][1]}, []string{command, "--from", files[1][0], "-f", files[1][1]})
		require.LessOrEqual(t, ratio, mostOfManifests, command)
	}
}
