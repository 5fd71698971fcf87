// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A bare cluster is only an API server: no controller, scheduler or kubelet changes the result of
// an action.
type bare struct {
	*testing.T
	client    kubernetes.Interface
	executor  kube.Executor
	namespace string
	seen      map[string]int // actions, by kind
}

func newBare(t *testing.T, c *cluster.Cluster, namespace string) *bare {
	client, err := kubernetes.NewForConfig(c.Config(cluster.Admin))
	require.NoError(t, err)
	b := &bare{
		T: t, client: client, namespace: namespace, seen: map[string]int{},
		executor: kube.Executor{Client: clientGo{client.AppsV1().RESTClient(), client.CoreV1().RESTClient()}},
	}
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return b
}

// TestApply: Apply changes a snapshot as the API server changes the objects, action by action.
func TestApply(t *testing.T) {
	t.Parallel()
	c, err := cluster.Start(t.Context(), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	t.Run("Deployment", func(t *testing.T) { applyDeployment(newBare(t, c, "deployment")) })
	t.Run("ReplicaSet", func(t *testing.T) { applyReplicaSet(newBare(t, c, "replicaset")) })
	t.Run("DaemonSet", func(t *testing.T) { applyDaemonSet(newBare(t, c, "daemonset")) })
}

// same compares the result of Apply with the objects in the cluster, without values that only the
// API server knows: generated UIDs and names, versions, and times.
func (b *bare) same(action any, want, got any) {
	b.Helper()
	b.seen[fmt.Sprintf("%T", action)]++
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(), gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		b.Fatalf("%v: (-Apply +server)\n%s", action, diff)
	}
}

// all requires that each kind of action was carried out.
func (b *bare) all(actions ...any) {
	b.Helper()
	for _, a := range actions {
		require.Positive(b, b.seen[fmt.Sprintf("%T", a)], "%T did not occur: %v", a, b.seen)
	}
}

func pod(name string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: image + "1"}}},
	}
}

// run binds a pod and makes it ready, as a scheduler and a kubelet would.
func (b *bare) run(p *corev1.Pod, node string) {
	b.Helper()
	pods := b.client.CoreV1().Pods(b.namespace)
	if p.Spec.NodeName == "" {
		require.NoError(b, pods.Bind(b.Context(), &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: p.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}, metav1.CreateOptions{}))
	}
	p, err := pods.Get(b.Context(), p.Name, metav1.GetOptions{})
	require.NoError(b, err)
	long := metav1.NewTime(time.Now().Add(-time.Hour))
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: long}}
	_, err = pods.UpdateStatus(b.Context(), p, metav1.UpdateOptions{})
	require.NoError(b, err)
}

