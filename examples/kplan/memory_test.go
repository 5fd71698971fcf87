// SPDX-License-Identifier: Apache-2.0

//go:build linux && !race

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain runs the command itself if a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("KPLAN_AS_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// spec is a template's as kubectl prints it.
const spec = `
        containers:
        - env:
          - name: A
            value: some value
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

// writeCluster writes Deployments with five old ReplicaSets each, as kubectl prints them.
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
	fmt.Fprint(out, "apiVersion: v1\nitems:\n")
	for d := range deployments {
		fmt.Fprintf(out, object+spec+"\n  status:\n    observedGeneration: 1\n", "Deployment", fmt.Sprintf("app-%d", d), d, 6, "", 0, 6)
		for revision := range 6 {
			name := fmt.Sprintf("app-%d-%d", d, revision)
			fmt.Fprintf(out, object+spec+"\n  status:\n    observedGeneration: 1\n    replicas: 0\n", "ReplicaSet", name, d, revision+1, fmt.Sprintf(owned, d), 0, revision+1)
		}
	}
	fmt.Fprint(out, "kind: List\nmetadata:\n  resourceVersion: \"\"\n")
}

// most returns how much memory the command takes at most, in bytes, to explain a file.
func most(t *testing.T, file string) int64 {
	c := exec.Command(os.Args[0], "explain", "-f", file)
	c.Env = append(os.Environ(), "KPLAN_AS_COMMAND=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%.1000s", out)
	return c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// TestMemory: what a file is longer than another takes at most twice as much memory, from the first
// byte that is read to the last that is written.
func TestMemory(t *testing.T) {
	var sizes, memory [2]int64
	for i, deployments := range []int{100, 1_200} {
		f, err := os.Create(filepath.Join(t.TempDir(), "cluster.yaml"))
		require.NoError(t, err)
		out := bufio.NewWriter(f)
		writeCluster(out, deployments)
		require.NoError(t, out.Flush())
		info, err := f.Stat()
		require.NoError(t, err)
		require.NoError(t, f.Close())
		sizes[i], memory[i] = info.Size(), most(t, f.Name())
	}
	more, longer := memory[1]-memory[0], sizes[1]-sizes[0]
	t.Logf("%d MB: %d MB, %d MB of which for a file of %d KB", sizes[1]>>20, memory[1]>>20, memory[0]>>20, sizes[0]>>10)
	require.LessOrEqual(t, more, 2*longer)
}
