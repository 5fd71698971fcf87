// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"fmt"

	"github.com/kplan-go/kplan/selector"
)

// With NUL the text ends at the byte, and what follows is lost, as in Kubernetes.
func ExampleParseWith() {
	text := "app=web \x00,tier=db"
	_, err := selector.ParseWith(text, selector.ParseOptions{})
	fmt.Println(err != nil)
	s, err := selector.ParseWith(text, selector.ParseOptions{NUL: true})
	fmt.Println(s, err)
	// Output:
	// true
	// app=web <nil>
}

func ExampleParseRequirements() {
	requirements, err := selector.ParseRequirements("tier in (front,back),app=web")
	for _, r := range requirements {
		fmt.Println(r.Key(), r.Op(), r.Values())
	}
	fmt.Println(err)
	// Output:
	// app = [web]
	// tier in [back front]
	// <nil>
}

func ExampleFromMap() {
	fmt.Println(selector.FromMap(map[string]string{"tier": "front", "app": "web"}))
	fmt.Println(selector.FromMap(nil).Describe())
	// Output:
	// app=web,tier=front
	// everything
}

// Of several bad labels the first by key is named, and all are in the fields.
func ExampleFromValidMap() {
	s, err := selector.FromValidMap(map[string]string{"app": "web"})
	fmt.Println(s, err)
	_, err = selector.FromValidMap(map[string]string{"app": "-", "tier": "-"})
	fmt.Println(len(err.(*selector.Error).Fields))
	// Output:
	// app=web <nil>
	// 2
}

// No labels at all select nothing here, and everything in FromMap.
func ExampleFromLabels() {
	fmt.Println(selector.FromLabels(map[string]string{"app": "web"}).MatchLabels)
	fmt.Println(selector.FromLabels(nil) == nil)
	// Output:
	// map[app:web]
	// true
}

func ExampleFromLabelSelector() {
	s, err := selector.FromLabelSelector(&selector.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []selector.Expression{{Key: "track", Operator: selector.DoesNotExist}},
	})
	fmt.Println(s, err)
	_, err = selector.FromLabelSelector(&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "cpus", Operator: selector.Gt, Values: []string{"8"}}}})
	fmt.Println(err)
	// Output:
	// app=web,!track <nil>
	// "Gt" is not a valid label selector operator
}

// Label selectors of the API know no >.
func ExampleSelector_LabelSelector() {
	s, _ := selector.Parse("app=web,tier!=db")
	ls, err := s.LabelSelector()
	fmt.Println(ls.MatchLabels, ls.MatchExpressions, err)
	s, _ = selector.Parse("cpus>8")
	_, err = s.LabelSelector()
	fmt.Println(err != nil)
	// Output:
	// map[app:web] [{tier NotIn [db]}] <nil>
	// true
}

func ExampleParseLabelSelector() {
	ls, err := selector.ParseLabelSelector("app=web,tier in (front,back)")
	fmt.Println(ls.MatchLabels, ls.MatchExpressions, err)
	// Output: map[app:web] [{tier In [back front]}] <nil>
}

// What a ReplicationController can say: labels, and lists of one value.
func ExampleLabelSelector_Map() {
	ls := selector.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []selector.Expression{{Key: "tier", Operator: selector.In, Values: []string{"front"}}},
	}
	fmt.Println(ls.Map())
	ls.MatchExpressions[0].Operator = selector.NotIn
	_, err := ls.Map()
	fmt.Println(err != nil)
	// Output:
	// map[app:web tier:front] <nil>
	// true
}

// The selector of a ReplicaSet is that of its Deployment with the hash of the template.
func ExampleLabelSelector_WithLabel() {
	web := selector.FromLabels(map[string]string{"app": "web"})
	fmt.Println(selector.Format(web.WithLabel("pod-template-hash", "7d4c665cf7")))
	fmt.Println(selector.Format(web))
	// Output:
	// app=web,pod-template-hash=7d4c665cf7
	// app=web
}

func ExampleNewRequirement() {
	r, err := selector.NewRequirement("tier", selector.OpIn, []string{"front", "back"})
	fmt.Println(r, err)
	_, err = selector.NewRequirement("tier", selector.OpIn, nil)
	fmt.Println(err != nil)
	// Output:
	// tier in (back,front) <nil>
	// true
}

// must returns a requirement that is known to be right.
func must(key string, op selector.Op, values ...string) selector.Requirement {
	r, err := selector.NewRequirement(key, op, values)
	if err != nil {
		fmt.Println(err)
	}
	return r
}

func ExampleRequirement_Key() {
	fmt.Println(must("tier", selector.OpNotEquals, "db").Key())
	// Output: tier
}