// end removes the pods that are being deleted, as their kubelets would.
func (b *bare) end(pods []corev1.Pod) {
	b.Helper()
	for _, p := range pods {
		if p.DeletionTimestamp != nil {
			require.NoError(b, b.client.CoreV1().Pods(b.namespace).Delete(b.Context(), p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		}
	}
}

func applyDeployment(b *bare) {
	api, sets := b.client.AppsV1().Deployments(b.namespace), b.client.AppsV1().ReplicaSets(b.namespace)
	d := loadDeployment(0)
	d.Spec.Replicas, d.Spec.Strategy.RollingUpdate.MaxSurge = new(int32(10)), new(intstr.FromInt32(3))
	_, err := api.Create(b.Context(), d, metav1.CreateOptions{})
	require.NoError(b, err)
	read := func() (*appsv1.Deployment, []*appsv1.ReplicaSet, deploy.Snapshot) {
		d, err := api.Get(b.Context(), "web-0", metav1.GetOptions{})
		require.NoError(b, err)
		list, err := sets.List(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		s, err := kube.Snapshot(d, pointers(list.Items), nil)
		require.NoError(b, err)
		return d, pointers(list.Items), s
	}
	// settle makes passes until nothing is to do, while all pods that are wanted are available.
	settle := func(most int) {
		for range most {
			d, list, s := read()
			pass, err := deploy.NewPass(s, time.Now(), deploy.Options{})
			require.NoError(b, err)
			p := pass.Plan
			if len(p.Actions) == 0 {
				r := pass.Finish(deploy.Report{})
				if r.WriteStatus {
					require.NoError(b, b.executor.Client.Do(b.Context(), kube.DeploymentStatusRequest(d, r)))
				}
				if !reported(b, list) && !r.WriteStatus {
					return
				}
			}
			for _, a := range p.Actions[:min(1, len(p.Actions))] {
				want, err := deploy.Apply(s, a, time.Now())
				require.NoError(b, err)
				report := b.executor.Deployment(b.Context(), d, list, deploy.Plan{Actions: deploy.Actions{a}})
				require.Equal(b, kplan.Done, report.Outcomes[0].Answer, "%v: %v", a, report.Outcomes[0].Err)
				if note, ok := a.(deploy.AnnotateDeployment); ok { // it goes along with the status
					noted := d.DeepCopy()
					maps.Copy(noted.Annotations, note.Set)
					_, err := api.UpdateStatus(b.Context(), noted, metav1.UpdateOptions{})
					require.NoError(b, err)
				}
				_, _, got := read()
				b.same(a, plainDeployment(want), plainDeployment(got))
			}
		}
	}
	change := func(f func(d *appsv1.Deployment)) {
		d, _, _ := read()
		f(d)
		_, err := api.Update(b.Context(), d, metav1.UpdateOptions{})
		require.NoError(b, err)
	}
	settle(20)
	change(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = image + "2" })
	settle(4)
	change(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(6)) }) // in the middle
	settle(30)
	change(func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 1 })
	settle(30)
	change(func(d *appsv1.Deployment) { d.Annotations[revision.AnnotationRollback] = "1" })
	settle(40)
	change(func(d *appsv1.Deployment) { d.Annotations[revision.AnnotationRollback] = "99" })
	settle(10)
	_, list, _ := read()
	orphan := list[0].DeepCopy()
	orphan.ObjectMeta = metav1.ObjectMeta{Name: "orphan", Labels: orphan.Labels, Annotations: orphan.Annotations}
	orphan.Spec.Replicas = new(int32)
	_, err = sets.Create(b.Context(), orphan, metav1.CreateOptions{})
	require.NoError(b, err)
	settle(20)
	orphan, err = sets.Get(b.Context(), "orphan", metav1.GetOptions{})
	require.NoError(b, err)
	orphan.Labels = map[string]string{"app": "another"}
	_, err = sets.Update(b.Context(), orphan, metav1.UpdateOptions{})
	require.NoError(b, err)
	change(func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32) })
	settle(20)
	b.all(deploy.AdoptReplicaSet{}, deploy.ReleaseReplicaSet{}, deploy.CreateReplicaSet{}, deploy.AnnotateReplicaSet{}, deploy.ScaleReplicaSet{},
		deploy.AnnotateDeployment{}, deploy.DeleteReplicaSet{}, deploy.RollBackDeployment{}, deploy.ClearRollback{})
}

// reported writes the statuses of ReplicaSets with all pods available, and reports whether one has
// changed.
func reported(b *bare, list []*appsv1.ReplicaSet) (wrote bool) {
	for _, rs := range list {
		n := *rs.Spec.Replicas
		next := appsv1.ReplicaSetStatus{
			Replicas: n, FullyLabeledReplicas: n, ReadyReplicas: n, AvailableReplicas: n, TerminatingReplicas: rs.Status.TerminatingReplicas,
			ObservedGeneration: rs.Generation,
		}
		if gocmp.Equal(rs.Status, next, cmpopts.EquateEmpty()) {
			continue
		}
		rs = rs.DeepCopy()
		rs.Status = next
		_, err := b.client.AppsV1().ReplicaSets(b.namespace).UpdateStatus(b.Context(), rs, metav1.UpdateOptions{})
		require.NoError(b, err)
		wrote = true
	}
	return wrote
}

