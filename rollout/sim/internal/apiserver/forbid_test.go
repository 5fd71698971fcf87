// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

const gi = 1 << 30

// templates are of pods that request half a CPU and 1 Gi and are limited to 1 CPU and 2 Gi, that want a
// GPU and nothing else, and whose container c1 sets no limit of CPU and no request of memory.
var templates = map[string]cluster.Template{
	"web":  {Needs: []int64{500, gi, 1}, Limits: []int64{1000, 2 * gi}},
	"gpu":  {Needs: []int64{0, 0, 1, 2}, PriorityClass: "high", Unset: map[string][]string{"requests.cpu": {"b", "a", "a"}}},
	"lax":  {Needs: []int64{500}, Unset: map[string][]string{"limits.cpu": {"c1"}, "requests.memory": {"c1", "c2"}}},
	"huge": {Refused: "maximum cpu usage per Container is 1, but limit is 2"},
}

// quotasWith returns quotas, and a store with pods of templates in the namespace shop.
func quotasWith(list []cluster.Quota, pods ...string) (*Quotas, *store.Store) {
	s := store.New()
	q := NewQuotas(s, []string{"cpu", "memory", "pods", "nvidia.com/gpu"}, 100)
	q.TemplateOf = func(p *store.Pod) cluster.Template { return templates[p.Template] }
	for i, t := range pods {
		p := podOf(t)
		p.Name += fmt.Sprint(i)
		s.Pods.Insert(store.Cause{}, p)
	}
	for _, o := range list {
		q.Put(o)
	}
	return q, s
}

func podOf(template string) *store.Pod {
	p := &store.Pod{Template: template}
	p.Name = "shop/web-xyz"
	return p
}

// TestForbids: the API server's words for each thing that a pod of a template may not have.
func TestForbids(t *testing.T) {
	hard := func(name string, amounts ...any) cluster.Quota {
		q := cluster.Quota{Name: name, Hard: map[string]int64{}}
		for i := 0; i < len(amounts); i += 2 {
			amount, large := amounts[i+1].(int64)
			if !large {
				amount = int64(amounts[i+1].(int))
			}
			q.Hard[amounts[i].(string)] = amount
		}
		return q
	}
	scoped := func(q cluster.Quota, scopes ...cluster.QuotaScope) cluster.Quota {
		q.Scopes = scopes
		return q
	}
	none := hard("shop/none", "pods", 0)
	const exceeded = "exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0"
	for _, tt := range []struct {
		name   string
		quotas []cluster.Quota
		there  []string
		of     string
		want   string
	}{
		{"a last one", []cluster.Quota{hard("shop/team", "pods", 3)}, []string{"web", "gpu"}, "web", ""},
		{"one too many", []cluster.Quota{hard("shop/team", "pods", 2)}, []string{"web", "gpu"}, "web", "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2"},
		{"of another namespace", []cluster.Quota{hard("team", "pods", 0), hard("other/team", "pods", 0)}, nil, "web", ""},
		{"all that is exceeded, in one message", []cluster.Quota{hard("shop/team", "requests.cpu", 1400, "limits.memory", int64(5*gi), "pods", 2, "count/pods", 9, "memory", int64(2*gi+1))}, []string{"web", "web"}, "web",
			"exceeded quota: team, requested: limits.memory=2Gi,memory=1Gi,pods=1,requests.cpu=500m, used: limits.memory=4Gi,memory=2Gi,pods=2,requests.cpu=1, limited: limits.memory=5Gi,memory=2147483649,pods=2,requests.cpu=1400m"},
		{"exactly all", []cluster.Quota{hard("shop/team", "requests.cpu", 1500, "limits.memory", int64(6*gi), "pods", 3)}, []string{"web", "web"}, "web", ""},
		{"the first by its name", []cluster.Quota{hard("shop/b", "pods", 0), hard("shop/a", "cpu", 499)}, nil, "web", "exceeded quota: a, requested: cpu=500m, used: cpu=0, limited: cpu=499m"},
		{"what the pod takes nothing of", []cluster.Quota{hard("shop/team", "requests.nvidia.com/gpu", 1)}, []string{"gpu"}, "web", ""},
		{"devices", []cluster.Quota{hard("shop/team", "requests.nvidia.com/gpu", 3)}, []string{"gpu"}, "gpu", "exceeded quota: team, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=2, limited: requests.nvidia.com/gpu=3"},
		{"what is no resource of pods", []cluster.Quota{hard("shop/team", "services", 0, "requests.storage", 0, "count/replicasets.apps", 0)}, nil, "web", ""},
		{"a container without what is counted", []cluster.Quota{hard("shop/team", "requests.cpu", 10000, "limits.cpu", 10000, "memory", int64(10*gi))}, nil, "lax",
			"failed quota: team: must specify limits.cpu for: c1; memory for: c1,c2"},
		{"names of containers once each", []cluster.Quota{hard("shop/team", "cpu", 10000)}, nil, "gpu", "failed quota: team: must specify cpu for: a,b"},
		{"what is not set before what is exceeded", []cluster.Quota{hard("shop/a", "pods", 0), hard("shop/b", "limits.cpu", 10000)}, nil, "lax", "failed quota: b: must specify limits.cpu for: c1"},
		{"a limit range before a quota", []cluster.Quota{none}, nil, "huge", "maximum cpu usage per Container is 1, but limit is 2"},
		{"no quota", nil, nil, "huge", "maximum cpu usage per Container is 1, but limit is 2"},
		{"best effort", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "BestEffort"})}, nil, "gpu", exceeded},
		{"not best effort", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "BestEffort"})}, nil, "web", ""},
		{"the other way round", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "NotBestEffort"})}, nil, "gpu", ""},
		{"a deadline, which pods here have not", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "Terminating"})}, nil, "web", ""},
		{"both scopes", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "NotTerminating"}, cluster.QuotaScope{Name: "NotBestEffort"})}, nil, "web", exceeded},
		{"a class", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "PriorityClass", Operator: "In", Values: []string{"low", "high"}})}, nil, "gpu", exceeded},
		{"no class", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "PriorityClass", Operator: "In", Values: []string{"", "high"}})}, nil, "web", ""},
		{"any class", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "PriorityClass"})}, nil, "web", ""},
		{"any other class", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "PriorityClass", Operator: "NotIn", Values: []string{"high"}})}, nil, "web", exceeded},
		{"without a class", []cluster.Quota{scoped(none, cluster.QuotaScope{Name: "PriorityClass", Operator: "DoesNotExist"})}, nil, "gpu", ""},
		{"used by others", []cluster.Quota{{Name: "shop/team", Hard: map[string]int64{"pods": 6}, Used: map[string]int64{"pods": 6}}}, []string{"web", "web"}, "web", "exceeded quota: team, requested: pods=1, used: pods=6, limited: pods=6"},
		{"said to be used is less than is there", []cluster.Quota{{Name: "shop/team", Hard: map[string]int64{"pods": 2}, Used: map[string]int64{"pods": 1}}}, []string{"web", "web"}, "web", "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, _ := quotasWith(tt.quotas, tt.there...)
			want := tt.want
			if want != "" {
				want = `pods "web-xyz" is forbidden: ` + want
			}
			require.Equal(t, want, q.Forbids(podOf(tt.of)))
		})
	}
}

