// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A ReplicaSet adopts an orphan and lets go of a pod whose label was changed.
func ExampleClassify() {
	s, _ := selector.Parse("app=web")
	owner := claim.Owner{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "default", Name: "web", UID: "u1", Selector: s,
	}
	pods := []claim.Child{
		{Namespace: "default", Name: "kept", UID: "p1", ControllerUID: "u1", Labels: map[string]string{"app": "web"}},
		{Namespace: "default", Name: "orphan", UID: "p2", Labels: map[string]string{"app": "web"}},
		{Namespace: "default", Name: "quarantined", UID: "p3", ControllerUID: "u1", Labels: map[string]string{"app": "debug"}},
		{Namespace: "default", Name: "foreign", UID: "p4", ControllerUID: "u9", Labels: map[string]string{"app": "web"}},
	}
	pod := func(i int) claim.Child { return pods[i] }
	for i := range pods {
		fmt.Println(pods[i].Name, claim.Decide(&owner, &pods[i]))
	}

	lists := claim.Classify(&owner, len(pods), pod)
	live := claim.CheckLive(&owner, claim.OwnerNow{UID: "u1"}) // read from the API server, since claim.NeedsLiveCheck()
	resolution := claim.Resolve(&owner, lists, pod, live)
	for _, a := range resolution.Actions {
		fmt.Printf("%v\n%s\n", a, a.Patch())
	}
	claimed, err := claim.ApplyOutcome(resolution, []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.Done}})
	fmt.Println("claimed", claimed, err)
	// Output:
	// kept Keep (Owned)
	// orphan Adopt (Orphan)
	// quarantined Release (NoMatch)
	// foreign Ignore (OwnedByOther)
	// Adopted Pod default/orphan (Orphan)
	// {"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u1","controller":true,"blockOwnerDeletion":true}],"uid":"p2"}}
	// Released Pod default/quarantined (NoMatch)
	// {"metadata":{"uid":"p3","ownerReferences":[{"$patch":"delete","uid":"u1"}]}}
	// claimed [0 1] <nil>
}

// web is a ReplicaSet that selects app=web.
func web() claim.Owner {
	s, _ := selector.Parse("app=web")
	return claim.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "default", Name: "web", UID: "u1", Selector: s}
}

// pod returns a pod with a label app, and the UID of its controller.
func pod(name, app, controller string) claim.Child {
	return claim.Child{Namespace: "default", Name: name, UID: "uid-" + name, Labels: map[string]string{"app": app}, ControllerUID: controller}
}

// list makes of a list what Classify and its like read.
func list(pods []claim.Child) (n int, child func(i int) claim.Child) {
	return len(pods), func(i int) claim.Child { return pods[i] }
}

func ExampleDecide() {
	owner := web()
	for _, p := range []claim.Child{pod("owned", "web", "u1"), pod("orphan", "web", ""), pod("relabelled", "debug", "u1"), pod("foreign", "web", "u9")} {
		fmt.Println(p.Name, claim.Decide(&owner, &p))
	}
	// Output:
	// owned Keep (Owned)
	// orphan Adopt (Orphan)
	// relabelled Release (NoMatch)
	// foreign Ignore (OwnedByOther)
}

// A ReplicaSet looks at active pods only: one that has failed is left where it is.
func ExampleDecideActive() {
	owner := web()
	failed := pod("failed", "debug", "u1")
	failed.Finished = true
	fmt.Println(claim.Decide(&owner, &failed))
	fmt.Println(claim.DecideActive(&owner, &failed))
	// Output:
	// Release (NoMatch)
	// Ignore (Inactive)
}

// The pod that is being deleted is counted, and not kept.
func ExampleClassifyActive() {
	owner := web()
	leaving := pod("leaving", "web", "u1")
	leaving.Deleting = true
	c := claim.ClassifyActive(&owner, 3, func(i int) claim.Child {
		return []claim.Child{pod("owned", "web", "u1"), leaving, pod("orphan", "web", "")}[i]
	})
	fmt.Println("keep", c.Keep, "adopt", c.Adopt, "terminating", c.Terminating)
	// Output: keep [0] adopt [2] terminating [1]
}

// Only an adoption needs to know that the owner is still there.
func ExampleClaim_NeedsLiveCheck() {
	fmt.Println(claim.Claim{Keep: []int{0}, Release: []int{1}}.NeedsLiveCheck())
	fmt.Println(claim.Claim{Adopt: []int{2}}.NeedsLiveCheck())
	// Output:
	// false
	// true
}

func ExampleClaim_Changes() {
	fmt.Println(claim.Claim{Keep: []int{0}}.Changes(), claim.Claim{Keep: []int{0}, Release: []int{1}}.Changes())
	// Output: false true
}

// The owner that the cache knows may have been deleted and created anew.
func ExampleCheckLive() {
	owner := web()
	fmt.Println(claim.CheckLive(&owner, claim.OwnerNow{UID: "u1"}).OK)
	recreated := claim.CheckLive(&owner, claim.OwnerNow{UID: "u2"})
	fmt.Println(recreated.OK, recreated.Err)
	// Output:
	// true
	// false can't recheck DeletionTimestamp: original ReplicaSet default/web is gone: got uid u2, wanted u1
}

// Without a live check orphans are not adopted, and what is released is released.
func ExampleResolve() {
	owner := web()
	n, child := list([]claim.Child{pod("orphan", "web", ""), pod("relabelled", "debug", "u1")})
	r := claim.Resolve(&owner, claim.Classify(&owner, n, child), child, claim.LiveCheck{})
	fmt.Println(r.Actions, r.Failures)
	r = claim.Resolve(&owner, claim.Classify(&owner, n, child), child, claim.LiveCheck{OK: true})
	fmt.Println(len(r.Actions), len(r.Failures))
	// Output:
	// [Released Pod default/relabelled (NoMatch)] [can't adopt Pod default/orphan (uid-orphan): the owner has not been read from the API server]
	// 2 0
}

// The first orphan was gone, another controller was faster with the second.
func ExampleApplyOutcome() {
	owner := web()
	n, child := list([]claim.Child{pod("gone", "web", ""), pod("lost", "web", ""), pod("owned", "web", "u1")})
	r := claim.Resolve(&owner, claim.Classify(&owner, n, child), child, claim.LiveCheck{OK: true})
	claimed, err := claim.ApplyOutcome(r, []kplan.Outcome{{Answer: kplan.NotFound}, {Answer: kplan.Invalid}})
	fmt.Println("claimed", claimed, err)
	// Output: claimed [2] the API server answered Invalid
}

func ExampleAdoptChild_Patch() {
	owner := web()
	fmt.Printf("%s\n", claim.AdoptChild{Name: "web-1", UID: "p1", Reference: owner.Reference()}.Patch())
	// Output: {"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u1","controller":true,"blockOwnerDeletion":true}],"uid":"p1"}}
}

// The UID makes sure that another pod of this name is left alone.
func ExampleReleaseChild_Patch() {
	fmt.Printf("%s\n", claim.ReleaseChild{Name: "web-1", UID: "p1", OwnerUID: "u1"}.Patch())
	// Output: {"metadata":{"uid":"p1","ownerReferences":[{"$patch":"delete","uid":"u1"}]}}
}

func ExampleProject() {
	owner, orphan := web(), pod("orphan", "web", "")
	adopted := claim.Project(orphan, claim.AdoptChild{Reference: owner.Reference()})
	fmt.Println(adopted.ControllerKind, adopted.ControllerName, claim.Decide(&owner, &adopted))
	// Output: ReplicaSet web Keep (Owned)
}