func plainDeployment(s deploy.Snapshot) deploy.Snapshot {
	s.Deployment.ResourceVersion, s.Deployment.Status = "", deploy.Status{}
	s.ReplicaSets = slices.Clone(s.ReplicaSets)
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		rs.UID, rs.ResourceVersion, rs.CreationTimestamp, rs.Status = "", "", time.Time{}, replicaset.Status{}
	}
	slices.SortFunc(s.ReplicaSets, func(a, b replicaset.ReplicaSet) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

func applyReplicaSet(b *bare) {
	pods := b.client.CoreV1().Pods(b.namespace)
	labels := map[string]string{"app": "web"}
	rs, err := b.client.AppsV1().ReplicaSets(b.namespace).Create(b.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", nil).Spec},
		},
	}, metav1.CreateOptions{})
	require.NoError(b, err)
	read := func() ([]corev1.Pod, replicaset.Snapshot) {
		list, err := pods.List(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		return list.Items, kube.ReplicaSetSnapshot(rs, pointers(list.Items), nil)
	}
	settle := func(replicas int32) {
		rs.Spec.Replicas = &replicas
		for range 10 {
			list, s := read()
			p, err := replicaset.Reconcile(s, time.Now(), replicaset.Options{})
			require.NoError(b, err)
			if len(p.Actions) == 0 {
				b.end(list)
				return
			}
			a := p.Actions[0]
			want, err := replicaset.Apply(s, a, time.Now())
			require.NoError(b, err)
			b.executor.ReplicaSet(b.Context(), rs, replicaset.Plan{Actions: replicaset.Actions{a}})
			_, got := read()
			b.same(a, plainPods(want.Pods), plainPods(got.Pods))
		}
		b.Fatal("it does not come to rest")
	}
	settle(3)
	settle(2) // one that has no node is gone at once
	list, _ := read()
	for i := range list {
		b.run(&list[i], fmt.Sprint("node-", i))
	}
	settle(1) // one that runs is marked
	_, err = pods.Create(b.Context(), pod("orphan", labels), metav1.CreateOptions{})
	require.NoError(b, err)
	settle(2)
	orphan, err := pods.Get(b.Context(), "orphan", metav1.GetOptions{})
	require.NoError(b, err)
	orphan.Labels = map[string]string{"app": "another"}
	_, err = pods.Update(b.Context(), orphan, metav1.UpdateOptions{})
	require.NoError(b, err)
	settle(2)
	b.all(replicaset.CreatePods{}, replicaset.DeletePod{}, replicaset.AdoptPod{}, replicaset.ReleasePod{})
}

// plainPods returns pods without generated values, sorted.
func plainPods(list []podorder.Pod) []podorder.Pod {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		p.Name, p.UID, p.ResourceVersion, p.CreationTimestamp = "", "", "", time.Time{}
		if !p.DeletionTimestamp.IsZero() {
			p.DeletionTimestamp = time.Unix(1, 0) // the server adds the grace period
		}
	}
	slices.SortFunc(list, func(a, b podorder.Pod) int { return cmp.Compare(text(a), text(b)) })
	return list
}

func text(v any) string {
	data, _ := json.Marshal(v) // pods can always be written
	return string(data)
}

