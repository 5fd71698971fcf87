// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// slow makes a rollout take long enough for something to happen in it.
var slow = cluster.Behaviour{Ready: 200 * time.Millisecond, Terminate: 100 * time.Millisecond}

// The API server is killed in the middle of a rollout, and restarted.
func TestServerRestart(t *testing.T) {
	both(t, script{own: true, pool: 5, loose: true, anyNode: true, rules: append([]rule{one(0), served(2)}, rolling...), run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.apply(e.agent("1", "{maxUnavailable: 2}"))
		e.rolled("deployment/web")
		e.rolled("daemonset/agent")
		e.behave(slow)
		e.apply(e.agent("2", "{maxUnavailable: 2}"))
		e.apply(web(10, "2", threeAndTwo))
		e.replicas("2", 5)
		e.world.StopServer()
		time.Sleep(time.Second)
		require.NoError(e, e.world.StartServer(e.ctx))
		e.rolled("deployment/web")
		e.rolled("daemonset/agent")
	}})
}

func TestSlowEtcd(t *testing.T) {
	both(t, script{own: true, rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.world.SlowEtcd(50 * time.Millisecond)
		e.apply(web(10, "2", threeAndTwo))
		e.rolled("deployment/web")
		e.world.SlowEtcd(0)
	}})
}

// The connections of the controllers break again and again, of watches and of other calls.
func TestWatchDropped(t *testing.T) {
	both(t, script{loose: true, rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(slow)
		e.apply(web(10, "2", threeAndTwo))
		for range 8 {
			time.Sleep(150 * time.Millisecond)
			e.network.Cut()
		}
		e.network.SetDown(true)
		time.Sleep(time.Second)
		e.network.SetDown(false)
		e.rolled("deployment/web")
	}})
}

func TestDaemonWatchDropped(t *testing.T) {
	both(t, script{pool: 5, loose: true, anyNode: true, rules: []rule{one(0), served(2)}, run: func(e *env) {
		e.apply(e.agent("1", "{maxUnavailable: 2}"))
		e.rolled("daemonset/agent")
		e.behave(slow)
		e.apply(e.agent("2", "{maxUnavailable: 2}"))
		for range 5 {
			time.Sleep(100 * time.Millisecond)
			e.network.Cut()
		}
		e.network.SetDown(true)
		e.kubectl("taint", "node", e.pool+"-0", "maintenance=:NoExecute")
		time.Sleep(time.Second)
		e.network.SetDown(false)
		e.daemons("2", 4)
		e.mark()
		e.kubectl("taint", "node", e.pool+"-0", "maintenance-")
		e.daemons("2", 5)
	}})
}

// The new ReplicaSet, and pods of the old one, are deleted in the middle of a rollout.
func TestDeletedUnderTheController(t *testing.T) {
	both(t, script{rules: rolling, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.behave(cluster.Behaviour{Ready: -1})
		e.apply(web(10, "2", threeAndTwo))
		e.mark()
		old, victims := e.replicas("1", 8), 0
		for _, p := range podsOf(e.state, func(p *corev1.Pod) bool { return owner(p) == old }) {
			if victims++; victims <= 3 {
				e.harm(p.Name)
			}
		}
		e.mark()
		before := e.state.ReplicaSets[e.replicas("2", 5)]
		e.kubectl("delete", "replicaset", before.Name)
		e.wait("a new ReplicaSet", func(s *cluster.State) bool {
			rs := s.ReplicaSets[before.Name]
			return rs != nil && rs.UID != before.UID && rs.Status.Replicas == *rs.Spec.Replicas && *rs.Spec.Replicas > 0
		})
		e.mark()
		e.behave(cluster.Behaviour{})
		e.rolled("deployment/web")
	}})
}

// gate is a webhook that rejects creations in a namespace until it is opened.
func (e *env) gate(group, resource string) (open func()) {
	var closed atomic.Bool
	closed.Store(true)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: !closed.Load(), Result: &metav1.Status{Message: "not now"}}
		_ = json.NewEncoder(w).Encode(review)
	}))
	e.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	hooks := e.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(e.ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: e.namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "gate.e2e.test", AdmissionReviewVersions: []string{"v1"},
			SideEffects:       new(admissionregistrationv1.SideEffectClassNone),
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: new(server.URL), CABundle: ca},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: e.namespace}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{resource}},
			}},
		}},
	}, metav1.CreateOptions{})
	require.NoError(e, err)
	e.Cleanup(func() { _ = hooks.Delete(context.WithoutCancel(e.ctx), e.namespace, metav1.DeleteOptions{}) })
	return func() { closed.Store(false) }
}

// A webhook rejects the pods of the new template for a while.
func TestWebhookRejects(t *testing.T) {
	both(t, script{rules: rolling, same: texts, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.mark()
		open := e.gate("", "pods")
		time.Sleep(500 * time.Millisecond) // the API server learns of it by and by
		e.apply(web(10, "2", threeAndTwo))
		e.wait("the failure", func(s *cluster.State) bool {
			d := s.Deployments["web"]
			return condition(d, "ReplicaFailure") == corev1.ConditionTrue && d.Status.ReadyReplicas == 8
		})
		open()
		e.rolled("deployment/web")
	}})
}

// A webhook rejects the new ReplicaSet for a while.
func TestWebhookRejectsReplicaSet(t *testing.T) {
	both(t, script{rules: rolling, same: texts, run: func(e *env) {
		e.apply(web(4, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.mark()
		open := e.gate("apps", "replicasets")
		time.Sleep(500 * time.Millisecond) // the API server learns of it by and by
		e.apply(web(4, "2", threeAndTwo))
		e.wait("the failure", func(s *cluster.State) bool {
			return condition(s.Deployments["web"], appsv1.DeploymentProgressing) == corev1.ConditionFalse
		})
		open()
		e.rolled("deployment/web")
	}})
}

// A leader stands still for longer than its lease lasts. Another takes over; the first
// one, awake again, gives up.
func TestExpiredLease(t *testing.T) {
	both(t, script{apart: true, sides: []side{ours}, rules: rolling, run: func(e *env) {
		j := job{Lease: "lease-" + e.namespace, LeaseDuration: 3 * time.Second}
		first := e.apart(j)
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.apart(j)
		e.behave(cluster.Behaviour{Ready: -1})
		e.apply(web(10, "2", threeAndTwo))
		e.replicas("2", 5)
		e.settle() // the first is in the middle of the rollout, and of no call
		require.NoError(e, first.Signal(syscall.SIGSTOP))
		e.behave(slow)
		e.rolled("deployment/web")
		require.NoError(e, first.Signal(syscall.SIGCONT))
		select {
		case <-first.ended:
		case <-time.After(waitLimit):
			e.Error("the first leader does not give up")
		}
		e.apply(web(10, "3", threeAndTwo))
		e.rolled("deployment/web")
	}})
}
