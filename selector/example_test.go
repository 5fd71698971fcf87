package selector_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan/selector"
)

func ExampleParse() {
	s, err := selector.Parse("tier in (front,back), app=web, !canary")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)

	_, err = selector.Parse("app=web,tier=")
	fmt.Println(err)
	_, err = selector.Parse("app=-,tier")
	var field *selector.FieldError
	if errors.As(err, &field) {
		fmt.Println(field.Path, field.Value)
	}
	_, err = selector.Parse("app web")
	fmt.Println(err)
	// Output:
	// app=web,!canary,tier in (back,front)
	// <nil>
	// values[0][app] -
	// unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt
}

func ExampleSelector_Matches() {
	s, _ := selector.FromLabelSelector(&selector.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.NotIn, Values: []string{"db"}}},
	})
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "front"}))
	fmt.Println(s.Matches(map[string]string{"app": "web"})) // NotIn does not need the label
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "db"}))

	nothing, _ := selector.FromLabelSelector(nil)
	everything, _ := selector.FromLabelSelector(&selector.LabelSelector{})
	fmt.Println(nothing.Matches(nil), everything.Matches(nil))
	// Output:
	// true
	// true
	// false
	// false true
}

func ExampleOverlap() {
	a, _ := selector.Parse("env=prod")
	b, _ := selector.Parse("env in (prod,test),region=us")
	c, _ := selector.Parse("env=test")

	labels, ok := selector.Overlap(a, b)
	fmt.Println(ok, selector.FormatLabels(labels))
	labels, ok = selector.Overlap(a, c)
	fmt.Println(ok, selector.FormatLabels(labels))
	// Output:
	// true env=prod,region=us
	// false <none>
}

func ExampleCompare() {
	a, _ := selector.Parse("!tier")
	b, _ := selector.Parse("tier notin (db)")
	c := selector.Compare(a, b)
	fmt.Println(c.Relation, "for example", selector.FormatLabels(c.OnlyB))
	// Output: Inside for example tier=
}

func ExampleContradictions() {
	s, _ := selector.Parse("app=web,tier in (a,b),tier!=a,env=prod,tier!=b")
	for _, c := range selector.Contradictions(s) {
		fmt.Println(c.Key, c.Requirements)
	}
	// Output: tier [tier in (a,b) tier!=a tier!=b]
}

// A ReplicaSet adopts an orphan and lets go of a pod whose label was changed.
func ExampleClassify() {
	s, _ := selector.Parse("app=web")
	owner := selector.Owner{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "default", Name: "web", UID: "u1", Selector: s,
	}
	pods := []selector.Child{
		{Namespace: "default", Name: "kept", UID: "p1", ControllerUID: "u1", Labels: map[string]string{"app": "web"}},
		{Namespace: "default", Name: "orphan", UID: "p2", Labels: map[string]string{"app": "web"}},
		{Namespace: "default", Name: "quarantined", UID: "p3", ControllerUID: "u1", Labels: map[string]string{"app": "debug"}},
		{Namespace: "default", Name: "foreign", UID: "p4", ControllerUID: "u9", Labels: map[string]string{"app": "web"}},
	}
	pod := func(i int) selector.Child { return pods[i] }
	for i := range pods {
		fmt.Println(pods[i].Name, selector.Decide(&owner, &pods[i]))
	}

	claim := selector.Classify(&owner, len(pods), pod)
	live := selector.CheckLive(&owner, selector.OwnerNow{UID: "u1"}) // read from the API server, since claim.NeedsLiveCheck()
	resolution := selector.Resolve(&owner, claim, pod, live)
	for _, a := range resolution.Actions {
		fmt.Printf("%v\n%s\n", a, a.Patch())
	}
	claimed, err := selector.ApplyOutcome(resolution, []selector.Outcome{{Answer: selector.Done}, {Answer: selector.Done}})
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

func ExampleNodeMatcher_Match() {
	m, err := selector.CompileNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
		{MatchExpressions: []selector.Expression{{Key: "cpus", Operator: selector.Gt, Values: []string{"15"}}}},
		{MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{"node-7"}}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Match("node-1", map[string]string{"cpus": "16"}))
	fmt.Println(m.Match("node-7", nil))
	fmt.Println(m.Match("node-2", map[string]string{"cpus": "many"}))
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}
