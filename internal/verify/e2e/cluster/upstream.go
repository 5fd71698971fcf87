// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

// workers is the default number of objects that a controller of Kubernetes works on at once.
const workers = 5

// StartUpstream starts the Deployment, ReplicaSet, ReplicationController, DaemonSet and StatefulSet
// controllers of Kubernetes for one namespace, or for all if it is empty, and returns when their
// caches are filled.
func StartUpstream(ctx context.Context, cfg *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	apps, core := factory.Apps().V1(), factory.Core().V1()
	dc, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return err
	}
	rsc := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas)
	rcm := replication.NewReplicationManager(ctx, core.Pods(), core.ReplicationControllers(), client, replication.BurstReplicas)
	dsc, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client,
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	if err != nil {
		return err
	}
	ssc := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go dc.Run(ctx, workers)
	go rsc.Run(ctx, workers)
	go rcm.Run(ctx, workers)
	go dsc.Run(ctx, 2)
	go ssc.Run(ctx, workers)
	return nil
}

// StartCollector starts the garbage collector of Kubernetes.
func StartCollector(ctx context.Context, cfg *rest.Config) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	meta, err := metadata.NewForConfig(cfg)
	if err != nil {
		return err
	}
	finder := discovery.NewDiscoveryClient(client.Discovery().RESTClient())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(finder))
	factory := informers.NewSharedInformerFactory(client, 0)
	all := informerfactory.NewInformerFactory(factory, metadatainformer.NewSharedInformerFactory(meta, 0))
	started := make(chan struct{})
	ignored := garbagecollector.DefaultIgnoredResources()
	for _, group := range []string{"", "events.k8s.io"} {
		ignored[schema.GroupResource{Group: group, Resource: "events"}] = struct{}{}
	}
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, meta, mapper, ignored, all, started)
	if err != nil {
		return err
	}
	close(started)
	go gc.Run(ctx, workers, time.Minute)
	go gc.Sync(ctx, finder, 5*time.Second)
	return nil
}
