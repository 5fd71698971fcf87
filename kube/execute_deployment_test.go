package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

func liveDeployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "d1", ResourceVersion: "9"}}
}

func sets(names ...string) []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, name := range names {
		list = append(list, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "u", ResourceVersion: "v-of-" + name}})
	}
	return list
}

// Each write to a ReplicaSet has its version as a precondition: that which was read, or
// that which the write before has left.
func TestExecuteDeployment(t *testing.T) {
	s := &server{}
	failed, err := kube.ExecuteDeployment(t.Context(), s, liveDeployment(), sets("old", "new"), deploy.Plan{
		Actions: deploy.Actions{
			deploy.AnnotateReplicaSet{Name: "new", UID: "u", Set: map[string]string{"a": "b"}},
			deploy.ScaleReplicaSet{Name: "new", UID: "u", From: 1, To: 2},
			deploy.AnnotateDeployment{Set: map[string]string{"deployment.kubernetes.io/revision": "2"}},
			deploy.ScaleReplicaSet{Name: "old", UID: "u", From: 3, To: 1},
			deploy.DeleteReplicaSet{Name: "older", UID: "o", ResourceVersion: "5"},
		},
		Status: deploy.Status{Replicas: 4},
	})
	require.NoError(t, err)
	require.Nil(t, failed)
	require.Equal(t, []string{
		"patch replicasets/new", "patch replicasets/new", "patch replicasets/old", "delete replicasets/older", "update deployments/web status",
	}, s.lines(false))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"v-of-new","annotations":{"a":"b"}}}`, string(s.requests[0].Patch.Data))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"answered"},"spec":{"replicas":2}}`, string(s.requests[1].Patch.Data))
	require.JSONEq(t, `{"metadata":{"uid":"u","resourceVersion":"v-of-old"},"spec":{"replicas":1}}`, string(s.requests[2].Patch.Data))
	require.Equal(t, "5", *s.requests[3].Options.Preconditions.ResourceVersion)
	status := s.requests[4].Object.(*appsv1.Deployment)
	require.Equal(t, int32(4), status.Status.Replicas)
	require.Equal(t, "2", status.Annotations["deployment.kubernetes.io/revision"], "in one write with the status")
}

func TestExecuteDeploymentStopsAtAFailure(t *testing.T) {
	s := &server{answer: func(_ kube.Request, n int) error {
		if n == 2 {
			return conflict
		}
		return nil
	}}
	second := deploy.ScaleReplicaSet{Name: "old", To: 1}
	failed, err := kube.ExecuteDeployment(t.Context(), s, liveDeployment(), sets("old", "new"), deploy.Plan{
		Actions: deploy.Actions{deploy.ScaleReplicaSet{Name: "new", To: 2}, second, deploy.DeleteReplicaSet{Name: "older"}},
		Status:  deploy.Status{Replicas: 4},
	})
	require.Equal(t, conflict, err, "as it came: its text goes into a condition")
	require.Equal(t, second, failed)
	require.Equal(t, []string{"patch replicasets/new", "patch replicasets/old"}, s.lines(false))
}

func TestExecuteDeploymentWritesNothingNew(t *testing.T) {
	s := &server{}
	d := liveDeployment()
	d.Status = kube.DeploymentStatus(deploy.Status{Replicas: 4})
	d.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}
	_, err := kube.ExecuteDeployment(t.Context(), s, d, nil, deploy.Plan{
		Actions: deploy.Actions{deploy.AnnotateDeployment{Set: d.Annotations}}, Status: deploy.Status{Replicas: 4},
	})
	require.NoError(t, err)
	require.Empty(t, s.requests)
}

// Adoptions wait for one look at the API server.
func TestExecuteDeploymentAdopts(t *testing.T) {
	adoptions := deploy.Plan{Actions: deploy.Actions{
		deploy.ReleaseReplicaSet{Name: "c", UID: "3"}, deploy.AdoptReplicaSet{Name: "a", UID: "1"}, deploy.AdoptReplicaSet{Name: "b", UID: "2"},
	}}
	looks := 0
	s := &server{get: func(o kube.Object) error { looks++; o.SetUID("d1"); return nil }}
	_, err := kube.ExecuteDeployment(t.Context(), s, liveDeployment(), nil, adoptions)
	require.NoError(t, err)
	require.Equal(t, 1, looks)
	require.Equal(t, []string{"patch replicasets/c", "patch replicasets/a", "patch replicasets/b"}, s.lines(false))

	gone := &server{}
	failed, err := kube.ExecuteDeployment(t.Context(), gone, liveDeployment(), nil, adoptions)
	require.ErrorContains(t, err, "can't recheck DeletionTimestamp")
	require.Equal(t, adoptions.Actions[1], failed)
	require.Equal(t, []string{"patch replicasets/c"}, gone.lines(false))
}

// After a rollback the status is written over what the rollback has left.
func TestExecuteDeploymentRollsBack(t *testing.T) {
	s := &server{}
	_, err := kube.ExecuteDeployment(t.Context(), s, liveDeployment(), sets("old"), deploy.Plan{
		Actions: deploy.Actions{deploy.RollBackDeployment{Name: "old", Annotations: map[string]string{"x": "y"}}, deploy.ClearRollback{},
			deploy.PauseDeployment{UID: "d1", ResourceVersion: "9", Set: map[string]string{"p": "q"}}},
		Status: deploy.Status{Replicas: 1},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"update deployments/web", "update deployments/web", "patch deployments/web", "update deployments/web status"}, s.lines(false))
	require.Equal(t, "answered", s.requests[3].Object.GetResourceVersion())
}
