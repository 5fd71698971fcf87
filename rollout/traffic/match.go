// SPDX-License-Identifier: Apache-2.0

package traffic

// A Match selects requests: in a Rollout for a step, in an HTTPRoute for a rule.
type Match struct {
	Path        *PathMatch   `json:"path,omitempty"`
	Headers     []ValueMatch `json:"headers,omitempty"`
	QueryParams []ValueMatch `json:"queryParams,omitempty"`
	Method      string       `json:"method,omitempty"` // of an HTTPRoute only
}

// A PathMatch selects requests by path.
type PathMatch struct {
	Type  string `json:"type,omitempty"`
	Value string `json:"value,omitempty"`
}

// A ValueMatch selects requests by a header or a query parameter.
type ValueMatch struct {
	Type  string `json:"type,omitempty"` // "" means Exact
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A HeaderModifier changes headers of requests to the new pods.
type HeaderModifier struct {
	Set    []Header `json:"set,omitempty"`
	Add    []Header `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// A Header is one header of a request.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
