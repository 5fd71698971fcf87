// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/podorder"
)

// A clone is a pod of a CloneSet as it is recorded. Available and rank are there only where
// the caller has set the hooks for them.
type clone struct {
	Name, UID, Node, Phase string
	Ready                  bool
	ReadySince, Created    int64
	Restarts               int32
	DeletionCost           *string
	Available              *bool
	Rank                   *float64
}

func seconds(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(n, 0)
}

// cloneOrder is the order of a CloneSet: Kubernetes' order, with availability from its hooks before
// readiness, and their rank instead of neighbours.
func cloneOrder(clones []clone) (podorder.Order, []podorder.Pod) {
	hooks, pods := map[string]clone{}, []podorder.Pod{}
	for i, c := range clones {
		p := podorder.Pod{
			Name: c.Name, UID: c.UID, NodeName: c.Node, Phase: podorder.Phase(c.Phase), Ready: c.Ready, Restarts: c.Restarts,
			ReadySince: seconds(c.ReadySince), CreationTimestamp: seconds(c.Created),
		}
		if p.UID == "" {
			p.UID = strconv.Itoa(i)
		}
		if c.DeletionCost != nil {
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": *c.DeletionCost}
		}
		hooks[p.UID], pods = c, append(pods, p)
	}
	stages := podorder.Current.Stages()
	neighbours := slices.IndexFunc(stages, func(s podorder.Stage) bool { return s.Rule == podorder.RuleNeighbours })
	stages[neighbours] = podorder.Stage{Rule: "Rank", Key: func(p *podorder.Pod) int64 {
		if rank := hooks[p.UID].Rank; rank != nil {
			return -int64(*rank * 1000)
		}
		return 0
	}}
	notReady := slices.IndexFunc(stages, func(s podorder.Stage) bool { return s.Rule == podorder.RuleNotReady })
	stages = slices.Insert(stages, notReady, podorder.Stage{Rule: podorder.RuleAvailable, Key: func(p *podorder.Pod) int64 {
		if available := hooks[p.UID].Available; available != nil && *available {
			return 1
		}
		return 0
	}})
	return podorder.Order{Stages: stages}, pods
}

func cloneSetOrder(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Op   string
		A, B clone
		Pods []clone
	}](t, r)
	if in.Op == "less" {
		order, pods := cloneOrder([]clone{in.A, in.B})
		return same(r, order.Compare(pods[0], pods[1]) < 0)
	}
	order, pods := cloneOrder(in.Pods)
	order.Sort(pods)
	names := []string{}
	for _, p := range pods {
		names = append(names, p.Name)
	}
	return same(r, names)
}
