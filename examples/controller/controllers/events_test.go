package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// recorded returns the events so far.
func (b *base) recorded() (list []string) {
	for c := b.events.(*record.FakeRecorder).Events; len(c) > 0; {
		list = append(list, <-c)
	}
	return list
}

// What has been done is told, whatever fails after it.
func TestDeploymentEventsOfFailedPass(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
	}}
	created := func(b *base) string {
		list := b.recorded()
		require.Len(t, list, 1)
		return list[0]
	}
	b, w := newBase(0, d)
	w.refuse = "update deploymentsstatus"
	_, err := (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Contains(t, created(&b), "Normal ScalingReplicaSet Scaled up replica set web-")

	b, w = newBase(0, d)
	w.refuse = "create replicasets"
	_, err = (&deploymentReconciler{b}).Reconcile(t.Context(), theWeb)
	require.Error(t, err)
	require.Contains(t, created(&b), "Warning ReplicaSetCreateError Failed to create new replica set")
}

func TestTell(t *testing.T) {
	up, down := deploy.ScaleReplicaSet{Name: "a", To: 1}, deploy.ScaleReplicaSet{Name: "b", From: 1}
	p := deploy.Plan{
		Actions: deploy.Actions{deploy.AnnotateReplicaSet{Name: "a"}, up, down, deploy.AnnotateDeployment{}},
		Events:  []deploy.Event{{Type: "Normal", Reason: "R", Message: "a"}, {Type: "Normal", Reason: "R", Message: "b"}},
	}
	b, _ := newBase(0)
	r := &deploymentReconciler{b}
	for want, failed := range []deploy.Action{p.Actions[0], down, nil} {
		r.tell(&appsv1.Deployment{}, p, failed)
		require.Equal(t, []string{"Normal R a", "Normal R b"}[:want], append([]string{}, b.recorded()...))
	}
}

// A pod that cannot be deleted is told, one that is gone is not.
func TestDaemonSetEvents(t *testing.T) {
	b, _ := newBase(0)
	r := &daemonSetReconciler{b}
	report := kube.DaemonSetReport{Deletes: []selector.Outcome{
		{Answer: selector.Done}, {Answer: selector.NotFound, Err: errors.New("gone")}, {Answer: selector.Failed, Err: errors.New("not now")},
	}}
	r.lowered(&appsv1.DaemonSet{}, replicaset.Expectations{}, []string{"a", "b", "c", "d"}, 0, report)
	require.Equal(t, []string{"Normal SuccessfulDelete Deleted pod: a", "Warning FailedDelete Error deleting: not now"}, b.recorded())
}
