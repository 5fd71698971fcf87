// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

// NodeGrace is the time without a renewed lease after which the node controller of StartLimits
// considers a node lost.
const NodeGrace = 20 * time.Second

// StartLimits starts the controllers of Kubernetes that limit pods: the controllers of disruption
// budgets, quotas, the node lifecycle, and taint eviction.
func StartLimits(ctx context.Context, cfg *rest.Config) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	started := make(chan struct{})
	var run []func()
	for _, add := range []func() (func(), error){
		func() (func(), error) { return budgets(ctx, cfg, client, factory) },
		func() (func(), error) { return quotas(ctx, cfg, client, factory, started) },
		func() (func(), error) { return nodes(ctx, client, factory) },
	} {
		start, err := add()
		if err != nil {
			return err
		}
		run = append(run, start)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	close(started)
	for _, start := range run {
		start()
	}
	return nil
}

func budgets(ctx context.Context, cfg *rest.Config, client kubernetes.Interface, factory informers.SharedInformerFactory) (func(), error) {
	finder := discovery.NewDiscoveryClient(client.Discovery().RESTClient())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(finder))
	scales, err := scale.NewForConfig(cfg, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(finder))
	if err != nil {
		return nil, err
	}
	core, apps := factory.Core().V1(), factory.Apps().V1()
	c := disruption.NewDisruptionController(ctx, core.Pods(), factory.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(),
		apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), client, mapper, scales, finder)
	return func() { go c.Run(ctx, workers) }, nil
}

// livePods lists pods from the API server. With a cache that does not show a pod yet, the quota
// would admit one too many.
type livePods struct {
	ctx       context.Context
	client    kubernetes.Interface
	namespace string
}

func (l livePods) List(of labels.Selector) (list []runtime.Object, err error) {
	pods, err := l.client.CoreV1().Pods(l.namespace).List(l.ctx, metav1.ListOptions{LabelSelector: of.String()})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		list = append(list, &pods.Items[i])
	}
	return list, nil
}

func (l livePods) Get(name string) (runtime.Object, error) {
	return l.client.CoreV1().Pods(l.namespace).Get(l.ctx, name, metav1.GetOptions{})
}

func (l livePods) ByNamespace(name string) cache.GenericNamespaceLister {
	l.namespace = name
	return l
}

// quotas starts the quota controller, which only counts pods.
func quotas(ctx context.Context, cfg *rest.Config, client kubernetes.Interface, factory informers.SharedInformerFactory, started <-chan struct{}) (func(), error) {
	meta, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	lister := func(schema.GroupVersionResource) (cache.GenericLister, error) {
		return livePods{ctx: ctx, client: client}, nil
	}
	conf, err := quotainstall.NewQuotaConfigurationForControllers(lister, factory)
	if err != nil {
		return nil, err
	}
	c, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient: client.CoreV1(), ResourceQuotaInformer: factory.Core().V1().ResourceQuotas(),
		// A count misses a pod that is admitted but not stored yet, until the next count.
		ResyncPeriod:              controller.StaticResyncPeriodFunc(time.Second),
		InformerFactory:           informerfactory.NewInformerFactory(factory, metadatainformer.NewSharedInformerFactory(meta, 0)),
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(time.Hour),
		DiscoveryFunc: func() ([]*metav1.APIResourceList, error) {
			pods := metav1.APIResource{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: metav1.Verbs{"create", "delete", "list", "watch"}}
			return []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{pods}}}, nil
		},
		IgnoredResourcesFunc: conf.IgnoredResources, InformersStarted: started,
		Registry: generic.NewRegistry(conf.Evaluators()), UpdateFilter: quotainstall.DefaultUpdateFilter(),
	})
	if err != nil {
		return nil, err
	}
	return func() { go c.Run(ctx, workers) }, nil
}

func nodes(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (func(), error) {
	core, limit := factory.Core().V1(), float32(100)
	life, err := nodelifecycle.NewNodeLifecycleController(ctx, factory.Coordination().V1().Leases(), core.Pods(), core.Nodes(),
		factory.Apps().V1().DaemonSets(), client, 500*time.Millisecond, time.Minute, NodeGrace, limit, limit, 0, 0.55)
	if err != nil {
		return nil, err
	}
	taints, err := tainteviction.New(ctx, client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return nil, err
	}
	return func() {
		go life.Run(ctx)
		go taints.Run(ctx)
	}, nil
}
