// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"maps"
	"strconv"
)

// An IngressClass describes, as data, the annotations of a canary Ingress of one class. All
// classes use annotations of the same shape. OpenKruise Rollouts has a script for each.
type IngressClass struct {
	Name   string `json:"name"`
	Prefix string `json:"prefix"` // of the annotations, such as nginx.ingress.kubernetes.io/
	// QueryPrefix is the prefix of the annotations that match query parameters; "" means
	// that the class has none.
	QueryPrefix string `json:"queryPrefix,omitzero"`
	// HeaderKey is the annotation with the headers to set; "" means none.
	HeaderKey string            `json:"headerKey,omitzero"`
	Set       map[string]string `json:"set,omitempty"`     // annotations of every canary
	Replace   map[string]string `json:"replace,omitempty"` // values of annotations if these exist
	Remove    []string          `json:"remove,omitempty"`  // annotations that no canary has
}

// nginx is the prefix of the annotations of an nginx Ingress, which other classes use too.
const nginx = "nginx.ingress.kubernetes.io/"

// IngressClasses returns the known classes.
func IngressClasses() []IngressClass {
	const mse = "mse.ingress.kubernetes.io/"
	return []IngressClass{
		{Name: "nginx", Prefix: nginx},
		{Name: "aliyun-alb", Prefix: "alb.ingress.kubernetes.io/", Set: map[string]string{"alb.ingress.kubernetes.io/order": "1"}},
		{Name: "higress", Prefix: nginx},
		{
			Name: "mse", Prefix: nginx, QueryPrefix: nginx, HeaderKey: mse + "request-header-control-update",
			Replace: map[string]string{mse + "service-subset": "gray"},
			Remove:  []string{mse + "canary-by-query", mse + "canary-by-query-pattern", mse + "canary-by-query-value"},
		},
	}
}

// Annotations returns the annotations of a canary Ingress that sends the traffic of a step
// to the canary Service. Of each match only the first header, and the first query
// parameter, counts, and later matches overwrite earlier ones. An unset weight writes no
// annotation.
func (c IngressClass) Annotations(annotations map[string]string, s Strategy) map[string]string {
	out := maps.Clone(annotations)
	if out == nil {
		out = map[string]string{}
	}
	canary := c.Prefix + "canary"
	out[canary] = "true"
	for _, suffix := range []string{"-by-cookie", "-by-header", "-by-header-pattern", "-by-header-value", "-weight"} {
		delete(out, canary+suffix)
	}
	for _, key := range c.Remove {
		delete(out, key)
	}
	maps.Copy(out, c.Set)
	for key, value := range c.Replace {
		if _, has := out[key]; has {
			out[key] = value
		}
	}
	if !s.Traffic.IsZero() {
		out[canary+"-weight"] = strconv.Itoa(int(s.Traffic.OfUp(100)))
	}
	if m := s.RequestHeaderModifier; m != nil && c.HeaderKey != "" {
		text := ""
		for _, h := range m.Set {
			text += h.Name + " " + h.Value
		}
		out[c.HeaderKey] = text
	}
	for _, m := range s.Matches {
		c.match(out, m)
	}
	return out
}

// match adds the annotations of one match.
func (c IngressClass) match(out map[string]string, m Match) {
	if len(m.Headers) > 0 {
		h := m.Headers[0]
		if h.Name == "canary-by-cookie" {
			out[c.Prefix+"canary-by-cookie"] = h.Value
		} else {
			matchValue(out, c.Prefix+"canary-by-header", h)
		}
	}
	if len(m.QueryParams) > 0 && c.QueryPrefix != "" {
		matchValue(out, c.QueryPrefix+"canary-by-query", m.QueryParams[0])
	}
}

func matchValue(out map[string]string, key string, v ValueMatch) {
	out[key] = v.Name
	if v.Type == "RegularExpression" {
		out[key+"-pattern"] = v.Value
	} else {
		out[key+"-value"] = v.Value
	}
}
