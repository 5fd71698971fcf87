// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A Route sends some requests to the canary, or copies them to it, independently of the
// weights. Either Headers or a Mirror is set; a route without both is none.
type Route struct {
	Name    string        `json:"name"`
	Headers []HeaderMatch `json:"headers,omitempty"` // one of them is met
	Mirror  *Mirror       `json:"mirror,omitempty"`
}

// A HeaderMatch is met by requests that have a header with a value.
type HeaderMatch struct {
	Name  string      `json:"name"`
	Value StringMatch `json:"value,omitzero"`
}

// A Mirror determines which requests are copied. Without a match none are.
type Mirror struct {
	Match      []RouteMatch `json:"match,omitempty"`      // one of them is met
	Percentage *int32       `json:"percentage,omitempty"` // nil means all
}

// A RouteMatch is met by requests that meet all of it.
type RouteMatch struct {
	Method  StringMatch            `json:"method,omitzero"`
	Path    StringMatch            `json:"path,omitzero"`
	Headers map[string]StringMatch `json:"headers,omitempty"`
}

// A StringMatch is met by texts: one of its fields is set. The zero StringMatch is met by
// every text.
type StringMatch struct {
	Exact  string `json:"exact,omitzero"`
	Prefix string `json:"prefix,omitzero"`
	Regex  string `json:"regex,omitzero"`
}

// none reports whether no request meets the route, so that it is removed.
func (r *Route) none() bool {
	return len(r.Headers) == 0 && (r.Mirror == nil || len(r.Mirror.Match) == 0)
}

func (r *Route) equal(o *Route) bool {
	if r.Name != o.Name || !slices.Equal(r.Headers, o.Headers) || (r.Mirror == nil) != (o.Mirror == nil) {
		return false
	}
	if r.Mirror == nil {
		return true
	}
	p, q := r.Mirror.Percentage, o.Mirror.Percentage
	return (p == nil) == (q == nil) && (p == nil || *p == *q) && slices.EqualFunc(r.Mirror.Match, o.Mirror.Match, func(a, b RouteMatch) bool {
		return a.Method == b.Method && a.Path == b.Path && maps.Equal(a.Headers, b.Headers)
	})
}

// clone returns a copy that shares nothing with r.
func (r Route) clone() Route {
	r.Headers = slices.Clone(r.Headers)
	if r.Mirror != nil {
		m := Mirror{Match: slices.Clone(r.Mirror.Match), Percentage: zero.Copy(r.Mirror.Percentage)}
		for i := range m.Match {
			m.Match[i].Headers = maps.Clone(m.Match[i].Headers)
		}
		r.Mirror = &m
	}
	return r
}

// route returns the route with a name, nil if the list has none.
func route(list []Route, name string) *Route {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
