package rollout

import (
	"maps"
	"strconv"
)

// The prefix of the annotations of an nginx Ingress, and what a canary is told by.
const nginx = "nginx.ingress.kubernetes.io/canary"

// IngressAnnotations returns the annotations of an nginx canary Ingress that leads so
// much percent of the traffic, or what matches, to the canary Service (rule 14.3). Of
// each match only the first header counts, and later ones overwrite earlier ones. An
// unset weight writes none.
func IngressAnnotations(annotations map[string]string, weight IntOrPercent, matches []Match) map[string]string {
	out := maps.Clone(annotations)
	if out == nil {
		out = map[string]string{}
	}
	out[nginx] = "true"
	for _, suffix := range []string{"-by-cookie", "-by-header", "-by-header-pattern", "-by-header-value", "-weight"} {
		delete(out, nginx+suffix)
	}
	if !weight.IsZero() {
		out[nginx+"-weight"] = strconv.Itoa(int(weight.OfUp(100)))
	}
	for _, m := range matches {
		if len(m.Headers) == 0 {
			continue
		}
		h := m.Headers[0]
		switch {
		case h.Name == "canary-by-cookie":
			out[nginx+"-by-cookie"] = h.Value
		case h.Type == "RegularExpression":
			out[nginx+"-by-header"], out[nginx+"-by-header-pattern"] = h.Name, h.Value
		default:
			out[nginx+"-by-header"], out[nginx+"-by-header-value"] = h.Name, h.Value
		}
	}
	return out
}
