// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"log"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// A scheduler that prefers the nodes of a zone.
func ExampleConfig_place() {
	s := nodes(2)
	s.Nodes[1].Zone = "fast"
	w := world(s, sim.Config{Place: func(p scheduler.Pod, nodes *scheduler.Nodes) string {
		for i := nodes.First(0, p); i >= 0; i = nodes.First(i+1, p) {
			if nodes.At(i).Zone == "fast" {
				return nodes.At(i).Name
			}
		}
		return scheduler.BinPack(p, nodes)
	}}, 3)
	for _, p := range w.View().Pods() {
		fmt.Print(p.NodeName, " ")
	}
	// Output: b b a
}

func ExampleView_Now() {
	fmt.Println(world(cluster.Snapshot{}, tenSeconds, 1).View().Now().Format(time.TimeOnly))
	// Output: 00:00:10
}

func ExampleView_Deployments() {
	fmt.Println(world(cluster.Snapshot{}, tenSeconds, 1).View().Deployments()[0].Name)
	// Output: web
}

func ExampleView_Deployment() {
	v := world(cluster.Snapshot{}, tenSeconds, 2).View()
	fmt.Println(v.Deployment("web").Status.AvailableReplicas, v.Deployment("shop"))
	// Output: 2 <nil>
}

func ExampleView_ReplicaSets() {
	fmt.Println(world(cluster.Snapshot{}, tenSeconds, 1).View().ReplicaSets()[0].Name)
	// Output: web-v1
}

func ExampleView_ReplicaSet() {
	fmt.Println(world(cluster.Snapshot{}, tenSeconds, 2).View().ReplicaSet("web-v1").Status.Replicas)
	// Output: 2
}

func ExampleView_ReplicaSetsOf() {
	fmt.Println(world(cluster.Snapshot{}, tenSeconds, 2).View().ReplicaSetsOf("web")[0].Name)
	// Output: web-v1
}

// withController is a world with a ReplicationController.
func withController() sim.View {
	two, labels := int32(2), map[string]string{"app": "web"}
	w := world(cluster.Snapshot{}, tenSeconds, 0)
	_ = w.Put(replicaset.ReplicaSet{Kind: replicaset.KindController, Name: "old", Replicas: &two, Selector: selector.FromLabels(labels), TemplateLabels: labels})
	_, _ = w.Settle(time.Hour)
	return w.View()
}

func ExampleView_ReplicationControllers() {
	fmt.Println(withController().ReplicationControllers()[0].Name)
	// Output: old
}

func ExampleView_ReplicationController() {
	rc := withController().ReplicationController("old")
	fmt.Println(rc.Kind, rc.Status.AvailableReplicas)
	// Output: ReplicationController 2
}

func ExampleView_Pods() {
	fmt.Println(world(nodes(5), tenSeconds, 2).View().Pods()[1].NodeName)
	// Output: a
}

func ExampleView_Pod() {
	w := world(cluster.Snapshot{Pods: []podorder.Pod{{Name: "alone"}}}, tenSeconds, 1)
	fmt.Println(w.View().Pod("alone").Ready, w.View().Pod("gone"))
	// Output: true <nil>
}

// Two replicas are wanted. One pod crashes again and again, as it did in the cluster.
func ExampleView_Held() {
	pod := podorder.Pod{Name: "web-a", NodeName: "node", Phase: podorder.Running}
	v := world(cluster.Snapshot{Pods: []podorder.Pod{pod}, Held: map[string]cluster.PodHold{"web-a": {Unready: true}}}, tenSeconds, 2).View()
	fmt.Println(v.Held("web-a").Unready, v.Pod("web-a").Ready, len(v.Pods()))
	// Output: true false 3
}

func ExampleView_PodsOf() {
	v := world(cluster.Snapshot{}, tenSeconds, 3).View()
	fmt.Println(len(v.PodsOf(v.ReplicaSet("web-v1").UID)))
	// Output: 3
}

// withDaemons is a world with a DaemonSet on two nodes.
func withDaemons() sim.View {
	labels := map[string]string{"app": "log"}
	s := nodes(5)
	s.DaemonSets = []daemonset.DaemonSet{{
		Name: "log", UID: "log", Selector: selector.FromLabels(labels), Template: daemonset.Template{Hash: "v1", Data: []byte(`{}`), Labels: labels},
	}}
	return world(s, tenSeconds, 1).View()
}

