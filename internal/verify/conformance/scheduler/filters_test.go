// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"

	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// A handle is the part of a scheduler that the filters use.
type handle struct {
	fwk.Handle // nil: they read nothing else
	snapshot   *cache.Snapshot
	informers  informers.SharedInformerFactory
}

func (h *handle) SnapshotSharedLister() fwk.SharedLister                 { return h.snapshot }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }
func (h *handle) Parallelizer() fwk.Parallelizer                         { return inTurn{} }
func (h *handle) SharedDRAManager() fwk.SharedDRAManager                 { return nil }

// inTurn does one thing after the other.
type inTurn struct{}

func (inTurn) Until(_ context.Context, pieces int, do workqueue.DoWorkPieceFunc, _ string) {
	for i := range pieces {
		do(i)
	}
}

// A filter is one plugin of the scheduler.
type filter struct {
	plugin fwk.FilterPlugin
	reason func(*fwk.Status) scheduler.Reason
}

func always(r scheduler.Reason) func(*fwk.Status) scheduler.Reason {
	return func(*fwk.Status) scheduler.Reason { return r }
}

// ofAffinity tells pod affinity from anti-affinity.
func ofAffinity(s *fwk.Status) scheduler.Reason {
	if s.Reasons()[0] == interpodaffinity.ErrReasonAffinityRulesNotMatch {
		return scheduler.PodAffinity
	}
	return scheduler.PodAntiAffinity
}

// filters makes the filters of a scheduler in the order in which it asks them. It has the feature
// gates of a release, but fast decides about one that is off by default.
func filters(h *handle, fast bool) []filter {
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	features.EnableDRAExtendedResource, features.EnableInterPodAffinityHostnameFastPath = false, fast
	ctx := context.Background()
	of := func(p fwk.Plugin, err error) fwk.FilterPlugin {
		if err != nil {
			panic(err)
		}
		return p.(fwk.FilterPlugin)
	}
	make := func(new func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error), args runtime.Object) fwk.FilterPlugin {
		return of(new(ctx, args, h, features))
	}
	fit := &config.NodeResourcesFitArgs{ScoringStrategy: &config.ScoringStrategy{Type: config.LeastAllocated, Resources: []config.ResourceSpec{{Name: "cpu", Weight: 1}}}}
	return []filter{
		{make(nodeunschedulable.New, nil), always(scheduler.Unschedulable)},
		{make(tainttoleration.New, nil), always(scheduler.TaintNotTolerated)},
		{make(nodeaffinity.New, &config.NodeAffinityArgs{}), always(scheduler.NodeAffinity)},
		{make(nodeports.New, nil), always(scheduler.HostPort)},
		{make(noderesources.NewFit, fit), always(scheduler.Insufficient)},
		{make(volumerestrictions.New, nil), always(scheduler.VolumeInUse)},
		{make(podtopologyspread.New, &config.PodTopologySpreadArgs{DefaultingType: config.ListDefaulting}), always(scheduler.TopologySpread)},
		{make(interpodaffinity.New, &config.InterPodAffinityArgs{}), ofAffinity},
	}
}

// whys asks the filters about a pod: the reason of the first that refuses each node.
func whys(all []*corev1.Node, placed []*corev1.Pod, pod *corev1.Pod, fast bool) []scheduler.Reason {
	ctx := context.Background()
	h := &handle{snapshot: cache.NewSnapshot(placed, all), informers: claims()}
	infos, err := h.snapshot.NodeInfos().List()
	if err != nil {
		panic(err)
	}
	state, reasons, asked := framework.NewCycleState(), make([]scheduler.Reason, len(all)), filters(h, fast)
	for _, f := range asked {
		skip := false
		if before, ok := f.plugin.(fwk.PreFilterPlugin); ok {
			_, status := before.PreFilter(ctx, state, pod, infos)
			if skip = status.IsSkip(); !skip && status.AsError() != nil {
				panic(fmt.Sprint(f.plugin.Name(), ": ", status.AsError()))
			}
		}
		for i, node := range all {
			info, err := h.snapshot.Get(node.Name)
			if err != nil {
				panic(err)
			}
			if reasons[i] != "" || skip {
				continue
			}
			if status := f.plugin.Filter(ctx, state, pod, info); !status.IsSuccess() {
				reasons[i] = f.reason(status)
			}
		}
	}
	return reasons
}

// claims are the caches of a scheduler: a claim that one pod may use, in each namespace.
func claims() informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(nil, 0)
	for _, namespace := range []string{"default", "shop", "bank"} {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data"}}
		c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
		if err := factory.Core().V1().PersistentVolumeClaims().Informer().GetIndexer().Add(c); err != nil {
			panic(err)
		}
	}
	return factory
}
