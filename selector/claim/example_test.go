package claim_test

import (
	"fmt"

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
	claimed, err := claim.ApplyOutcome(resolution, []selector.Outcome{{Answer: selector.Done}, {Answer: selector.Done}})
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