func ExampleView_DaemonSets() {
	fmt.Println(withDaemons().DaemonSets()[0].Status.NumberAvailable)
	// Output: 2
}

func ExampleView_DaemonSet() {
	fmt.Println(withDaemons().DaemonSet("log").Status.NumberAvailable, withDaemons().DaemonSet("web"))
	// Output: 2 <nil>
}

func ExampleView_DaemonPodsOf() {
	fmt.Println(len(withDaemons().DaemonPodsOf("log")), len(withDaemons().DaemonPodsOf("")))
	// Output: 2 0
}

func ExampleView_RevisionsOf() {
	for _, r := range withDaemons().RevisionsOf("log") {
		fmt.Println(r.Name, r.Revision)
	}
	// Output: log-v1 1
}

func ExampleView_DaemonPods() {
	for _, p := range withDaemons().DaemonPods() {
		fmt.Print(p.NodeName, " ")
	}
	// Output: a b
}

func ExampleView_Nodes() {
	fmt.Println(world(nodes(5), tenSeconds, 1).View().Nodes()[1].Name)
	// Output: b
}

// withSet is a world with a StatefulSet of three pods.
func withSet() *sim.World {
	three := int32(3)
	set := cluster.Set{TemplateLabels: map[string]string{"app": "db"}, Workload: workload.Workload{
		Ref: workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db"}, UID: "db", Replicas: &three, Template: revision.Template{ID: "v1"},
	}}
	return world(cluster.Snapshot{Sets: []cluster.Set{set}}, tenSeconds, 1)
}

func ExampleView_Sets() {
	w := withSet()
	fmt.Println(w.View().Sets()[0].Status.ReadyReplicas, w.View().PodsOf("db")[2].Name, w.Now().Sub(w.Start()))
	// Output: 3 db-2 30s
}

func ExampleView_Set() {
	v := withSet().View()
	fmt.Println(v.Set("db").UpdateRevision, v.Set("web"))
	// Output: db-v1 <nil>
}

func ExampleView_Rollouts() {
	w := world(cluster.Snapshot{Rollouts: []kruise.Rollout{canary()}}, tenSeconds, 2)
	fmt.Println(w.View().Rollouts()[0].Status.Phase)
	// Output: Healthy
}

// fleets is a world with objects of kinds of one's own.
func fleets() sim.View {
	return world(cluster.Snapshot{Objects: []cluster.Object{{Kind: "Fleet", Name: "f"}, {Kind: "Game", Name: "g"}}}, tenSeconds, 1).View()
}

func ExampleView_Objects() {
	fmt.Println(len(fleets().Objects("Fleet")), len(fleets().Objects("")))
	// Output: 1 2
}

func ExampleView_Object() {
	fmt.Println(fleets().Object("g").Kind, fleets().Object("h"))
	// Output: Game <nil>
}

func ExampleView_ArgoRollouts() {
	three := int32(3)
	r := cluster.ArgoRollout{Rollout: argo.Rollout{Name: "shop", TemplateHash: "v1", Replicas: &three}, TemplateLabels: map[string]string{"app": "shop"}}
	w := world(cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{r}}, tenSeconds, 1)
	status := w.View().ArgoRollouts()[0].Status
	fmt.Println(status.Phase, status.AvailableReplicas)
	// Output: Healthy 3
}

// Controllers look at what has not changed now and then. What a plan tells of it then is of the present.
func ExampleWorld_Resync() {
	config := sim.Config{Planned: func(p sim.Plan) { fmt.Println(p.Time.Format("15:04:05"), p.Kind, p.Name) }}
	w, err := sim.New(cluster.Snapshot{ReplicaSets: []replicaset.ReplicaSet{{Name: "web", UID: "web", Replicas: new(int32)}}}, config)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		w.Resync()
		if err := w.Run(w.Now().Add(time.Second)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 00:00:00 ReplicaSet web
	// 00:00:00 ReplicaSet web
	// 00:00:01 ReplicaSet web
}
