// Package planted holds planners that are not pure. Each test must fail; the test
// of package purity runs them one by one, with and without the race detector.
package planted

import (
	"slices"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
)

type pod struct {
	Name string
	Cost int
}

type snapshot struct {
	Pods   []pod
	Labels map[string]string
}

type plan struct{ Names []string }

func example() snapshot {
	return snapshot{
		Pods:   []pod{{"c", 1}, {"a", 2}, {"b", 1}, {"d", 2}},
		Labels: map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7", "h": "8"},
	}
}

func names(pods []pod) (p plan) {
	for _, pod := range pods {
		p.Names = append(p.Names, pod.Name)
	}
	return p
}

func byName(a, b pod) int { return strings.Compare(a.Name, b.Name) }

func TestSort(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (plan, error) {
		slices.SortFunc(s.Pods, byName)
		return names(s.Pods), nil
	}, "Pods")
}

func TestTie(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (plan, error) {
		pods := slices.Clone(s.Pods)
		slices.SortStableFunc(pods, func(a, b pod) int { return a.Cost - b.Cost })
		return names(pods), nil
	}, "Pods")
}

func TestMap(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (p plan, err error) {
		for key := range s.Labels {
			p.Names = append(p.Names, key)
		}
		return p, nil
	})
}

func TestAppend(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (plan, error) {
		pods := slices.SortedFunc(slices.Values(append(s.Pods, pod{Name: "new"})), byName)
		return names(pods), nil
	}, "Pods")
}

func TestRestore(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (plan, error) {
		name := s.Pods[0].Name
		s.Pods[0].Name = name
		return plan{}, nil
	})
}

func TestShare(t *testing.T) {
	purity.Check(t, example(), func(s snapshot) (map[string]string, error) {
		return s.Labels, nil
	})
}
