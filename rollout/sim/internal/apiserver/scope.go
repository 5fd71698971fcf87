// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// inScope reports whether the pods of a template match all scopes.
func inScope(scopes []cluster.QuotaScope, t *cluster.Template, resources map[string]int) bool {
	for _, s := range scopes {
		in := false
		switch s.Name {
		case cluster.ScopeNotTerminating:
			in = true
		case cluster.ScopeBestEffort:
			in = bestEffort(t, resources)
		case cluster.ScopeNotBestEffort:
			in = !bestEffort(t, resources)
		case cluster.ScopePriorityClass:
			in = inClass(s, t.PriorityClass)
		}
		if !in {
			return false
		}
	}
	return true
}

func inClass(s cluster.QuotaScope, class string) bool {
	switch s.Operator {
	case "In":
		return class != "" && slices.Contains(s.Values, class)
	case "NotIn":
		return class == "" || !slices.Contains(s.Values, class)
	case "DoesNotExist":
		return class == ""
	}
	return class != ""
}

// bestEffort reports whether pods request and limit neither CPU nor memory.
func bestEffort(t *cluster.Template, resources map[string]int) bool {
	for _, name := range [...]string{"cpu", "memory"} {
		if i, known := resources[name]; known && (amountAt(t.Needs, i) != 0 || amountAt(t.Limits, i) != 0) {
			return false
		}
	}
	return true
}
