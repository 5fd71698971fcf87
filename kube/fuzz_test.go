// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	hashdump "k8s.io/utils/dump"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
)

var fuzzed = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// object fuzzes conversions of an object from any JSON that can be read as one: nothing
// panics, the object stays as it is, what comes out is the same each time and can be
// written, and an error names the field.
func object[T any](t *testing.T, text []byte, convert func(o *T) (any, error)) {
	t.Helper()
	o, same := new(T), new(T)
	if json.Unmarshal(text, o) != nil || json.Unmarshal(text, same) != nil {
		return
	}
	got, err := convert(o)
	require.Equal(t, same, o, "the object is changed")
	again, err2 := convert(same)
	require.Equal(t, err == nil, err2 == nil)
	if err != nil {
		var e *kplan.FieldError
		require.True(t, errors.As(err, &e) && e.Path != "", "%v", err)
		return
	}
	a, err := json.Marshal(got)
	if no := new(json.MarshalerError); errors.As(err, &no) && no.Type == reflect.TypeFor[time.Time]() {
		return // before the year 0 in UTC, or behind 9999: JSON reads such times in other zones, and writes none
	}
	require.NoError(t, err)
	b, err := json.Marshal(again)
	require.NoError(t, err)
	require.JSONEq(t, string(a), string(b))
}

// planned returns what a planner makes of what was converted.
func planned[S, O, P any](s S, err error, plan func(S, time.Time, O) (P, error)) (any, error) {
	if err != nil {
		return nil, err
	}
	var o O
	if p, err := plan(s, fuzzed, o); err == nil {
		return p, nil
	}
	return s, nil
}

const podTemplate = `{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"app","image":"app:1"}],"nodeSelector":{"zone":"a"},"tolerations":[{"operator":"Exists"}]}}`

func FuzzDeployment(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"web","uid":"u"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},"template":` + podTemplate + `}}`))
	f.Add([]byte(`{"spec":{"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":"x"}},"paused":true},"status":{"conditions":[{"type":"Progressing","status":"False"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		object(t, text, func(d *appsv1.Deployment) (any, error) {
			_ = kube.Validate(d)
			s, err := kube.Snapshot(d, nil, nil)
			return planned(s, err, deploy.Reconcile)
		})
		object(t, text, func(d *appsv1.Deployment) (any, error) { return kubekruise.Deployment(d, nil) })
		object(t, text, func(rs *appsv1.ReplicaSet) (any, error) {
			return planned(kube.ReplicaSetSnapshot(rs, nil, []*appsv1.ReplicaSet{rs}), nil, replicaset.Reconcile)
		})
		object(t, text, func(rc *corev1.ReplicationController) (any, error) {
			back, err := kube.ToReplicationController(kube.FromReplicationController(rc))
			if err == nil {
				require.Equal(t, rc.Spec.Selector, back.Spec.Selector)
			}
			return planned(kube.ReplicationControllerSnapshot(rc, nil), nil, replicaset.Reconcile)
		})
	})
}

