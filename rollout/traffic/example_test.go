// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// show prints where each rule leads.
func show(rules []traffic.Rule) {
	for i, r := range rules {
		fmt.Print(i, ":")
		for _, b := range r.BackendRefs {
			fmt.Print(" ", b.Name)
			if b.Weight != nil {
				fmt.Print("=", *b.Weight)
			}
		}
		for _, m := range r.Matches {
			fmt.Print(" if ", m.Headers)
		}
		fmt.Println()
	}
}

// A fifth of the requests to web goes to the canary; what leads elsewhere stays.
func ExampleWeighted() {
	rules := []traffic.Rule{
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}},
		{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "api"}}},
	}
	show(traffic.Weighted(rules, "web", "web-canary", 20))
	// Output:
	// 0: web=80 web-canary=20
	// 1: api
}

// When the rollout is over nothing leads to the canary any more.
func ExampleRestored() {
	rules := []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}
	rules = traffic.Weighted(rules, "web", "web-canary", 20)
	show(traffic.Restored(rules, "web", "web-canary", false))
	// Output: 0: web=1
}

// Testers are led to the canary by a header, all others stay on web.
func ExampleMatched() {
	rules := []traffic.Rule{{
		Matches:     []traffic.Match{{Path: &traffic.PathMatch{Value: "/"}}},
		BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}},
	}}
	testers := []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "x-tester", Value: "yes"}}}}
	show(traffic.Matched(rules, "web", "web-canary", testers, false))
	// Output:
	// 0: web if []
	// 1: web-canary if [{ x-tester yes}]
}

// A rule may be changed without touching the one that a cache holds.
func ExampleRule_Clone() {
	weight := int32(100)
	cached := traffic.Rule{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web", Weight: &weight}}}
	mine := cached.Clone()
	*mine.BackendRefs[0].Weight = 80
	show([]traffic.Rule{cached, mine})
	// Output:
	// 0: web=100
	// 1: web=80
}

func ExampleIngressClasses() {
	for _, c := range traffic.IngressClasses() {
		fmt.Println(c.Name, c.Prefix)
	}
	// Output:
	// nginx nginx.ingress.kubernetes.io/
	// aliyun-alb alb.ingress.kubernetes.io/
	// higress nginx.ingress.kubernetes.io/
	// mse nginx.ingress.kubernetes.io/
}

// A step sends a tenth of the requests to the canary, and those of testers as well. The
// cookie of an earlier step goes.
func ExampleIngressClass_Annotations() {
	nginx := traffic.IngressClasses()[0]
	step := traffic.Strategy{
		Traffic: rollout.Percent(10),
		Matches: []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "x-tester", Value: "yes"}}}},
	}
	earlier := map[string]string{"nginx.ingress.kubernetes.io/canary-by-cookie": "beta"}
	annotations := nginx.Annotations(earlier, step)
	fmt.Println(len(annotations))
	for _, suffix := range []string{"canary", "canary-weight", "canary-by-header", "canary-by-header-value"} {
		fmt.Println(suffix, annotations[nginx.Prefix+suffix])
	}
	// Output:
	// 4
	// canary true
	// canary-weight 10
	// canary-by-header x-tester
	// canary-by-header-value yes
}
