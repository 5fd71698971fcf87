// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// rolling are the rules of every rolling update.
var rolling = []rule{surge, size, decision, availability}

const image = "registry.k8s.io/echoserver:"

// web is the manifest of a Deployment. The strategy is in the flow style of YAML.
func web(replicas int, tag, strategy string, more ...string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {kplan-go.github.io/class: kplan}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  strategy: %s
%s
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "%s%s"}]
`, replicas, strategy, strings.Join(more, "\n"), image, tag)
}

const (
	threeAndTwo = "{rollingUpdate: {maxSurge: 3, maxUnavailable: 2}}"
	oneByOne    = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
)

// replicas waits until the ReplicaSet of an image wants, and has, at least so many pods.
func (e *env) replicas(tag string, atLeast int32) string {
	e.Helper()
	var name string
	e.wait(fmt.Sprintf("%d pods of %s", atLeast, tag), func(s *cluster.State) bool {
		for _, rs := range s.ReplicaSets {
			if rs.Spec.Template.Spec.Containers[0].Image == image+tag && rs.Status.Replicas >= atLeast {
				name = rs.Name
				return true
			}
		}
		return false
	})
	return name
}

func TestRollout(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.mark()
		e.apply(web(10, "2", threeAndTwo))
		e.rolled("deployment/web")
		require.Contains(e, e.kubectl("rollout", "history", "deployment/web"), "2 ")
	}})
}

// With one pod at a time there is one way only.
func TestOneByOne(t *testing.T) {
	both(t, script{rules: rolling, same: func(e *env) any { return []any{sizes(e), events(e)} }, run: func(e *env) {
		e.apply(web(4, "1", oneByOne))
		e.rolled("deployment/web")
		e.mark()
		e.behave(cluster.Behaviour{Ready: 150 * time.Millisecond})
		e.apply(web(4, "2", oneByOne))
		e.rolled("deployment/web")
	}})
}

// A rollout of pods that never start gives way to the next one.
func TestRolloverOfFailure(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(slow)
		e.apply(web(10, "missing", threeAndTwo))
		e.replicas("missing", 5)
		e.apply(web(10, "3", threeAndTwo))
		e.rolled("deployment/web")
	}})
}

// A rollout in full swing gives way to the next one.
func TestRollover(t *testing.T) {
	both(t, script{rules: rolling, run: rollover})
}

// Without the defects of upstream the minimum is there at every moment.
func TestRolloverCorrected(t *testing.T) {
	both(t, script{sides: []side{corrected, upstream}, rules: rolling, run: func(e *env) {
		if e.side.name == corrected.name {
			e.rules = append(e.rules[:len(e.rules):len(e.rules)], minimum)
		}
		rollover(e)
	}})
}

func rollover(e *env) {
	e.apply(web(10, "1", threeAndTwo))
	e.rolled("deployment/web")
	e.behave(slow)
	e.apply(web(10, "2", threeAndTwo))
	e.replicas("2", 5)
	e.apply(web(10, "3", threeAndTwo))
	e.rolled("deployment/web")
}

func TestScaleDuringRollout(t *testing.T) {
	both(t, script{rules: rolling, same: texts, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Ready: -1}) // the rollout waits
		e.apply(web(10, "2", threeAndTwo))
		e.mark()
		e.kubectl("scale", "deployment/web", "--replicas=20")
		e.mark() // the new pods are shared out in proportion
		e.kubectl("scale", "deployment/web", "--replicas=7")
		e.mark()
		e.behave(cluster.Behaviour{})
		e.rolled("deployment/web")
	}})
}

func TestPauseResume(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.kubectl("rollout", "pause", "deployment/web")
		e.kubectl("set", "image", "deployment/web", "web="+image+"2")
		e.mark() // nothing has started
		e.behave(cluster.Behaviour{Ready: -1})
		e.kubectl("rollout", "resume", "deployment/web")
		e.mark()
		e.kubectl("rollout", "pause", "deployment/web")
		e.kubectl("scale", "deployment/web", "--replicas=15")
		e.mark()
		e.kubectl("rollout", "resume", "deployment/web")
		e.behave(cluster.Behaviour{})
		e.rolled("deployment/web")
	}})
}

func TestUndo(t *testing.T) {
	both(t, script{rules: rolling, same: texts, run: func(e *env) {
		for _, tag := range []string{"1", "2", "3"} {
			e.apply(web(5, tag, threeAndTwo, "  revisionHistoryLimit: 1"))
			e.rolled("deployment/web")
			e.mark()
		}
		history := e.kubectl("rollout", "history", "deployment/web")
		require.NotContains(e, history, "\n1 ", "beyond the limit")
		e.kubectl("rollout", "undo", "deployment/web")
		e.rolled("deployment/web")
		e.mark()
		e.replicas("2", 5)
		e.kubectl("rollout", "undo", "deployment/web", "--to-revision=3")
		e.rolled("deployment/web")
		e.replicas("3", 5)
		e.mark()
		e.kubectl("annotate", "deployment/web", "deprecated.deployment.rollback.to=0") // by the controller
		e.wait("the template before", func(s *cluster.State) bool {
			return s.Deployments["web"].Spec.Template.Spec.Containers[0].Image == image+"2"
		})
		e.rolled("deployment/web")
	}})
}

func TestRecreate(t *testing.T) {
	both(t, script{rules: []rule{surge, size, recreate}, same: func(e *env) any { return []any{sizes(e), events(e)} }, run: func(e *env) {
		e.apply(web(5, "1", "{type: Recreate}"))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Ready: 50 * time.Millisecond, Terminate: 300 * time.Millisecond})
		e.apply(web(5, "2", "{type: Recreate}"))
		e.rolled("deployment/web")
	}})
}

func TestFailedImage(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.apply(web(10, "missing", threeAndTwo, "  progressDeadlineSeconds: 5"))
		_, err := e.world.kubectl("-n", e.namespace, "rollout", "status", "deployment/web", "--timeout", waitLimit.String())
		require.Error(e, err, "the deadline has passed")
		e.mark()
		d := e.state.Deployments["web"]
		require.Equal(e, int32(8), d.Status.AvailableReplicas)
		require.Equal(e, int32(5), d.Status.UpdatedReplicas)
		e.kubectl("patch", "deployment/web", "-p", `{"spec":{"progressDeadlineSeconds":600}}`)
		e.kubectl("rollout", "undo", "deployment/web")
		e.rolled("deployment/web")
	}})
}

// quota sets the limit of pods. The admission control of the API server reads the status,
// which a controller that does not run here would write.
func (e *env) quota(pods string) {
	hard := corev1.ResourceList{corev1.ResourcePods: resource.MustParse(pods)}
	quotas := e.client.CoreV1().ResourceQuotas(e.namespace)
	q, err := quotas.Get(e.ctx, "limit", metav1.GetOptions{})
	if err != nil {
		q, err = quotas.Create(e.ctx, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "limit"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}, metav1.CreateOptions{})
		require.NoError(e, err)
		q.Status.Used = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}
	}
	q.Status.Hard = hard
	_, err = quotas.UpdateStatus(e.ctx, q, metav1.UpdateOptions{})
	require.NoError(e, err)
}

func TestQuota(t *testing.T) {
	both(t, script{rules: rolling, same: texts, run: func(e *env) {
		e.quota("6")
		e.apply(web(10, "1", threeAndTwo))
		e.wait("the failure", func(s *cluster.State) bool {
			d := s.Deployments["web"]
			return d != nil && d.Status.Replicas == 6 && condition(d, appsv1.DeploymentReplicaFailure) == corev1.ConditionTrue
		})
		e.quota("20")
		e.rolled("deployment/web")
	}})
}

func condition(d *appsv1.Deployment, t appsv1.DeploymentConditionType) corev1.ConditionStatus {
	for _, c := range d.Status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return ""
}
