// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// agent is the manifest of a DaemonSet on the nodes of a pool.
func (e *env) agent(tag, limits string, more ...string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  annotations: {kplan-go.github.io/class: kplan}
spec:
  selector: {matchLabels: {app: agent}}
  updateStrategy: {rollingUpdate: %s}
%s
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {%s: %s}
      containers: [{name: agent, image: "%s%s"}]
`, limits, strings.Join(more, "\n"), cluster.PoolLabel, e.pool, image, tag)
}

// daemons waits until so many nodes have an active, ready pod of an image, and no others
// are left.
func (e *env) daemons(tag string, n int) {
	e.Helper()
	e.wait(fmt.Sprintf("%d ready daemons of %s", n, tag), func(s *cluster.State) bool {
		all := podsOf(s, func(p *corev1.Pod) bool { return pinned(p) != "" })
		fit := podsOf(s, func(p *corev1.Pod) bool {
			return pinned(p) != "" && available(p) && p.Spec.Containers[0].Image == image+tag
		})
		return len(fit) == n && len(all) == n
	})
}

func TestDaemonRollout(t *testing.T) {
	both(t, script{pool: 5, loose: true, rules: []rule{one(0), served(2)}, same: texts, run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 2}", "  revisionHistoryLimit: 1"))
		e.rolled("daemonset/agent")
		e.mark()
		e.behave(cluster.Behaviour{Ready: 50 * time.Millisecond, Terminate: 50 * time.Millisecond})
		for _, tag := range []string{"2", "3"} {
			e.apply(e.agent(tag, "{maxUnavailable: 2}", "  revisionHistoryLimit: 1"))
			e.rolled("daemonset/agent")
			e.mark()
		}
		require.NotContains(e, e.kubectl("rollout", "history", "daemonset/agent"), "\n1 ", "beyond the limit")
		e.kubectl("rollout", "undo", "daemonset/agent")
		e.rolled("daemonset/agent")
		e.daemons("2", 5)
	}})
}

// A DaemonSet that is deleted and created again adopts pods and revisions, and goes back to an old
// one.
func TestDaemonOrphansAdopted(t *testing.T) {
	both(t, script{pool: 3, rules: []rule{one(0), served(1)}, same: events, run: func(e *env) {
		for _, tag := range []string{"1", "2"} {
			e.apply(e.agent(tag, "{maxUnavailable: 1}"))
			e.rolled("daemonset/agent")
			e.mark()
		}
		e.kubectl("delete", "daemonset/agent", "--cascade=orphan")
		e.mark()
		require.Len(e, e.state.Pods, 3)
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.rolled("daemonset/agent")
		e.daemons("1", 3)
	}})
}

func TestDaemonSurge(t *testing.T) {
	both(t, script{pool: 5, rules: []rule{one(2), served(0)}, same: texts, run: func(e *env) {
		e.apply(e.agent("1", "{maxSurge: 2, maxUnavailable: 0}"))
		e.rolled("daemonset/agent")
		e.behave(cluster.Behaviour{Ready: 100 * time.Millisecond, Terminate: 50 * time.Millisecond})
		e.apply(e.agent("2", "{maxSurge: 2, maxUnavailable: 0}"))
		e.rolled("daemonset/agent")
		e.daemons("2", 5)
	}})
}

func TestNodeAddedAndRemoved(t *testing.T) {
	both(t, script{pool: 3, rules: []rule{one(0), served(1)}, run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.rolled("daemonset/agent")
		e.mark()
		e.addNode(e.pool + "-new")
		e.daemons("1", 4)
		e.mark()
		e.kubectl("delete", "node", e.pool+"-new")
		for _, p := range podsOf(e.state, func(p *corev1.Pod) bool { return pinned(p) == e.pool+"-new" }) {
			e.harm(p.Name) // as the collector of pods would, which does not run here
		}
		e.daemons("1", 3)
	}})
}

func TestNodeTainted(t *testing.T) {
	both(t, script{pool: 3, rules: []rule{one(0), served(1)}, run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.rolled("daemonset/agent")
		e.kubectl("taint", "node", e.pool+"-0", "maintenance=:NoExecute")
		e.daemons("1", 2)
		e.mark()
		e.kubectl("taint", "node", e.pool+"-1", "full=:NoSchedule") // its pod stays
		e.apply(e.agent("2", "{maxUnavailable: 1}"))
		e.wait("the update", func(s *cluster.State) bool {
			d := s.DaemonSets["agent"]
			return d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedNumberScheduled == d.Status.DesiredNumberScheduled
		})
		e.mark()
		e.kubectl("taint", "node", e.pool+"-0", "maintenance-")
		e.kubectl("taint", "node", e.pool+"-1", "full-")
		e.daemons("2", 3)
	}})
}

func TestNodeDrained(t *testing.T) {
	both(t, script{pool: 3, rules: append([]rule{one(0), served(1)}, rolling...), run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.apply(web(6, "1", threeAndTwo))
		e.rolled("daemonset/agent")
		e.rolled("deployment/web")
		e.update()
		moved := podsOf(e.state, func(p *corev1.Pod) bool { return pinned(p) == "" && p.Spec.NodeName == e.pool+"-0" })
		require.NotEmpty(e, moved)
		for _, p := range moved {
			e.harmed[p.Name] = true
		}
		e.kubectl("drain", e.pool+"-0", "--ignore-daemonsets", "--timeout", waitLimit.String())
		e.rolled("deployment/web")
		e.mark()
		require.Empty(e, podsOf(e.state, func(p *corev1.Pod) bool { return pinned(p) == "" && p.Spec.NodeName == e.pool+"-0" }))
		e.kubectl("uncordon", e.pool+"-0")
		e.daemons("1", 3)
	}})
}

func TestDaemonFailedImage(t *testing.T) {
	both(t, script{pool: 4, anyNode: true, rules: []rule{one(0), served(1)}, run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.rolled("daemonset/agent")
		e.apply(e.agent("missing", "{maxUnavailable: 1}"))
		e.wait("the first failure", func(s *cluster.State) bool {
			return len(podsOf(s, func(p *corev1.Pod) bool { return !ready(p) && len(p.Status.ContainerStatuses) > 0 })) > 0
		})
		e.settle()
		require.Equal(e, int32(3), e.state.DaemonSets["agent"].Status.NumberAvailable)
		e.kubectl("rollout", "undo", "daemonset/agent")
		e.rolled("daemonset/agent")
		e.daemons("1", 4)
	}})
}