func FuzzDaemonSet(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"agent","uid":"u"},"spec":{"selector":{"matchLabels":{"app":"web"}},"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1}},"template":` + podTemplate + `}}`))
	f.Add([]byte(`{"data":{"spec":{"template":` + podTemplate + `}},"revision":3,"metadata":{"labels":{"controller-revision-hash":"x"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		object(t, text, func(ds *appsv1.DaemonSet) (any, error) {
			s, err := kube.DaemonSetSnapshot(ds, []*corev1.Node{{}}, nil, nil)
			return planned(s, err, daemonset.Reconcile)
		})
		object(t, text, func(ds *appsv1.DaemonSet) (any, error) {
			return kubekruise.AdvancedDaemonSet(ds, kubekruise.Advanced{})
		})
		object(t, text, func(ds *appsv1.DaemonSet) (any, error) { return kubekruise.DaemonSet(ds, nil, nil, nil) })
		object(t, text, func(r *appsv1.ControllerRevision) (any, error) { return kube.ControllerRevision(r), nil })
	})
}

func FuzzPod(f *testing.F) {
	f.Add([]byte(podTemplate))
	f.Add([]byte(`{"metadata":{"creationTimestamp":"0000-01-01T00:00:00+01:00"}}`))
	f.Add([]byte(`{"metadata":{"creationTimestamp":"2026-01-01T00:00:00.5+01:00","labels":{},"managedFields":[{"fieldsV1":{"f:a":{}}}]},"spec":{"containers":[{"resources":{"limits":{"cpu":"0.0000000001","memory":"1234567890123456789012345678901234567890"}},"livenessProbe":{"httpGet":{"port":"http"}}}],"volumes":[]}}`))
	f.Add([]byte(`{"metadata":{"name":"p","uid":"u","ownerReferences":[{"kind":"ReplicaSet","name":"rs","uid":"x","controller":true}]},"spec":{"nodeName":"n"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}],"containerStatuses":[{"restartCount":3}]}}`))
	f.Add([]byte(`{"metadata":{"name":"n","labels":{"zone":"a"}},"spec":{"unschedulable":true,"taints":[{"key":"k","effect":"NoExecute"}]},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		object(t, text, func(p *corev1.Pod) (any, error) { return kube.Pod(p), nil })
		object(t, text, func(p *corev1.Pod) (any, error) { return kube.DaemonSetPod(p), nil })
		object(t, text, func(n *corev1.Node) (any, error) { return kube.Node(n), nil })
		object(t, text, func(p *corev1.PodTemplateSpec) (any, error) {
			of := kube.Template(p, nil)
			require.Equal(t, revision.Hash(hashdump.ForHash(*p), nil), of.Hash)
			return of, nil
		})
	})
}

// FuzzRollout: what a Rollout is read as can be validated, and planned or refused.
func FuzzRollout(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"web","uid":"u"},"spec":{"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"strategy":{"canary":{"steps":[{"replicas":"20%","traffic":"20%","pause":{"duration":60}}],"trafficRoutings":[{"service":"web"}]}}},"status":{"phase":"Progressing","canaryStatus":{"currentStepIndex":1}}}`))
	f.Add([]byte(`{"spec":{"objectRef":{"workloadRef":{"kind":"CloneSet"}},"strategy":{"paused":true,"blueGreen":{"steps":[{"replicas":1}]},"canary":{"steps":[{"weight":5}]}}},"status":{"blueGreenStatus":{}}}`))
	f.Add([]byte(`{"spec":{"releasePlan":{"batches":[{"canaryReplicas":"20%"}],"batchPartition":0}},"status":{"canaryStatus":{"batchState":"Ready"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		object(t, text, func(o *kubekruise.RolloutObject) (any, error) {
			r := kubekruise.Rollout(o)
			_ = kruise.Validate(r, nil, kruise.Options{})
			return planned(kruise.Snapshot{Rollout: r}, nil, kruise.Reconcile)
		})
		object(t, text, func(o *kubekruise.RolloutObjectV1alpha1) (any, error) { return kubekruise.RolloutV1alpha1(o), nil })
		object(t, text, func(o *kubekruise.BatchReleaseObject) (any, error) { return kubekruise.BatchRelease(o), nil })
		object(t, text, func(o *kubekruise.BatchReleaseObjectV1alpha1) (any, error) {
			return kubekruise.BatchReleaseV1alpha1(o), nil
		})
	})
}

// FuzzRolloutWorkload reads what a Rollout can name beside Deployments and DaemonSets, and
// what leads traffic to it.
func FuzzRolloutWorkload(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"web"},"spec":{"replicas":3,"updateStrategy":{"partition":"20%","type":"RollingUpdate","rollingUpdate":{"partition":2}},"template":` + podTemplate + `},"status":{"currentRevision":"a","updateRevision":"b"}}`))
	f.Add([]byte(`{"metadata":{"name":"web"},"spec":{"rules":[{"backendRefs":[{"kind":"Service","name":"web","port":80,"weight":1}],"matches":[{"headers":[{"name":"a","value":"b"}]}]}],"selector":{"app":"web"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		object(t, text, func(o *kubekruise.CloneSetObject) (any, error) { return kubekruise.CloneSet(o) })
		object(t, text, func(o *appsv1.StatefulSet) (any, error) { return kubekruise.StatefulSet(o, nil) })
		object(t, text, func(o *kubekruise.HTTPRouteObject) (any, error) { return kubekruise.HTTPRoute(o) })
		object(t, text, func(o *networkingv1.Ingress) (any, error) { return kubekruise.Ingress(o), nil })
		object(t, text, func(o *corev1.Service) (any, error) { return kubekruise.Service(o), nil })
	})
}