func applyDaemonSet(b *bare) {
	api, pods, revisions := b.client.AppsV1().DaemonSets(b.namespace), b.client.CoreV1().Pods(b.namespace), b.client.AppsV1().ControllerRevisions(b.namespace)
	for i := range 3 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("apply-", i)}}
		_, err := b.client.CoreV1().Nodes().Create(b.Context(), node, metav1.CreateOptions{})
		require.NoError(b, err)
	}
	labels := map[string]string{"app": "agent"}
	_, err := api.Create(b.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, RevisionHistoryLimit: new(int32),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", nil).Spec},
		},
	}, metav1.CreateOptions{})
	require.NoError(b, err)
	read := func() (*appsv1.DaemonSet, []corev1.Pod, []*appsv1.ControllerRevision, daemonset.Snapshot) {
		ds, err := api.Get(b.Context(), "agent", metav1.GetOptions{})
		require.NoError(b, err)
		nodes, err := b.client.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		list, err := pods.List(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		history, err := revisions.List(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		s, err := kube.DaemonSetSnapshot(ds, pointers(nodes.Items), pointers(list.Items), pointers(history.Items))
		require.NoError(b, err)
		return ds, list.Items, pointers(history.Items), s
	}
	settle := func() {
		for range 40 {
			ds, list, history, s := read()
			p, err := daemonset.Reconcile(s, time.Now(), daemonset.Options{})
			require.NoError(b, err)
			if len(p.Actions) == 0 && !b.next(list, s.Pods) {
				return
			}
			for _, a := range p.Actions[:min(1, len(p.Actions))] {
				want, err := daemonset.Apply(s, a, time.Now())
				require.NoError(b, err)
				b.executor.DaemonSet(b.Context(), ds, history, daemonset.Plan{Actions: daemonset.Actions{a}})
				_, _, _, got := read()
				b.same(a, plainDaemons(want), plainDaemons(got))
			}
		}
		b.Fatal("it does not come to rest")
	}
	settle()
	ds, list, history, _ := read()
	ds.Spec.Template.Spec.Containers[0].Image = image + "2"
	_, err = api.Update(b.Context(), ds, metav1.UpdateOptions{})
	require.NoError(b, err)
	settle()
	// Released and adopted again, and an orphaned revision.
	lost := list[0].DeepCopy()
	lost.ObjectMeta = metav1.ObjectMeta{Name: "lost", Labels: map[string]string{"app": "agent", daemonset.LabelHash: history[0].Labels[daemonset.LabelHash]}}
	lost.Spec.NodeName = ""
	_, err = pods.Create(b.Context(), lost, metav1.CreateOptions{})
	require.NoError(b, err)
	_, list, history, _ = read()
	orphan := history[0].DeepCopy()
	orphan.ObjectMeta = metav1.ObjectMeta{Name: "orphan", Labels: orphan.Labels}
	orphan.Revision = 1
	_, err = revisions.Create(b.Context(), orphan, metav1.CreateOptions{})
	require.NoError(b, err)
	for i := range list {
		if list[i].Name != "lost" {
			list[i].Labels = map[string]string{"app": "another"}
			_, err := pods.Update(b.Context(), &list[i], metav1.UpdateOptions{})
			require.NoError(b, err)
			break
		}
	}
	settle()
	b.all(daemonset.CreateRevision{}, daemonset.DeleteRevision{}, daemonset.AdoptRevision{}, daemonset.CreatePod{}, daemonset.DeletePod{},
		daemonset.AdoptPod{}, daemonset.ReleasePod{})
}

// next lets pods that are to go end, and others start; it reports whether there was one.
func (b *bare) next(list []corev1.Pod, seen []daemonset.Pod) (changed bool) {
	b.Helper()
	b.end(list)
	for i := range list {
		p := &list[i]
		changed = changed || p.DeletionTimestamp != nil
		if p.DeletionTimestamp == nil && !ready(p) {
			k := slices.IndexFunc(seen, func(s daemonset.Pod) bool { return s.Name == p.Name })
			b.run(p, cmp.Or(seen[k].NodeName, seen[k].PinnedNode))
			changed = true
		}
	}
	return changed
}

func plainDaemons(s daemonset.Snapshot) daemonset.Snapshot {
	s.Pods, s.Revisions = slices.Clone(s.Pods), slices.Clone(s.Revisions)
	for i := range s.Pods {
		p := &s.Pods[i]
		p.Name, p.UID, p.ResourceVersion, p.CreationTimestamp, p.Containers = "", "", "", time.Time{}, nil
		if !p.DeletionTimestamp.IsZero() {
			p.DeletionTimestamp = time.Unix(1, 0)
		}
	}
	for i := range s.Revisions {
		r := &s.Revisions[i]
		r.UID, r.ResourceVersion, r.CreationTimestamp = "", "", time.Time{}
	}
	slices.SortFunc(s.Pods, func(a, b daemonset.Pod) int { return cmp.Compare(text(a), text(b)) })
	slices.SortFunc(s.Revisions, func(a, b revision.ControllerRevision) int { return cmp.Compare(a.Name, b.Name) })
	return s
}
