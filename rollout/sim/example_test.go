// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// deployment is one that may have a pod more than it wants.
func deployment(name, image string, replicas int32) deploy.Deployment {
	return deploy.Deployment{
		Name: name, UID: name, Replicas: &replicas, MaxSurge: rollout.Int(1),
		Template: revision.Template{ID: image}, TemplateLabels: map[string]string{"app": name},
	}
}

// nodes are two nodes with room for pods.
func nodes(room int64) cluster.Snapshot {
	return cluster.Snapshot{
		Resources: []string{"pods"}, Templates: map[string]cluster.Template{"v1": {Needs: []int64{1}}},
		Nodes: []cluster.Node{{Node: daemonset.Node{Name: "a"}, Room: []int64{room}}, {Node: daemonset.Node{Name: "b"}, Room: []int64{room}}},
	}
}

// tenSeconds is how long pods take to start.
var tenSeconds = sim.Config{Times: cluster.Times{Start: cluster.Exactly(10 * time.Second)}}

// world is a world in which a Deployment has been rolled out.
func world(s cluster.Snapshot, c sim.Config, replicas int32) *sim.World {
	w, err := sim.New(s, c)
	if err != nil {
		panic(err)
	}
	if err := w.Put(deployment("web", "v1", replicas)); err != nil {
		panic(err)
	}
	if _, err := w.Settle(time.Hour); err != nil {
		panic(err)
	}
	return w
}

func print(w *sim.World) {
	d := w.View().Deployments()[0]
	fmt.Println(w.Now().Sub(w.Start()), d.Status.Replicas, "pods,", d.Status.UpdatedReplicas, "new,", d.Status.AvailableReplicas, "available")
}

// A Deployment is rolled out, and then to another template: one pod after the other.
func ExampleNew() {
	w, err := sim.New(cluster.Snapshot{Deployments: []deploy.Deployment{deployment("web", "v1", 3)}}, tenSeconds)
	if err != nil {
		panic(err)
	}
	for _, image := range []string{"v1", "v2"} {
		_ = w.Put(deployment("web", image, 3))
		done, err := w.Settle(time.Hour)
		fmt.Println(done, err)
		print(w)
	}
	// Output:
	// true <nil>
	// 10s 3 pods, 3 new, 3 available
	// true <nil>
	// 40s 3 pods, 3 new, 3 available
}

// A scheduler of your own: each pod goes where most room is left. BinPack, the default, would
// fill one node first.
func ExampleConfig() {
	emptiest := func(p scheduler.Pod, nodes *scheduler.Nodes) (name string) {
		most := int64(-1)
		for i := range nodes.Len() {
			if free := nodes.Free(i, 0); free > most && nodes.Fits(i, p) {
				name, most = nodes.At(i).Name, free
			}
		}
		return name
	}
	for _, place := range []func(scheduler.Pod, *scheduler.Nodes) string{emptiest, scheduler.BinPack} {
		w := world(nodes(5), sim.Config{Place: place}, 4)
		for _, p := range w.View().Pods() {
			fmt.Print(p.NodeName, " ")
		}
	}
	// Output: a b a b a a a a
}

// A small controller of your own, of which each Fleet has as many pods as its size: it counts
// what it sees, and creates the rest. In a world without faults it is right. Under stale caches
// it does not see the pods that it has just created, and creates them again.
func ExampleReconciler() {
	fleets := sim.Reconciler{Name: "fleets", For: "Fleet", Reconcile: func(v sim.View, name string) (writes []sim.Write, again time.Duration, err error) {
		fleet := v.Object(name)
		if fleet == nil {
			return nil, 0, nil
		}
		size, err := strconv.Atoi(fleet.Spec["size"])
		for i := len(v.PodsOf(fleet.UID)); i < size; i++ {
			pod := podorder.Pod{Name: fmt.Sprintf("%s-%d", name, v.Now().UnixNano()+int64(i)), ControllerKind: "Fleet", ControllerName: name, ControllerUID: fleet.UID}
			writes = append(writes, sim.Write{Verb: sim.Create, Object: &pod})
		}
		return writes, 0, err
	}}
	for _, faults := range []sim.Faults{{}, {Stale: 2}} {
		fleet := cluster.Object{Kind: "Fleet", Name: "f", Spec: map[string]string{"size": "5"}}
		w, _ := sim.New(cluster.Snapshot{Objects: []cluster.Object{fleet}}, sim.Config{Seed: 3, Controllers: []sim.Reconciler{fleets}, Faults: faults, FaultsFor: time.Minute})
		done, err := w.Settle(time.Hour)
		fmt.Println(done, err, len(w.View().Pods()) > 5, w.Report().Silent)
	}
	// Output:
	// true <nil> false []
	// true <nil> true []
}

