// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// StartAutoscaler starts the HorizontalPodAutoscaler controller of Kubernetes for one namespace,
// with this period between two passes. There are no metrics.
func StartAutoscaler(ctx context.Context, cfg *rest.Config, namespace string, period time.Duration) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	finder := discovery.NewDiscoveryClient(client.Discovery().RESTClient())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(finder))
	scales, err := scale.NewForConfig(cfg, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(finder))
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	c := podautoscaler.NewHorizontalController(ctx, client.CoreV1(), scales, client.AutoscalingV2(), mapper, noMetrics{},
		factory.Autoscaling().V2().HorizontalPodAutoscalers(), factory.Core().V1().Pods(), period, 5*time.Minute, 0.1, 5*time.Minute, 30*time.Second)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go c.Run(ctx, workers)
	return nil
}

// noMetrics is a metrics client without metrics.
type noMetrics struct{}

var errNoMetrics = errors.New("there are no metrics")

// GetResourceMetric returns an error.
func (noMetrics) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return nil, time.Time{}, errNoMetrics
}

// GetRawMetric returns an error.
func (noMetrics) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	return nil, time.Time{}, errNoMetrics
}

// GetObjectMetric returns an error.
func (noMetrics) GetObjectMetric(string, string, *autoscalingv2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return 0, time.Time{}, errNoMetrics
}

// GetExternalMetric returns an error.
func (noMetrics) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return nil, time.Time{}, errNoMetrics
}
