package rollout

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/zero"
)

func (m *TemplateMetadata) clone() *TemplateMetadata {
	if m == nil {
		return nil
	}
	return &TemplateMetadata{Annotations: maps.Clone(m.Annotations), Labels: maps.Clone(m.Labels)}
}

func cloneMatches(list []Match) []Match {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		m.Path, m.Headers, m.QueryParams = zero.Copy(m.Path), slices.Clone(m.Headers), slices.Clone(m.QueryParams)
	}
	return list
}

func cloneRoutings(list []TrafficRouting) []TrafficRouting {
	list = slices.Clone(list)
	for i := range list {
		t := &list[i]
		t.Ingress, t.Gateway, t.CustomNetworkRefs = zero.Copy(t.Ingress), zero.Copy(t.Gateway), slices.Clone(t.CustomNetworkRefs)
		if t.Gateway != nil {
			t.Gateway.HTTPRouteName = zero.Copy(t.Gateway.HTTPRouteName)
		}
	}
	return list
}

func (s RolloutStatus) clone() RolloutStatus {
	s.Conditions, s.Sub = slices.Clone(s.Conditions), zero.Copy(s.Sub)
	return s
}