// An autoscaler as that of Kubernetes: as many pods as bring the load of each to its target.
func ExampleAutoscaler() {
	var begun time.Time
	load := func(v sim.View) float64 { // requests per second
		if v.Now().Before(begun.Add(time.Minute)) {
			return 150
		}
		return 620
	}
	const target = 100
	hpa := sim.Autoscaler{Name: "hpa", Every: 15 * time.Second, Desired: func(v sim.View) map[string]int32 {
		return map[string]int32{"web": int32(min(max((load(v)+target-1)/target, 2), 10))}
	}}
	c := tenSeconds
	c.Autoscalers = []sim.Autoscaler{hpa}
	w, _ := sim.New(cluster.Snapshot{Deployments: []deploy.Deployment{deployment("web", "v1", 2)}}, c)
	begun = w.Start()
	for range 4 {
		_ = w.Run(w.Now().Add(30 * time.Second))
		print(w)
	}
	// Output:
	// 30s 2 pods, 2 new, 2 available
	// 1m0s 7 pods, 7 new, 2 available
	// 1m30s 7 pods, 7 new, 7 available
	// 2m0s 7 pods, 7 new, 7 available
}

func ExampleWorld_Put() {
	w := world(cluster.Snapshot{}, tenSeconds, 2)
	fmt.Println(w.Put(deployment("web", "v1", 5), cluster.Object{Kind: "Fleet", Name: "f"}))
	fmt.Println(w.Put(7))
	_, _ = w.Settle(time.Hour)
	print(w)
	// Output:
	// <nil>
	// no object of a world: int: invalid input
	// 20s 5 pods, 5 new, 5 available
}

func ExampleWorld_PutTemplate() {
	w := world(nodes(5), tenSeconds, 2)
	w.PutTemplate("v2", cluster.Template{Needs: []int64{1}, NeverReady: true})
	_ = w.Put(deployment("web", "v2", 2))
	_, _ = w.Settle(time.Hour)
	print(w)
	// Output: 20s 3 pods, 1 new, 2 available
}

func ExampleWorld_Start() {
	w := world(cluster.Snapshot{}, tenSeconds, 1)
	fmt.Println(w.Start().Format(time.DateTime))
	// Output: 2026-01-01 00:00:00
}

func ExampleWorld_Now() {
	w := world(cluster.Snapshot{}, tenSeconds, 1)
	fmt.Println(w.Now().Format(time.DateTime))
	// Output: 2026-01-01 00:00:10
}

func ExampleWorld_View() {
	w := world(cluster.Snapshot{}, tenSeconds, 4)
	fmt.Println(len(w.View().Pods()), "pods")
	// Output: 4 pods
}

func ExampleWorld_Step() {
	w, _ := sim.New(cluster.Snapshot{Deployments: []deploy.Deployment{deployment("web", "v1", 2)}}, tenSeconds)
	steps := 0
	for {
		more, err := w.Step()
		if err != nil || !more {
			break
		}
		steps++
	}
	fmt.Println(steps > 10, w.Now().Sub(w.Start()))
	// Output: true 10s
}

func ExampleWorld_Run() {
	w, _ := sim.New(cluster.Snapshot{Deployments: []deploy.Deployment{deployment("web", "v1", 2)}}, tenSeconds)
	for range 2 {
		fmt.Println(w.Run(w.Now().Add(9 * time.Second)))
		print(w)
	}
	// Output:
	// <nil>
	// 9s 2 pods, 2 new, 0 available
	// <nil>
	// 18s 2 pods, 2 new, 2 available
}

func ExampleWorld_Settle() {
	w, _ := sim.New(cluster.Snapshot{Deployments: []deploy.Deployment{deployment("web", "v1", 2)}}, tenSeconds)
	fmt.Println(w.Settle(9 * time.Second))
	fmt.Println(w.Settle(9 * time.Second))
	// Output:
	// false <nil>
	// true <nil>
}

func ExampleWorld_Heal() {
	c := tenSeconds
	c.Faults = sim.Faults{Flaky: 5}
	w := world(cluster.Snapshot{}, c, 20)
	w.Heal()
	_, _ = w.Settle(time.Hour)
	d := w.View().Deployment("web")
	fmt.Println(d.Status.AvailableReplicas, "available")
	// Output: 20 available
}

