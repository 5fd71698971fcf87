// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Forbids returns the message with which the API server refuses a new pod; "" if it accepts it.
// A limit range is reported before a quota, and a request or limit that is not set before an exceeded
// quota.
func (q *Quotas) Forbids(p *store.Pod) string {
	t := q.template(p)
	why := t.Refused
	if list := q.within[Namespace(p.Name)]; why == "" && len(list) > 0 {
		why = q.violated(&t, list)
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("pods %q is forbidden: %s", withoutNamespace(p.Name), why)
}

// violated returns the message of the first quota of a list that refuses a pod, or "".
func (q *Quotas) violated(t *cluster.Template, list []*quota) string {
	list = slices.DeleteFunc(slices.Clone(list), func(of *quota) bool { return len(of.of) == 0 || !inScope(of.Scopes, t, q.resources) })
	for _, of := range list {
		if why := of.unset(t); why != "" {
			return why
		}
	}
	for _, of := range list {
		if why := of.exceeded(t); why != "" {
			return why
		}
	}
	return ""
}

// unset returns the message about resources of a quota that containers do not set.
func (of *quota) unset(t *cluster.Template) string {
	var lacks []string
	for _, r := range of.of {
		if containers := t.Unset[r.unset]; r.unset != "" && len(containers) > 0 {
			names := slices.Sorted(slices.Values(containers))
			lacks = append(lacks, r.name+" for: "+strings.Join(slices.Compact(names), ","))
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("failed quota: %s: must specify %s", withoutNamespace(of.Name), strings.Join(lacks, "; "))
}

// exceeded returns the message about resources of which a pod takes more than a quota has left.
// Resources that the pod does not use are ignored.
func (of *quota) exceeded(t *cluster.Template) string {
	var requested, used, limited []string
	for _, r := range of.of {
		takes, taken, hard := r.takes(t), r.others+r.used, of.Hard[r.name]
		if takes == 0 || takes <= hard-taken {
			continue
		}
		requested = append(requested, r.name+"="+quantity(r.name, takes))
		used = append(used, r.name+"="+quantity(r.name, taken))
		limited = append(limited, r.name+"="+quantity(r.name, hard))
	}
	if len(requested) == 0 {
		return ""
	}
	return fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", withoutNamespace(of.Name),
		strings.Join(requested, ","), strings.Join(used, ","), strings.Join(limited, ","))
}

func withoutNamespace(name string) string { return name[strings.Index(name, "/")+1:] }