// The text form tells = from "in" with one value.
func ExampleRequirement_Op() {
	fmt.Println(must("tier", selector.OpEquals, "db").Op(), must("tier", selector.OpIn, "db").Op())
	// Output: = in
}

// The values stay in their order, though the text of a requirement sorts them.
func ExampleRequirement_Values() {
	r := must("tier", selector.OpIn, "front", "back")
	fmt.Println(r.Values(), r)
	// Output: [front back] tier in (back,front)
}

func ExampleRequirement_Equal() {
	a, b := must("tier", selector.OpIn, "x", "y"), must("tier", selector.OpIn, "y", "x")
	fmt.Println(a.Equal(a), a.Equal(b))
	// Output: true false
}

// notin is satisfied by labels without the key, > is not.
func ExampleRequirement_Matches() {
	labels := map[string]string{"cpus": "16"}
	fmt.Println(must("cpus", selector.OpGreater, "8").Matches(labels), must("cpus", selector.OpGreater, "8").Matches(nil))
	fmt.Println(must("tier", selector.OpNotIn, "db").Matches(labels))
	// Output:
	// true false
	// true
}

func ExampleEverything() {
	s := selector.Everything()
	fmt.Println(s.Matches(nil), s.Matches(map[string]string{"app": "web"}))
	// Output: true true
}

func ExampleNothing() {
	s := selector.Nothing()
	fmt.Println(s.Matches(nil), s.Matches(map[string]string{"app": "web"}))
	// Output: false false
}

func ExampleOf() {
	s := selector.Of(must("tier", selector.OpExists), must("app", selector.OpEquals, "web"))
	fmt.Println(s)
	// Output: app=web,tier
}

// Whatever is demanded beyond nothing still selects nothing.
func ExampleSelector_Add() {
	stable := must("track", selector.OpNotEquals, "canary")
	fmt.Println(selector.FromMap(map[string]string{"app": "web"}).Add(stable))
	fmt.Println(selector.Nothing().Add(stable).Describe())
	// Output:
	// app=web,track!=canary
	// nothing
}

// An empty selector selects everything, but a controller that has one adopts nothing.
func ExampleSelector_Selects() {
	web := map[string]string{"app": "web"}
	empty := selector.Everything()
	fmt.Println(empty.Matches(web), empty.Selects(web), selector.FromMap(web).Selects(web))
	// Output: true false true
}

// A selector that contradicts itself is not Nothing, though it selects nothing.
func ExampleSelector_IsNothing() {
	s, _ := selector.Parse("app=web,app=api")
	fmt.Println(selector.Nothing().IsNothing(), s.IsNothing())
	// Output: true false
}

func ExampleSelector_IsEverything() {
	s, _ := selector.Parse("")
	fmt.Println(s.IsEverything(), selector.FromMap(nil).IsEverything(), selector.Nothing().IsEverything())
	// Output: true true false
}

func ExampleSelector_Requirements() {
	s, _ := selector.Parse("tier,app=web")
	for _, r := range s.Requirements() {
		fmt.Println(r)
	}
	// Output:
	// app=web
	// tier
}

// Selectors that select the same may still differ.
func ExampleSelector_Equal() {
	a, _ := selector.Parse("app=web,tier")
	b, _ := selector.Parse("tier,app=web")
	c, _ := selector.Parse("app in (web),tier")
	fmt.Println(a.Equal(b), a.Equal(c))
	// Output: true false
}

func ExampleSelector_Describe() {
	fmt.Println(selector.Everything().Describe(), selector.Nothing().Describe())
	fmt.Printf("%q %q\n", selector.Everything(), selector.Nothing())
	// Output:
	// everything nothing
	// "" ""
}

func ExampleSelector_ExactMatch() {
	s, _ := selector.Parse("app=web,tier in (front,back)")
	fmt.Println(s.ExactMatch("app"))
	_, ok := s.ExactMatch("tier")
	fmt.Println(ok)
	// Output:
	// web true
	// false
}

func ExampleNewIndex() {
	web, _ := selector.Parse("app=web")
	front, _ := selector.Parse("app=web,tier=front")
	api, _ := selector.Parse("app=api")
	x := selector.NewIndex([]selector.Selector{web, front, api})
	fmt.Println(x.Matching(map[string]string{"app": "web", "tier": "front"}, nil))
	// Output: [0 1]
}

// The numbers are appended, so that one slice serves many look-ups.
func ExampleIndex_Matching() {
	web, _ := selector.Parse("app=web")
	api, _ := selector.Parse("app=api")
	x := selector.NewIndex([]selector.Selector{web, api})
	var found []int
	for _, app := range []string{"web", "api", "db"} {
		found = x.Matching(map[string]string{"app": app}, found[:0])
		fmt.Println(app, found)
	}
	// Output:
	// web [0]
	// api [1]
	// db []
}
