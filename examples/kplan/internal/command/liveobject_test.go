// SPDX-License-Identifier: Apache-2.0

package command

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// liveNow is when the files of testdata/live were taken.
var liveNow = time.Date(2026, time.March, 3, 9, 30, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(liveNow.Add(-d)) }

// uid returns a UID that depends on the text alone.
func uid(text string) types.UID {
	h := sha256.Sum256([]byte(text))
	h[6], h[8] = 0x40|h[6]&0x0f, 0x80|h[8]&0x3f // version 4, as the API server makes them
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16]))
}

func resourceVersion(text string) string {
	h := sha256.Sum256([]byte(text))
	return strconv.Itoa(8_100_000 + int(h[0])<<8 + int(h[1]))
}

// template returns version v of the pod template, as the API server defaults it.
func template(name string, v int) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name:                     "web",
				Image:                    fmt.Sprintf("registry.example.com/web:1.%d", v),
				ImagePullPolicy:          corev1.PullIfNotPresent,
				Ports:                    []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
				TerminationMessagePath:   "/dev/termination-log",
				TerminationMessagePolicy: corev1.TerminationMessageReadFile,
				ReadinessProbe: &corev1.Probe{
					ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
						Path: "/readyz", Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP,
					}},
					TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
				},
			}},
			RestartPolicy:                 corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: new(int64(30)),
			DNSPolicy:                     corev1.DNSClusterFirst,
			SecurityContext:               &corev1.PodSecurityContext{},
			SchedulerName:                 corev1.DefaultSchedulerName,
		},
	}
}

// setName returns the name of the ReplicaSet for version v of the template.
func setName(name string, v int) string {
	t := template(name, v)
	return name + "-" + kube.Template(&t, nil).Hash
}

// A liveSet is a ReplicaSet and its pods.
type liveSet struct {
	version  int
	revision string
	history  string
	size     int32
	desired  int32 // annotations of the last scaling
	max      int32
	age      time.Duration

	available, ready, starting, failing, terminating int // pods; ready ones are not available
}

func (s liveSet) pods() int32 { return int32(s.available + s.ready + s.starting + s.failing) }

// object returns the ReplicaSet as the API server has it.
func (s liveSet) object(d *appsv1.Deployment) *appsv1.ReplicaSet {
	t := template(d.Name, s.version)
	hash := kube.Template(&t, nil).Hash
	t.Labels[revision.LabelHash] = hash
	name := d.Name + "-" + hash
	annotations := map[string]string{
		revision.AnnotationDesired:  strconv.Itoa(int(s.desired)),
		revision.AnnotationMax:      strconv.Itoa(int(s.max)),
		revision.AnnotationRevision: s.revision,
	}
	if s.history != "" {
		annotations[revision.AnnotationHistory] = s.history
	}
	return &appsv1.ReplicaSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: d.Namespace, UID: uid(d.Name + name), ResourceVersion: resourceVersion(name),
			Generation: 3, CreationTimestamp: ago(s.age), Labels: map[string]string{"app": d.Name, revision.LabelHash: hash},
			Annotations:     annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(s.size), MinReadySeconds: d.Spec.MinReadySeconds, Template: t,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.Name, revision.LabelHash: hash}},
		},
		Status: appsv1.ReplicaSetStatus{
			Replicas: s.pods(), FullyLabeledReplicas: s.pods(), ReadyReplicas: int32(s.available + s.ready),
			AvailableReplicas: int32(s.available), TerminatingReplicas: new(int32(s.terminating)), ObservedGeneration: 3,
		},
	}
}

// podObjects returns the pods of the ReplicaSet.
func (s liveSet) podObjects(rs *appsv1.ReplicaSet) []*corev1.Pod {
	var pods []*corev1.Pod
	add := func(n int, shape func(*corev1.Pod)) {
		for range n {
			p := livePod(rs, len(pods), s.age)
			shape(p)
			pods = append(pods, p)
		}
	}
	add(s.available, func(p *corev1.Pod) { runs(p, ago(s.age-12*time.Second)) })
	add(s.ready, func(p *corev1.Pod) { runs(p, ago(5*time.Second)) })
	add(s.starting, func(p *corev1.Pod) { waiting(p, "ContainerCreating", "") })
	add(s.failing, func(p *corev1.Pod) {
		image := p.Spec.Containers[0].Image
		waiting(p, "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q", image))
	})
	add(s.terminating, func(p *corev1.Pod) {
		runs(p, ago(s.age-12*time.Second))
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(metav1.NewTime(liveNow.Add(20*time.Second))), new(int64(30))
	})
	return pods
}

