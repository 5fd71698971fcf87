// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// validQuotas notes amounts below 0, and unknown scopes.
func validQuotas(s *cluster.Snapshot, errs *kplan.FieldErrors) {
	named(errs, "Quotas", s.Quotas, func(o *cluster.Quota) string { return o.Name })
	for i := range s.Quotas {
		validQuota(&s.Quotas[i], errs)
	}
	for id, t := range s.Templates {
		path := kplan.ElementPath("Templates", id)
		notBelow0(errs, path+".Needs", t.Needs)
		notBelow0(errs, path+".Limits", t.Limits)
	}
}

func validQuota(q *cluster.Quota, errs *kplan.FieldErrors) {
	path := kplan.ElementPath("Quotas", q.Name)
	for _, l := range []struct {
		path    string
		amounts map[string]int64
	}{{path + ".Hard", q.Hard}, {path + ".Used", q.Used}} {
		for _, name := range slices.Sorted(maps.Keys(l.amounts)) {
			if n := l.amounts[name]; n < 0 {
				errs.Add(kplan.ElementPath(l.path, name), n, "must not be negative")
			}
		}
	}
	for _, s := range q.Scopes {
		scope := kplan.ElementPath(path+".Scopes", s.Name)
		switch s.Name {
		case cluster.ScopeTerminating, cluster.ScopeNotTerminating, cluster.ScopeBestEffort, cluster.ScopeNotBestEffort, cluster.ScopePriorityClass:
		default:
			errs.Add(scope+".Name", s.Name, "must be a scope of pods")
		}
		if !slices.Contains([]string{"", "In", "NotIn", "Exists", "DoesNotExist"}, s.Operator) {
			errs.Add(scope+".Operator", s.Operator, "must be In, NotIn, Exists or DoesNotExist")
		}
	}
}

// notBelow0 notes amounts below 0.
func notBelow0(errs *kplan.FieldErrors, path string, amounts []int64) {
	for _, n := range amounts {
		if n < 0 {
			errs.Add(path, n, "must not be negative")
		}
	}
}
