// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A new selector lets one pod go and takes another: why Kubernetes does not allow it.
func ExampleSelectorChange() {
	owner := web()
	api, _ := selector.Parse("app=api")
	n, child := list([]claim.Child{pod("mine", "web", "u1"), pod("orphan", "api", ""), pod("foreign", "api", "u9")})
	change := claim.SelectorChange(&owner, api, n, child)
	fmt.Println("released", change.Released, "adopted", change.Adopted)
	// Output: released [0] adopted [1]
}

func ExampleChild_Controlled() {
	orphan, owned := pod("orphan", "web", ""), pod("owned", "web", "u1")
	fmt.Println(orphan.Controlled(), owned.Controlled())
	// Output: false true
}

// The UID decides, for a name may be used again.
func ExampleChild_ControlledBy() {
	owner, again := web(), web()
	again.UID = "u2"
	p := pod("owned", "web", "u1")
	fmt.Println(p.ControlledBy(&owner), p.ControlledBy(&again))
	// Output: true false
}

// references are those of a pod that two objects own; the second one is its controller.
func references() []claim.OwnerReference {
	owner := web()
	return []claim.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "settings", UID: "c1"}, owner.Reference()}
}

func ExampleControllerOf() {
	r, ok := claim.ControllerOf(references())
	fmt.Println(r.Kind, r.Name, ok)
	_, ok = claim.ControllerOf(references()[:1])
	fmt.Println(ok)
	// Output:
	// ReplicaSet web true
	// false
}

func ExampleOwner_Reference() {
	owner := web()
	r := owner.Reference()
	fmt.Println(r.APIVersion, r.Kind, r.Name, r.UID, *r.Controller, *r.BlockOwnerDeletion)
	// Output: apps/v1 ReplicaSet web u1 true true
}

func ExampleValidateReference() {
	owner := web()
	r := owner.Reference()
	fmt.Println(claim.ValidateReference(r))
	r.Controller = nil
	fmt.Println(claim.ValidateReference(r))
	// Output:
	// <nil>
	// controllerRef.Controller is not set to true
}

// An orphan can be adopted, a pod of another controller cannot.
func ExampleWithReference() {
	owner, other := web(), web()
	other.UID = "u9"
	after, err := claim.WithReference(references()[:1], owner.Reference())
	fmt.Println(len(after), err)
	_, err = claim.WithReference(references(), other.Reference())
	fmt.Println(err != nil)
	// Output:
	// 2 <nil>
	// true
}

func ExampleWithoutReference() {
	for _, r := range claim.WithoutReference(references(), "u1") {
		fmt.Println(r.Kind, r.Name)
	}
	// Output: ConfigMap settings
}

// controllers are two of which the second is older and selects more.
func controllers() []claim.Controller {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	narrow, wide := web(), web()
	narrow.Selector, _ = selector.Parse("app=web,track=canary")
	wide.Name, wide.UID = "all", "u2"
	return []claim.Controller{
		{Owner: narrow, CreationTimestamp: start.Add(time.Hour), TemplateLabels: map[string]string{"app": "web", "track": "canary"}},
		{Owner: wide, CreationTimestamp: start, TemplateLabels: map[string]string{"app": "web"}},
	}
}

// The second controller selects what the first one creates.
func ExampleConflicts() {
	for _, c := range claim.Conflicts(controllers()) {
		fmt.Println(c.A, c.B, c.Certain, selector.FormatLabels(c.Labels))
	}
	// Output: 0 1 true app=web,track=canary
}

func ExampleCompareAge() {
	c := controllers()
	fmt.Println(claim.CompareAge(c[0], c[1]) > 0) // the second is older
	// Output: true
}

// A new pod of either label is shown to those that select it, the oldest first.
func ExampleControllersSelecting() {
	canary, stable := pod("canary", "web", ""), pod("stable", "web", "")
	canary.Labels["track"] = "canary"
	fmt.Println(claim.ControllersSelecting(&canary, controllers()), claim.ControllersSelecting(&stable, controllers()))
	// Output: [1 0] [1]
}

// Both would adopt an orphan, and none what has a controller.
func ExampleWhoWouldAdopt() {
	orphan := pod("orphan", "web", "")
	orphan.Labels["track"] = "canary"
	owned := orphan
	owned.ControllerUID = "u9"
	fmt.Println(claim.WhoWouldAdopt(&orphan, controllers()), claim.WhoWouldAdopt(&owned, controllers()))
	// Output: [1 0] []
}

// The orphan goes to the controller that comes first, and might as well go to the other.
func ExampleSimulate() {
	orphan := pod("orphan", "web", "")
	orphan.Labels["track"] = "canary"
	n, child := list([]claim.Child{orphan, pod("owned", "web", "u2")})
	round := claim.Simulate(controllers(), n, child)
	fmt.Println("owners", round.Owners)
	for _, c := range round.Contested {
		fmt.Println("contested", c.Child, "by", c.Controllers)
	}
	// Output:
	// owners [0 1]
	// contested 0 by [0 1]
}

// Nobody looks after a pod that nobody selects, and after one whose controller is gone.
func ExampleUnmanagedChildren() {
	pods := []claim.Child{pod("api", "api", ""), pod("left", "web", "u9"), pod("fine", "web", "u2")}
	n, child := list(pods)
	for _, s := range claim.UnmanagedChildren(controllers(), n, child) {
		fmt.Println(pods[s.Child].Name, s.Reason)
	}
	// Output:
	// api Unselected
	// left OwnerGone
}