func ExampleWorld_Report() {
	c := tenSeconds
	c.Faults = sim.Faults{Crash: 1, NodeFaults: 1}
	w := world(cluster.Snapshot{}, c, 40)
	r := w.Report()
	fmt.Println("crashed:", r.Fired["Crash"] > 0, "silent:", r.Silent)
	// Output: crashed: true silent: [NodeFaults]
}

func ExampleAllFaults() {
	c := tenSeconds
	c.Faults, c.FaultsFor = sim.AllFaults(1), 10*time.Minute
	w := world(nodes(20), c, 10)
	fmt.Println(w.View().Deployment("web").Status.AvailableReplicas, w.Report().Silent)
	// Output: 10 []
}

func ExampleWorld_Scale() {
	w := world(cluster.Snapshot{}, tenSeconds, 4)
	fmt.Println(w.Scale(sim.KindDeployment, "web", 6), w.Scale(sim.KindDeployment, "shop", 6))
	_, _ = w.Settle(time.Hour)
	print(w)
	// Output:
	// true false
	// 20s 6 pods, 6 new, 6 available
}

func ExampleWorld_Delete() {
	w := world(cluster.Snapshot{}, tenSeconds, 4)
	fmt.Println(w.Delete(sim.KindDeployment, "web"))
	_, _ = w.Settle(time.Hour)
	fmt.Println(len(w.View().ReplicaSets()), len(w.View().Pods()))
	// Output:
	// true
	// 0 0
}

// canary is a Rollout that waits for a person when half of the pods are new.
func canary() kruise.Rollout {
	return kruise.Rollout{
		Name: "web", WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"},
		Canary: &kruise.Strategy{Steps: []kruise.Step{{Replicas: rollout.Percent(50)}, {Replicas: rollout.Percent(100)}}},
	}
}

func ExampleWorld_Approve() {
	w := world(cluster.Snapshot{Rollouts: []kruise.Rollout{canary()}}, tenSeconds, 4)
	_ = w.Put(deployment("web", "v2", 4))
	for range 2 {
		_, _ = w.Settle(time.Hour)
		d := w.View().Deployment("web")
		fmt.Println(d.Status.UpdatedReplicas, "new", w.Approve())
	}
	// Output:
	// 2 new 1
	// 4 new 0
}

func ExampleWorld_Fail() {
	w := world(cluster.Snapshot{}, tenSeconds, 2)
	fmt.Println(w.Fail(w.View().Pods()[0].Name))
	_, _ = w.Settle(time.Hour)
	print(w)
	// Output:
	// true
	// 20s 2 pods, 2 new, 2 available
}

func ExampleWorld_Answers() {
	w := world(nodes(2), tenSeconds, 3)
	w.Answers("a", false)
	_ = w.Run(w.Now().Add(time.Minute))
	print(w)
	w.Answers("a", true)
	_, _ = w.Settle(time.Hour)
	fmt.Println(w.View().Deployment("web").Status.AvailableReplicas)
	// Output:
	// 1m10s 3 pods, 3 new, 1 available
	// 3
}

func ExampleWorld_Evict() {
	s := nodes(5)
	s.Budgets = []cluster.Budget{{Name: "web", Selector: selector.FromLabels(map[string]string{"app": "web"}), MinAvailable: rollout.Int(2)}}
	w := world(s, tenSeconds, 3)
	for _, p := range w.View().Pods()[:2] {
		fmt.Println(w.Evict(p.Name))
	}
	// Output:
	// <nil>
	// budget web: invalid input
}

func ExampleWorld_Drain() {
	w := world(nodes(5), tenSeconds, 3)
	fmt.Println(w.View().Pods()[0].NodeName, w.Drain("a"))
	_, _ = w.Settle(time.Hour)
	fmt.Println(w.View().Pods()[0].NodeName, len(w.View().Pods()))
	// Output:
	// a true
	// b 3
}

func ExampleWorld_Uncordon() {
	w := world(nodes(5), tenSeconds, 3)
	w.Drain("b")
	fmt.Println(w.View().Nodes()[1].Cordoned)
	w.Uncordon("b")
	fmt.Println(w.View().Nodes()[1].Cordoned)
	// Output:
	// true
	// false
}

// Another world goes on from where this one is.
func ExampleWorld_Snapshot() {
	w := world(nodes(5), tenSeconds, 2)
	_ = w.Put(deployment("web", "v1", 3))
	_ = w.Run(w.Now().Add(time.Second))
	again, err := sim.New(w.Snapshot(), tenSeconds)
	fmt.Println(err)
	print(again)
	_, _ = again.Settle(time.Hour)
	print(again)
	// Output:
	// <nil>
	// 0s 3 pods, 3 new, 2 available
	// 10s 3 pods, 3 new, 3 available
}
