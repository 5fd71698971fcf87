// SPDX-License-Identifier: Apache-2.0

//go:build unix

package manifest

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// podJSON is a pod as kubectl prints it, as short as pods of a cluster are.
const podJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-abc-%[1]d","namespace":"shop","uid":"uid-%[1]d","creationTimestamp":"2026-01-02T15:00:00Z",` +
	`"labels":{"app":"web","pod-template-hash":"abc"},"annotations":{"example.com/a":"b"},` +
	`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-abc","uid":"rs1","controller":true}]},` +
	`"spec":{"nodeName":"node-%[2]d","containers":[{"name":"web","image":"registry.example.com/web:1.2.3","env":[{"name":"A","value":"b"}],` +
	`"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"volumeMounts":[{"name":"kube-api-access","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","readOnly":true}]}],` +
	`"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}}],` +
	`"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},` +
	`"status":{"phase":"Running","podIP":"10.0.0.1","startTime":"2026-01-02T15:00:01Z","conditions":[` +
	`{"type":"Initialized","status":"True","lastTransitionTime":"2026-01-02T15:00:02Z"},{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T15:00:10Z"},` +
	`{"type":"ContainersReady","status":"True","lastTransitionTime":"2026-01-02T15:00:10Z"},{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-02T15:00:00Z"}],` +
	`"containerStatuses":[{"name":"web","ready":true,"restartCount":0,"image":"registry.example.com/web:1.2.3","containerID":"containerd://%064[1]d",` +
	`"imageID":"registry.example.com/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","state":{"running":{"startedAt":"2026-01-02T15:00:05Z"}}}]}}`

// listOf gives a List of pods of one Deployment, one after the other, and notes now and then
// how much memory is in use.
type listOf struct {
	pods, next int
	text       string
	length     uint64
	most       uint64
}

func (l *listOf) Read(b []byte) (int, error) {
	if l.text == "" {
		switch i := l.next; {
		case i == 0:
			owner := `"metadata":{"name":"web","namespace":"shop","uid":"d1"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web"}]}}}`
			set := strings.NewReplacer(`"name":"web","namespace"`, `"name":"web-abc","labels":{"app":"web"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"d1","controller":true}],"namespace"`, `"d1"}`, `"rs1"}`).Replace(owner)
			l.text = `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment",` + owner + `},{"apiVersion":"apps/v1","kind":"ReplicaSet",` + set + `}`
		case i <= l.pods:
			l.text = "," + fmt.Sprintf(podJSON, i, i%500)
		case i == l.pods+1:
			l.text = "]}"
		default:
			return 0, io.EOF
		}
		if l.next++; l.next%500 == 0 {
			l.most = max(l.most, heap())
		}
	}
	n := copy(b, l.text)
	l.text = l.text[n:]
	l.length += uint64(n)
	return n, nil
}

// TestMemoryOfPods: a List of pods of one template takes at no time more memory than twice its length,
// and what is left of it less: pods share what their template gave them.
func TestMemoryOfPods(t *testing.T) {
	list, before := &listOf{pods: 6_000}, heap()
	set, err := Load(Source{Filenames: []string{"-"}, Stdin: list})
	require.NoError(t, err)
	after := heap()
	t.Logf("%d KB: at most %d KB more while it is read, %d KB behind it", list.length>>10, (list.most-before)>>10, (after-before)>>10)
	require.Less(t, list.most-before, 2*list.length)
	require.Less(t, after-before, 3*list.length/2)
	pods := set.Workloads[0].Pods
	require.Len(t, pods, 6_000)
	require.Equal(t, "web-abc-6000", pods[5999].Name)
	require.Same(t, &pods[0].Spec.Containers[0], &pods[5999].Spec.Containers[0])
	runtime.KeepAlive(set)
}

// TestAlike: pods share what is equal and nothing else, and keep what commands look at.
func TestAlike(t *testing.T) {
	other := strings.NewReplacer(`"b"`, `"c"`, `"restartCount":0`, `"restartCount":7`, `"node-1"`, `"node-2"`, `"True","lastTransitionTime":"2026-01-02T15:00:00Z"`, `"False","lastTransitionTime":"2026-01-02T15:00:00Z"`).Replace(podJSON)
	stdin := strings.NewReader(small + "---\n" + fmt.Sprintf(podJSON, 1, 1) + "\n---\n" + fmt.Sprintf(other, 2, 1) + "\n---\n" + fmt.Sprintf(podJSON, 3, 1) + "\n")
	l, err := Source{Filenames: []string{"-"}, Stdin: stdin}.read()
	require.NoError(t, err)
	a, b, c := l.pods[0].object, l.pods[1].object, l.pods[2].object
	require.Equal(t, map[string]string{"example.com/a": "b"}, a.Annotations)
	require.Equal(t, map[string]string{"example.com/a": "c"}, b.Annotations)
	require.Equal(t, a.Annotations, c.Annotations)
	require.EqualValues(t, []int32{0, 7, 0}, []int32{a.Status.ContainerStatuses[0].RestartCount, b.Status.ContainerStatuses[0].RestartCount, c.Status.ContainerStatuses[0].RestartCount})
	require.Equal(t, []string{"node-1", "node-1"}, []string{a.Spec.NodeName, c.Spec.NodeName})
	require.Same(t, &a.OwnerReferences[0], &c.OwnerReferences[0])
	require.Len(t, a.Status.Conditions, 2)
	require.Len(t, b.Status.Conditions, 3, "it is not scheduled")
	require.NotEmpty(t, a.Status.ContainerStatuses[0].ImageID)
}

// heap returns how much memory is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
