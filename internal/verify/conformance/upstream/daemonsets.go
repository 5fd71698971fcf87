// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
)

type (
	// CreateRevision creates a ControllerRevision. Err is the answer of the client.
	CreateRevision struct {
		Object *appsv1.ControllerRevision
		Err    error
	}
	// UpdateRevision stores a ControllerRevision.
	UpdateRevision struct{ Object *appsv1.ControllerRevision }
	// DeleteRevision deletes a ControllerRevision.
	DeleteRevision struct{ Name string }
	// UpdateDaemonSetStatus stores the status of a DaemonSet.
	UpdateDaemonSetStatus struct{ Status appsv1.DaemonSetStatus }
	// CreateDaemonPod creates the pod of a node.
	CreateDaemonPod struct {
		Node     string
		Template *corev1.PodTemplateSpec
	}
	// RelabelPod changes labels of a pod.
	RelabelPod struct {
		Name   string
		Labels map[string]string
	}
)

// A Failure stands for failed pods deleted on a node: Times in a row, the last at At.
type Failure struct {
	Node  string
	Times int
	At    time.Time
}

// DaemonSets is the DaemonSet controller. A rolling update chooses at random among equal pods,
// since the controller iterates over a map.
type DaemonSets struct {
	ctx                                context.Context
	r                                  *record
	daemonSets, revisions, pods, nodes *informer
	backoff                            **flowcontrol.Backoff
	sync                               syncFunc
}

// NewDaemonSets returns a controller. The protection against stale caches is off.
func NewDaemonSets() (*DaemonSets, error) {
	c := &DaemonSets{
		ctx: quiet(), r: &record{}, daemonSets: newInformer(), revisions: newInformer(), pods: newInformer(), nodes: newInformer(),
	}
	dsc, err := daemon.NewDaemonSetsController(c.ctx, daemonSetInformer{c.daemonSets}, revisionInformer{c.revisions},
		podInformer{c.pods}, nodeInformer{c.nodes}, daemonClient{client{r: c.r}, c}, newBackoff())
	if err != nil {
		return nil, err
	}
	(*field[clientrecord.EventBroadcaster](dsc, "eventBroadcaster")).Shutdown()
	*field[clientrecord.EventRecorder](dsc, "eventRecorder") = c.r
	*field[controller.PodControlInterface](dsc, "podControl") = daemonPodControl{podControl{c.r}}
	*field[controller.ControllerRevisionControlInterface](dsc, "crControl") = revisionControl{c.r}
	trustCaches(dsc)
	for _, name := range []string{"queue", "nodeUpdateQueue"} {
		q := field[workqueue.TypedRateLimitingInterface[string]](dsc, name)
		(*q).ShutDown()
		*q = &c.r.queue
	}
	c.backoff = field[*flowcontrol.Backoff](dsc, "failedPodsBackoff")
	c.sync = *field[syncFunc](dsc, "syncHandler")
	return c, nil
}

// Fill replaces the contents of the controller's caches and its record of failures.
func (c *DaemonSets) Fill(ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, nodes []*corev1.Node, pods []*corev1.Pod, failures []Failure) {
	fill(c.daemonSets.x, []*appsv1.DaemonSet{ds})
	fill(c.revisions.x, revisions)
	fill(c.nodes.x, nodes)
	fill(c.pods.x, pods)
	*c.backoff = backoffAfter(ds, failures)
}

// Sync runs one pass on the contents of the caches. The controller has no expectations from earlier
// passes.
func (c *DaemonSets) Sync(ds *appsv1.DaemonSet) Result {
	c.daemonSets.deleted(ds)
	c.r.reset()
	c.r.owner = ds
	return c.r.run(c.ctx, c.sync, ds.Namespace+"/"+ds.Name)
}

// daemonClient is the client of the DaemonSet controller.
type daemonClient struct {
	client
	c *DaemonSets
}

func (d daemonClient) AppsV1() appsclient.AppsV1Interface { return daemonApps{c: d.c} }
func (d daemonClient) CoreV1() coreclient.CoreV1Interface { return daemonCore{c: d.c} }

type daemonApps struct {
	appsclient.AppsV1Interface
	c *DaemonSets
}