// TestQuotaUsage: usage follows the pods by difference. Of six used pods four are of others, also after
// the quota is raised; a finished pod is one of count/pods only.
func TestQuotaUsage(t *testing.T) {
	team := cluster.Quota{Name: "shop/team", Hard: map[string]int64{"pods": 9, "count/pods": 9, "limits.cpu": 9000}, Used: map[string]int64{"pods": 6}}
	q, s := quotasWith([]cluster.Quota{team}, "web", "web")
	require.Equal(t, map[string]int64{"pods": 6, "count/pods": 2, "limits.cpu": 2000}, q.List()[0].Used)
	e := s.Pods.Entry("shop/web-xyz0")
	finished := *e.Now
	finished.Phase = podorder.Failed
	s.Pods.Replace(store.Cause{}, e, &finished)
	require.Equal(t, map[string]int64{"pods": 5, "count/pods": 2, "limits.cpu": 1000}, q.List()[0].Used)
	updated := finished
	updated.Phase, updated.Template = podorder.Running, "gpu"
	s.Pods.Replace(store.Cause{}, e, &updated)
	require.Equal(t, map[string]int64{"pods": 6, "count/pods": 2, "limits.cpu": 1000}, q.List()[0].Used, "in place")
	s.Pods.Remove(store.Cause{}, e)
	s.Pods.Remove(store.Cause{}, s.Pods.Entry("shop/web-xyz1"))
	team.Used = nil
	q.Put(team)
	require.Equal(t, map[string]int64{"pods": 4, "count/pods": 0, "limits.cpu": 0}, q.List()[0].Used)

	idle := cluster.Quota{Name: "shop/idle", Hard: map[string]int64{"pods": 9}, Scopes: []cluster.QuotaScope{{Name: cluster.ScopeBestEffort}}}
	q, _ = quotasWith([]cluster.Quota{idle}, "web", "gpu", "gpu")
	require.Equal(t, map[string]int64{"pods": 2}, q.List()[0].Used, "pods of its scope")
}

// TestQuantity: amounts are written as Kubernetes writes them.
func TestQuantity(t *testing.T) {
	for _, tt := range []struct {
		resource string
		n        int64
		want     string
	}{
		{"pods", 0, "0"}, {"pods", 1024, "1024"}, {"pods", 5000, "5k"}, {"cpu", 1500, "1500m"}, {"limits.cpu", 2000, "2"}, {"requests.cpu", 1000_000, "1k"},
		{"requests.memory", 1 << 29, "512Mi"}, {"memory", 512_000_000, "512M"}, {"limits.memory", 1000, "1k"}, {"memory", 1, "1"}, {"memory", 3 * gi / 2, "1536Mi"},
		{"limits.ephemeral-storage", 1 << 40, "1Ti"}, {"requests.example.com/cpu", 3, "3"}, {"requests.hugepages-2Mi", 1 << 22, "4Mi"},
	} {
		require.Equal(t, tt.want, quantity(tt.resource, tt.n), "%s %d", tt.resource, tt.n)
	}
}
