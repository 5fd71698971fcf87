package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/e2e/cluster"
)

const stray = `apiVersion: v1
kind: Pod
metadata:
  name: stray
  labels: {app: web, pod-template-hash: NONE}
spec:
  containers: [{name: web, image: "registry.k8s.io/echoserver:1"}]
`

const plainSet = `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: plain
  annotations: {kplan-go.github.io/class: kplan}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.k8s.io/echoserver:1"}]
`

// A pod that was there before is adopted; one that is relabelled is released and replaced.
func TestAdoptionAndReleaseOfPods(t *testing.T) {
	both(t, script{rules: []rule{size}, run: func(e *env) {
		e.apply(stray)
		e.apply(plainSet)
		e.wait("three pods", func(s *cluster.State) bool {
			rs := s.ReplicaSets["plain"]
			return rs != nil && rs.Status.AvailableReplicas == 3
		})
		e.mark()
		require.Equal(e, "plain", owner(e.state.Pods["stray"]))
		e.kubectl("label", "pod", "stray", "app=other", "--overwrite")
		e.wait("a release", func(s *cluster.State) bool {
			return owner(s.Pods["stray"]) == "" && s.ReplicaSets["plain"].Status.AvailableReplicas == 3 && len(s.Pods) == 4
		})
		e.mark()
		e.kubectl("scale", "replicaset/plain", "--replicas=1")
		e.wait("one pod", func(s *cluster.State) bool { return len(s.Pods) == 2 })
	}})
}

// A Deployment that is deleted without its children leaves them running, and one that is
// created in its place adopts them.
func TestOwnerDeletedAndAdoption(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(4, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.kubectl("delete", "deployment/web", "--cascade=orphan")
		e.mark()
		require.Len(e, e.state.Pods, 4)
		for _, rs := range e.state.ReplicaSets {
			require.Empty(e, owner(rs))
		}
		e.apply(web(4, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.mark()
		require.Len(e, e.state.Pods, 4)
		e.kubectl("delete", "deployment/web", "--cascade=foreground")
		e.wait("nothing", func(s *cluster.State) bool { return len(s.Pods)+len(s.ReplicaSets)+len(s.Deployments) == 0 })
	}})
}

// The controllers are killed in the middle of a rollout, and others take over.
func TestKilled(t *testing.T) {
	both(t, script{apart: true, rules: rolling, run: func(e *env) {
		controllers := e.apart(job{})
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Ready: 200 * time.Millisecond, Terminate: 100 * time.Millisecond})
		e.apply(web(10, "2", threeAndTwo))
		for _, n := range []int32{3, 5, 8} {
			e.replicas("2", n)
			controllers.kill()
			controllers = e.apart(job{})
		}
		e.rolled("deployment/web")
	}})
}

// Two controllers at once, neither of which knows of the other, may start too many pods
// and must come to the same end. The sizes never exceed their bound.
func TestTwoAtOnce(t *testing.T) {
	both(t, script{apart: true, rules: []rule{surge}, run: func(e *env) {
		e.apart(job{})
		e.apart(job{})
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Ready: 100 * time.Millisecond, Terminate: 100 * time.Millisecond})
		e.apply(web(10, "2", threeAndTwo))
		e.rolled("deployment/web")
		e.apply(web(6, "3", threeAndTwo))
		e.rolled("deployment/web")
		e.wait("the surplus to go", func(s *cluster.State) bool { return len(podsOf(s, func(*corev1.Pod) bool { return true })) == 6 })
	}})
}