func (a daemonApps) DaemonSets(string) appsclient.DaemonSetInterface { return daemonSets{r: a.c.r} }
func (a daemonApps) ControllerRevisions(string) appsclient.ControllerRevisionInterface {
	return controllerRevisions{c: a.c}
}

type daemonSets struct {
	appsclient.DaemonSetInterface
	r *record
}

func (d daemonSets) Get(context.Context, string, metav1.GetOptions) (*appsv1.DaemonSet, error) {
	d.r.reads++
	return d.r.owner.(*appsv1.DaemonSet).DeepCopy(), nil
}

func (d daemonSets) UpdateStatus(_ context.Context, ds *appsv1.DaemonSet, _ metav1.UpdateOptions) (*appsv1.DaemonSet, error) {
	d.r.add(UpdateDaemonSetStatus{*ds.Status.DeepCopy()})
	return ds, nil
}

type controllerRevisions struct {
	appsclient.ControllerRevisionInterface
	c *DaemonSets
}

func (r controllerRevisions) existing(name string) (*appsv1.ControllerRevision, bool) {
	for _, o := range r.c.revisions.x.objects {
		if o := o.(*appsv1.ControllerRevision); o.Name == name {
			return o, true
		}
	}
	return nil, false
}

func (r controllerRevisions) Create(_ context.Context, o *appsv1.ControllerRevision, _ metav1.CreateOptions) (*appsv1.ControllerRevision, error) {
	var err error
	if _, taken := r.existing(o.Name); taken {
		err = apierrors.NewAlreadyExists(appsv1.Resource("controllerrevisions"), o.Name)
	}
	r.c.r.add(CreateRevision{o, err})
	return o, err
}

func (r controllerRevisions) Get(_ context.Context, name string, _ metav1.GetOptions) (*appsv1.ControllerRevision, error) {
	o, ok := r.existing(name)
	if !ok {
		return nil, apierrors.NewNotFound(appsv1.Resource("controllerrevisions"), name)
	}
	return o, nil
}

func (r controllerRevisions) Update(_ context.Context, o *appsv1.ControllerRevision, _ metav1.UpdateOptions) (*appsv1.ControllerRevision, error) {
	r.c.r.add(UpdateRevision{o})
	return o, nil
}

func (r controllerRevisions) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	r.c.r.add(DeleteRevision{name})
	return nil
}

type daemonCore struct {
	coreclient.CoreV1Interface
	c *DaemonSets
}

func (d daemonCore) Pods(string) coreclient.PodInterface { return daemonPods{c: d.c} }

type daemonPods struct {
	coreclient.PodInterface
	c *DaemonSets
}

// Patch relabels a pod, also in the cache.
func (p daemonPods) Patch(_ context.Context, name string, _ types.PatchType, body []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Pod, error) {
	var patch struct {
		Metadata struct{ Labels map[string]string }
	}
	if err := json.Unmarshal(body, &patch); err != nil {
		return nil, err
	}
	p.c.r.add(RelabelPod{name, patch.Metadata.Labels})
	pods := make([]*corev1.Pod, len(p.c.pods.x.objects))
	for i, o := range p.c.pods.x.objects {
		if pods[i] = o.(*corev1.Pod); pods[i].Name == name {
			pods[i] = pods[i].DeepCopy()
			if pods[i].Labels == nil {
				pods[i].Labels = map[string]string{}
			}
			maps.Copy(pods[i].Labels, patch.Metadata.Labels)
		}
	}
	fill(p.c.pods.x, pods)
	return nil, nil
}

// daemonPodControl records the nodes for which pods are created.
type daemonPodControl struct{ podControl }

func (d daemonPodControl) CreatePods(_ context.Context, _ string, t *corev1.PodTemplateSpec, _ runtime.Object, _ *metav1.OwnerReference) error {
	terms := t.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	d.r.add(CreateDaemonPod{terms[0].MatchFields[0].Values[0], t})
	return nil
}

// revisionControl records changes of the owners of revisions.
type revisionControl struct{ r *record }

func (c revisionControl) PatchControllerRevision(_ context.Context, _, name string, body []byte) error {
	c.r.add(Patch{Kind: "ControllerRevision", Name: name, Body: string(body)})
	return nil
}
