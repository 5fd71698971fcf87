package rollout

import (
	"maps"
	"slices"
)

// copied returns a pointer to a copy, or nil.
func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

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
		m.Path, m.Headers, m.QueryParams = copied(m.Path), slices.Clone(m.Headers), slices.Clone(m.QueryParams)
	}
	return list
}

func cloneRoutings(list []TrafficRouting) []TrafficRouting {
	list = slices.Clone(list)
	for i := range list {
		t := &list[i]
		t.Ingress, t.Gateway, t.CustomNetworkRefs = copied(t.Ingress), copied(t.Gateway), slices.Clone(t.CustomNetworkRefs)
		if t.Gateway != nil {
			t.Gateway.HTTPRouteName = copied(t.Gateway.HTTPRouteName)
		}
	}
	return list
}

func (s RolloutStatus) clone() RolloutStatus {
	s.Conditions, s.Sub = slices.Clone(s.Conditions), copied(s.Sub)
	return s
}
