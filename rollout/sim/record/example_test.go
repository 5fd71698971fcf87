// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"fmt"
	"log"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A rollout from v1 to v2, in the steps of the Deployment controller.
func ExampleNewSteps() {
	config := sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}}
	steps := record.NewSteps(&config)
	w, err := sim.New(cluster.Snapshot{}, config)
	if err != nil {
		log.Fatal(err)
	}
	for _, template := range []string{"v1", "v2"} {
		if err := w.Put(web("web", template, 1)); err != nil {
			log.Fatal(err)
		}
		if _, err := w.Settle(time.Minute); err != nil {
			log.Fatal(err)
		}
	}
	list, complete := steps.Workload(sim.KindDeployment, "web")
	for _, s := range list {
		fmt.Print(s.Time.Sub(w.Start()))
		for _, a := range s.Plan.(deploy.Plan).Actions {
			fmt.Printf(" %s.", a)
		}
		for _, p := range s.Parts {
			fmt.Printf(" %s: %d/%d", p.Name, p.Ready, p.Wanted)
		}
		fmt.Println()
	}
	fmt.Println("complete at", complete.Sub(w.Start()))
	// Output:
	// 0s Scaled up replica set web-v1 from 0 to 1 (NewTemplate, revision 1). Annotated deployment: deployment.kubernetes.io/revision (Revision). web-v1: 0/1
	// 1m0s Scaled up replica set web-v2 from 0 to 1 (NewTemplate, revision 2). Annotated deployment: deployment.kubernetes.io/revision (Revision). web-v1: 1/1 web-v2: 0/1
	// 1m10s Scaled down replica set web-v1 from 1 to 0 (RolloutDown). web-v1: 0/0 web-v2: 1/1
	// 1m10s web-v1: 0/0 web-v2: 1/1
	// complete at 1m10s
}

// The last row of the steps is the end: what holds then is what the workload waits for.
func ExampleSteps_Workload() {
	config := sim.Config{}
	steps := record.NewSteps(&config)
	w, err := sim.New(cluster.Snapshot{Templates: map[string]cluster.Template{"v1": {NeverReady: true}}}, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Put(web("web", "v1", 3)); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Settle(time.Hour); err != nil {
		log.Fatal(err)
	}
	list, complete := steps.Workload(sim.KindDeployment, "web")
	for _, h := range list[len(list)-1].Plan.(deploy.Plan).Holds {
		fmt.Println(h)
	}
	fmt.Println("complete:", !complete.IsZero())
	// Output:
	// web-v1 held back: NotReady (0 of 3)
	// held back: DeadlineExceeded (0 of 600)
	// complete: false
}

// Between steps pods become ready: sizes are those of each instant at which one has changed.
func ExampleSteps_Sizes() {
	config := sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}}
	steps := record.NewSteps(&config)
	w, err := sim.New(cluster.Snapshot{}, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Put(web("web", "v1", 3)); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Settle(time.Minute); err != nil {
		log.Fatal(err)
	}
	for _, z := range steps.Sizes(sim.KindDeployment, "web")[1:] { // the first is before the first plan
		fmt.Println(z.Time.Sub(w.Start()), z.Parts[0].Ready, "of", z.Parts[0].Wanted)
	}
	// Output:
	// 0s 0 of 3
	// 10s 3 of 3
}

// What became of the only pod of a Deployment.
func ExampleNewHistory() {
	config := sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}}
	history := record.NewHistory(&config, time.Time{})
	w, err := sim.New(cluster.Snapshot{}, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Put(web("web", "v1", 1)); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Settle(time.Minute); err != nil {
		log.Fatal(err)
	}
	for _, s := range history.Pods[0].Stages {
		fmt.Println(s.Time.Sub(w.Start()), s.Is)
	}
	// Output:
	// 0s scheduled
	// 10s ready
}

// Of a world with many workloads, the part that is about one.
func ExampleHistory_Owned() {
	config := sim.Config{}
	steps := record.NewSteps(&config)
	history := record.NewHistory(&config, time.Time{})
	w, err := sim.New(cluster.Snapshot{}, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Put(web("web", "v1", 1), web("api", "v1", 3)); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Settle(time.Minute); err != nil {
		log.Fatal(err)
	}
	api := history.Owned(func(uid string) bool { return steps.Owns(sim.KindDeployment, "api", uid) })
	fmt.Println(len(history.Pods), len(api.Pods), api.ReplicaSets[0].Object.Name)
	// Output: 4 3 api-v1
}

// Pods name the UID of what controls them.
func ExampleSteps_Owns() {
	config := sim.Config{}
	steps := record.NewSteps(&config)
	w, err := sim.New(cluster.Snapshot{}, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Put(web("web", "v1", 1)); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Settle(time.Minute); err != nil {
		log.Fatal(err)
	}
	p := w.View().Pods()[0]
	fmt.Println(steps.Owns(sim.KindDeployment, "web", p.ControllerUID), steps.Owns(sim.KindDeployment, "api", p.ControllerUID))
	// Output: true false
}

// A history may also be kept by hand, such as that of a cluster that is watched.
func ExampleHistory_Saw() {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := record.History{Start: start}
	p := podorder.Pod{Name: "web-1", UID: "1"}
	h.Saw(start, &p, record.Unscheduled)
	h.Saw(start.Add(2*time.Second), &p, record.Scheduled)
	h.Saw(start.Add(9*time.Second), &p, record.Ready)
	fmt.Println(len(h.Pods), len(h.Pods[0].Stages))
	// Output:
	// 1 3
}

func ExamplePod_At() {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := record.Pod{Stages: []record.Stage{{Time: start, Is: record.Scheduled}, {Time: start.Add(10 * time.Second), Is: record.Ready}}}
	fmt.Println(p.At(start.Add(5*time.Second)), p.At(start.Add(time.Minute)))
	// Output:
	// scheduled ready
}
