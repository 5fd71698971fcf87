// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// ends lets a pod end.
func (e *env) ends(pod *corev1.Pod, phase string) {
	e.harmed[pod.Name] = true
	e.kubectl("patch", "pod", pod.Name, "--subresource=status", "-p", `{"status":{"phase":"`+phase+`"}}`)
}

// Pods that end are replaced. Pods of a DaemonSet are deleted first, with an increasing
// delay if it happens again.
func TestPodsThatEnd(t *testing.T) {
	both(t, script{pool: 3, rules: append([]rule{one(0)}, rolling...), same: events, run: func(e *env) {
		e.apply(web(3, "1", threeAndTwo))
		e.apply(e.agent("1", "{maxUnavailable: 1}"))
		e.rolled("deployment/web")
		e.rolled("daemonset/agent")
		e.mark()
		other := podsOf(e.state, func(p *corev1.Pod) bool { return pinned(p) == "" })
		e.ends(other[0], "Failed")
		e.ends(other[1], "Succeeded")
		for _, phase := range []string{"Failed", "Succeeded", "Failed"} {
			daemon := podsOf(e.state, func(p *corev1.Pod) bool { return pinned(p) == e.pool+"-0" })
			e.ends(daemon[0], phase)
			e.wait("a replacement", func(s *cluster.State) bool {
				return s.Pods[daemon[0].Name] == nil && len(podsOf(s, available)) == 6
			})
		}
		e.daemons("1", 3)
	}})
}

// Pods that never terminate block no rollout, except that Recreate waits for them.
func TestPodsThatDoNotGo(t *testing.T) {
	both(t, script{rules: []rule{surge, size, decision, availability}, same: events, run: func(e *env) {
		e.apply(web(3, "1", oneByOne))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Terminate: -1})
		e.apply(web(3, "2", oneByOne))
		e.rolled("deployment/web")
		e.mark()
		require.Len(e, e.state.Pods, 6)
		// Whether that is progress depends on whether a status shows the first deletions before the
		// last ones happen: timing decides the reason of the condition.
		e.apply(web(3, "3", "{type: Recreate, rollingUpdate: null}"))
		e.settle()
		require.Empty(e, podsOf(e.state, active))
		require.Len(e, e.state.Pods, 6)
		require.Len(e, e.state.ReplicaSets, 2, "the new one waits for the pods to go")
		e.behave(cluster.Behaviour{})
		e.rolled("deployment/web")
	}})
}

// Pods that have just become ready are not available yet, and no event tells when they are.
// Since when they are ready is told in whole seconds: up to one of them is not waited for.
func TestMinReadySeconds(t *testing.T) {
	both(t, script{pool: 3, rules: append([]rule{one(0), served(1)}, rolling...), same: events, run: func(e *env) {
		for _, tag := range []string{"1", "2"} {
			start := time.Now()
			e.apply(web(2, tag, oneByOne, "  minReadySeconds: 2"))
			e.apply(e.agent(tag, "{maxUnavailable: 1}", "  minReadySeconds: 2"))
			e.rolled("deployment/web")
			e.rolled("daemonset/agent")
			require.Greater(e, time.Since(start), time.Second)
			e.mark()
		}
	}})
}
