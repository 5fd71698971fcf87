// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// What an earlier step asked for goes, and what somebody else has written stays. Each class has
// the annotations of its script, which for mse takes those of queries from one prefix and
// writes them to the other.
func TestAnnotationsOfEachClass(t *testing.T) {
	const nginx, alb, mse = "nginx.ingress.kubernetes.io/", "alb.ingress.kubernetes.io/", "mse.ingress.kubernetes.io/"
	earlier := map[string]string{"example.com/team": "web", mse + "service-subset": "stable"}
	for _, prefix := range []string{nginx, alb, mse} {
		for _, suffix := range []string{
			"by-cookie", "by-header", "by-header-pattern", "by-header-value", "weight", "by-query", "by-query-pattern", "by-query-value",
		} {
			earlier[prefix+"canary-"+suffix] = "earlier"
		}
	}
	gone := func(prefix string) []string {
		return []string{prefix + "canary-by-cookie", prefix + "canary-by-header", prefix + "canary-by-header-pattern", prefix + "canary-by-header-value", prefix + "canary-weight"}
	}
	without := func(gone []string, set map[string]string) map[string]string {
		left := maps.Clone(earlier)
		for _, key := range gone {
			delete(left, key)
		}
		maps.Copy(left, set)
		return left
	}
	nginxStep := map[string]string{
		nginx + "canary": "true", nginx + "canary-weight": "20", nginx + "canary-by-cookie": "always",
		nginx + "canary-by-header": "tester", nginx + "canary-by-header-pattern": "a.*",
	}
	mseStep := map[string]string{
		nginx + "canary-by-query": "q", nginx + "canary-by-query-value": "1", mse + "service-subset": "gray", mse + "request-header-control-update": "a 1b 2",
	}
	maps.Copy(mseStep, nginxStep)
	removedByMSE := append(gone(nginx), mse+"canary-by-query", mse+"canary-by-query-pattern", mse+"canary-by-query-value")
	for _, c := range []struct {
		class      string
		none, step map[string]string
	}{
		{"nginx", without(gone(nginx), map[string]string{nginx + "canary": "true"}), without(gone(nginx), nginxStep)},
		{"higress", without(gone(nginx), map[string]string{nginx + "canary": "true"}), without(gone(nginx), nginxStep)},
		{
			"aliyun-alb",
			without(gone(alb), map[string]string{alb + "canary": "true", alb + "order": "1"}),
			without(gone(alb), map[string]string{
				alb + "canary": "true", alb + "order": "1", alb + "canary-weight": "20", alb + "canary-by-cookie": "always",
				alb + "canary-by-header": "tester", alb + "canary-by-header-pattern": "a.*",
			}),
		},
		{
			"mse",
			without(removedByMSE, map[string]string{nginx + "canary": "true", mse + "service-subset": "gray"}),
			without(removedByMSE, mseStep),
		},
	} {
		class := classOf(t, c.class)
		require.Equal(t, c.none, class.Annotations(earlier, traffic.Strategy{}), c.class)
		require.Equal(t, c.step, class.Annotations(earlier, traffic.Strategy{
			Traffic:               rollout.Percent(20),
			RequestHeaderModifier: &traffic.HeaderModifier{Set: []traffic.Header{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}},
			Matches: []traffic.Match{
				{Headers: []traffic.ValueMatch{{Name: "canary-by-cookie", Value: "always"}, {Name: "second", Value: "does not count"}}},
				{
					Headers:     []traffic.ValueMatch{{Type: "RegularExpression", Name: "tester", Value: "a.*"}},
					QueryParams: []traffic.ValueMatch{{Name: "q", Value: "1"}, {Name: "second", Value: "does not count"}},
				},
			},
		}), c.class)
	}
	require.Equal(t, map[string]string{nginx + "canary": "true"}, classOf(t, "mse").Annotations(nil, traffic.Strategy{}), "no subset is made up")
}

func classOf(t *testing.T, name string) traffic.IngressClass {
	for _, c := range traffic.IngressClasses() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no class %s", name)
	return traffic.IngressClass{}
}