func livePod(rs *appsv1.ReplicaSet, n int, age time.Duration) *corev1.Pod {
	p := kube.NewPod(rs)
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	id := uid(fmt.Sprint(rs.UID, n))
	p.Name = rs.Name + "-" + revision.SafeEncode(string(id[:5]))
	p.UID, p.ResourceVersion, p.Generation = id, resourceVersion(string(id)), 1
	p.CreationTimestamp = ago(age)
	access := "kube-api-access-" + revision.SafeEncode(string(id[9:13])+string(id[0]))
	p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{
		Name: access, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true,
	}}
	p.Spec.ServiceAccountName, p.Spec.DeprecatedServiceAccount = "default", "default"
	p.Spec.NodeName = fmt.Sprintf("worker-%d", n%4+1)
	p.Spec.Priority, p.Spec.EnableServiceLinks = new(int32(0)), new(true)
	p.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	p.Spec.Tolerations = []corev1.Toleration{
		{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))},
		{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))},
	}
	p.Spec.Volumes = []corev1.Volume{{Name: access, VolumeSource: corev1.VolumeSource{Projected: projected()}}}
	p.Status = corev1.PodStatus{
		ObservedGeneration: 1, HostIP: fmt.Sprintf("10.0.4.%d", n%4+11), HostIPs: []corev1.HostIP{{IP: fmt.Sprintf("10.0.4.%d", n%4+11)}},
		QOSClass: corev1.PodQOSBestEffort, StartTime: new(ago(age)),
	}
	return p
}

func projected() *corev1.ProjectedVolumeSource {
	return &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(420)),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3607))}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
				Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
			}}}},
		},
	}
}

// runs gives a pod the status of one that has been ready since an instant.
func runs(p *corev1.Pod, since metav1.Time) {
	started := *p.Status.StartTime
	p.Status.Phase = corev1.PodRunning
	conditions(p, corev1.ConditionTrue, "", since)
	p.Status.PodIP = fmt.Sprintf("10.244.%d.%d", p.Name[len(p.Name)-1]%4+1, p.Name[len(p.Name)-2])
	p.Status.PodIPs = []corev1.PodIP{{IP: p.Status.PodIP}}
	c := p.Spec.Containers[0]
	digest := sha256.Sum256([]byte(c.Image))
	id := sha256.Sum256([]byte(p.UID))
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: c.Name, Image: c.Image, ImageID: fmt.Sprintf("registry.example.com/web@sha256:%x", digest),
		ContainerID: fmt.Sprintf("containerd://%x", id), Ready: true, Started: new(true),
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
	}}
}

// waiting gives a pod the status of one whose container does not run.
func waiting(p *corev1.Pod, reason, message string) {
	p.Status.Phase = corev1.PodPending
	conditions(p, corev1.ConditionFalse, "ContainersNotReady", *p.Status.StartTime)
	c := p.Spec.Containers[0]
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: c.Name, Image: c.Image, Started: new(false),
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}
}

func conditions(p *corev1.Pod, ready corev1.ConditionStatus, reason string, since metav1.Time) {
	start := *p.Status.StartTime
	message := ""
	if ready != corev1.ConditionTrue {
		message = "containers with unready status: [web]"
	}
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, ObservedGeneration: 1, Status: ready, LastTransitionTime: start},
		{Type: corev1.PodInitialized, ObservedGeneration: 1, Status: corev1.ConditionTrue, LastTransitionTime: start},
		{Type: corev1.PodReady, ObservedGeneration: 1, Status: ready, Reason: reason, Message: message, LastTransitionTime: since},
		{Type: corev1.ContainersReady, ObservedGeneration: 1, Status: ready, Reason: reason, Message: message, LastTransitionTime: since},
		{Type: corev1.PodScheduled, ObservedGeneration: 1, Status: corev1.ConditionTrue, LastTransitionTime: start},
	}
}

func replicaFailure(message string) appsv1.ReplicaSetCondition {
	return appsv1.ReplicaSetCondition{
		Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: message,
		LastTransitionTime: ago(time.Minute),
	}
}
