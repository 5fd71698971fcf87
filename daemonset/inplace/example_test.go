// SPDX-License-Identifier: Apache-2.0

package inplace_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset/inplace"
)

// stored returns a template as a ControllerRevision holds it.
func stored(container string) []byte {
	return []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"app",` + container + `}]}}}}`)
}

// priority returns the containers of a pod of which app is to start before log.
func priority() []inplace.Container {
	first, second := int32(10), int32(5)
	return []inplace.Container{
		{Name: "log", Image: "log:1", Priority: &second, Status: &inplace.ContainerStatus{Image: "log:1", ImageID: "l1", Ready: true}},
		{Name: "app", Image: "app:1", Priority: &first, Status: &inplace.ContainerStatus{Image: "app:1", ImageID: "a1", Ready: true}},
	}
}

// A new image can go into a pod that stays, a new port cannot.
func ExampleCalculateSpec() {
	old := stored(`"image":"app:1"`)
	spec, ok := inplace.CalculateSpec(old, stored(`"image":"app:2"`), "7d4c", inplace.Options{})
	fmt.Println(spec.Images, spec.Revision, ok)
	_, ok = inplace.CalculateSpec(old, stored(`"image":"app:2","ports":[{"containerPort":80}]`), "7d4c", inplace.Options{})
	fmt.Println(ok)
	// Output:
	// map[app:app:2] 7d4c true
	// false
}

func ExampleContainers() {
	data := stored(`"image":"app:1","env":[{"name":"ZONE","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['zone']"}}}]`)
	for _, c := range inplace.Containers(data) {
		fmt.Println(c.Name, c.Image, "reads the labels", c.Labels)
	}
	// Output: app app:1 reads the labels [zone]
}

// The containers of the highest launch priority go first, and the others wait until these
// are ready.
func ExampleFirstBatch() {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	spec := inplace.Spec{Revision: "7d4c", Images: map[string]string{"app": "app:2", "log": "log:2"}}
	put := inplace.FirstBatch(priority(), &spec, now)
	fmt.Println("now", put)
	fmt.Println("later", put.State.NextImages, "when these are ready:", put.State.PreCheck.Ready)
	// Output:
	// now app=app:2
	// later map[log:log:2] when these are ready: [app]
}

func ExampleNextBatch() {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	spec := inplace.Spec{Revision: "7d4c", Images: map[string]string{"app": "app:2", "log": "log:2"}}
	first := inplace.FirstBatch(priority(), &spec, now)
	second := inplace.NextBatch(priority(), &first.State, now.Add(time.Minute))
	fmt.Println(second, "is the last:", second.State.NextImages == nil)
	for _, b := range second.State.Batches {
		fmt.Println(b.Timestamp.Format(time.TimeOnly), b.Containers)
	}
	// Output:
	// log=log:2 is the last: true
	// 12:00:00 [app]
	// 12:01:00 [log]
}

// underWay is the state of a pod whose container app ran the image with the ID a1.
const underWay = `{"revision":"7d4c","lastContainerStatuses":{"app":{"imageID":"a1"}},"nextContainerImages":{"log":"log:2"},"preCheckBeforeNext":{"containersRequiredReady":["app"]}}`

// The next batch waits for the new image of the first one to run, and to be ready.
func ExampleContinue() {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	pod := inplace.Pod{Annotations: map[string]string{inplace.AnnotationState: underWay}, Containers: priority()}
	app := &pod.Containers[1]
	app.Image = "app:2"
	fmt.Println("old image:", inplace.Continue(pod, "7d4c", now).Wait)
	app.Status.Image, app.Status.ImageID, app.Status.Ready = "app:2", "a2", false
	fmt.Println("not ready:", inplace.Continue(pod, "7d4c", now).Wait)
	app.Status.Ready = true
	fmt.Println("ready:", inplace.Continue(pod, "7d4c", now).Put)
	// Output:
	// old image: true
	// not ready: true
	// ready: log=log:2
}

// An update is over when no batch is to come and the pod runs what the last one wrote.
func ExampleCompleted() {
	pod := inplace.Pod{Containers: priority()}
	fmt.Println("never updated:", inplace.Completed(pod))
	pod.Annotations = map[string]string{inplace.AnnotationState: underWay}
	fmt.Println("a batch is to come:", inplace.Completed(pod))
	pod.Annotations[inplace.AnnotationState] = `{"lastContainerStatuses":{"app":{"imageID":"a0"}}}`
	fmt.Println("runs another image than before:", inplace.Completed(pod))
	// Output:
	// never updated: true
	// a batch is to come: false
	// runs another image than before: true
}

// The annotation stays when the update is over, and a grace period counts as well.
func ExampleUnderWay() {
	fmt.Println(inplace.UnderWay(nil))
	fmt.Println(inplace.UnderWay(map[string]string{inplace.AnnotationState: underWay}))
	fmt.Println(inplace.UnderWay(map[string]string{inplace.AnnotationGrace: `{"graceSeconds":30}`}))
	// Output:
	// false
	// true
	// true
}

// A pod goes on serving while it gets more memory, but not while it gets a new image.
func ExampleSpec_ClosesGate() {
	image := inplace.Spec{Images: map[string]string{"app": "app:2"}}
	memory := inplace.Spec{Resources: map[string]inplace.Resources{"app": {Limits: map[string]string{"memory": "2Gi"}}}}
	fmt.Println(image.ClosesGate(), memory.ClosesGate())
	memory.Restart = true // its container restarts for it
	fmt.Println(memory.ClosesGate())
	// Output:
	// true false
	// true
}
