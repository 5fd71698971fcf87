// SPDX-License-Identifier: Apache-2.0

package inplace

import (
	"maps"
	"strconv"
	"strings"
)

// Resources are limits and requests of a container, by cpu and memory, as quantities in the
// text of the template.
type Resources struct {
	Limits   map[string]string `json:"limits,omitempty"`
	Requests map[string]string `json:"requests,omitempty"`
}

func (r Resources) clone() Resources { return Resources{maps.Clone(r.Limits), maps.Clone(r.Requests)} }

// scalable reports whether a resource can change while a container runs.
func scalable(name string) bool { return name == "cpu" || name == "memory" }

// addResources adds the changed resources of a container, and reports whether they can change in
// place: only values of cpu and memory may differ. A request that the API server has set to the
// limit changes with the limit.
func (s *Spec) addResources(name string, from, to map[string]any) bool {
	if equalJSON(from["resources"], to["resources"]) {
		return true
	}
	a, ok := from["resources"].(map[string]any)
	b, ok2 := to["resources"].(map[string]any)
	if !ok || !ok2 || !sameExcept(a, b, "limits", "requests") {
		return false
	}
	var r Resources
	if r.Limits, ok = changedQuantities(a["limits"], b["limits"]); !ok {
		return false
	}
	if r.Requests, ok = changedQuantities(a["requests"], b["requests"]); !ok {
		return false
	}
	requests, _ := b["requests"].(map[string]any)
	for resource, limit := range r.Limits {
		if _, ok := requests[resource]; !ok { // the pod has had the limit as its request
			set(&r.Requests, resource, limit)
		}
	}
	set(&s.Resources, name, r)
	s.Restart = s.Restart || restarts(to["resizePolicy"], r)
	return true
}

// changedQuantities returns the new values of the quantities with a different text.
func changedQuantities(from, to any) (changed map[string]string, ok bool) {
	if equalJSON(from, to) {
		return nil, true
	}
	a, ok := from.(map[string]any)
	b, ok2 := to.(map[string]any)
	if !ok || !ok2 || len(a) != len(b) {
		return nil, false
	}
	for name, value := range b {
		was, had := a[name]
		if had && equalJSON(was, value) {
			continue
		}
		_, readable := readQuantity(was)
		_, readable2 := readQuantity(value)
		text, isText := value.(string)
		if !had || !scalable(name) || !readable || !readable2 || !isText {
			return nil, false
		}
		set(&changed, name, text)
	}
	return changed, true
}

// restarts reports whether the resize policy of a container restarts it for these changes.
func restarts(policy any, r Resources) bool {
	list, _ := policy.([]any)
	for _, item := range list {
		rule, _ := item.(map[string]any)
		name, _ := rule["resourceName"].(string)
		_, limit := r.Limits[name]
		_, request := r.Requests[name]
		if rule["restartPolicy"] == "RestartContainer" && (limit || request) {
			return true
		}
	}
	return false
}

// qosClass returns the quality of service of a pod of a template, and whether all quantities
// that it depends on can be read. A request that is not set equals the limit, as in the API
// server.
func qosClass(spec map[string]any) (class string, ok bool) {
	guaranteed, bestEffort := true, true
	for _, field := range []string{"containers", "initContainers"} {
		list, _ := spec[field].([]any)
		for _, item := range list {
			c, _ := item.(map[string]any)
			resources, _ := c["resources"].(map[string]any)
			limits, _ := resources["limits"].(map[string]any)
			requests, _ := resources["requests"].(map[string]any)
			for _, name := range []string{"cpu", "memory"} {
				limit, ok := readQuantity(limits[name])
				request, ok2 := readQuantity(requests[name])
				if !ok || !ok2 {
					return "", false
				}
				bestEffort = bestEffort && !limit.positive() && !request.positive()
				guaranteed = guaranteed && limit.positive() && (requests[name] == nil || request == limit)
			}
		}
	}
	switch {
	case bestEffort:
		return "BestEffort", true
	case guaranteed:
		return "Guaranteed", true
	}
	return "Burstable", true
}

// A quantity is an exact amount: its digits, without zeros at either end, times a power
// of ten. Equal amounts are equal quantities, however they are written.
type quantity struct {
	negative bool
	digits   string
	exponent int64
}

func (q quantity) positive() bool { return q.digits != "" && !q.negative }

// readQuantity reads a decoded JSON value; a missing value is 0.
func readQuantity(value any) (quantity, bool) {
	if value == nil {
		return quantity{}, true
	}
	text, ok := value.(string)
	if !ok {
		return quantity{}, false
	}
	return parseQuantity(text)
}

// parseQuantity reads a quantity of the Kubernetes API: a sign, digits with a point and
// a suffix or exponent.
func parseQuantity(text string) (quantity, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	suffix := strings.TrimLeft(rest, "0123456789.")
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(rest, suffix), ".")
	exponent, binary, ok := unit(suffix)
	digits := whole + fraction
	if !ok || digits == "" || strings.Contains(fraction, ".") {
		return quantity{}, false
	}
	for range binary {
		digits = times1024(digits)
	}
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant) - len(fraction))
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return quantity{}, true
	}
	return quantity{negative, significant, exponent}, true
}

// unit returns the power of ten and of 1024 of a suffix.
func unit(suffix string) (ten int64, binary int, ok bool) {
	if suffix == "" {
		return 0, 0, true
	}
	if name, isBinary := strings.CutSuffix(suffix, "i"); isBinary {
		n := strings.Index("KMGTPE", name)
		return 0, n + 1, len(name) == 1 && n >= 0
	}
	if len(suffix) == 1 {
		n := strings.Index("num kMGTPE", suffix)
		return int64(n-3) * 3, 0, n >= 0 && suffix != " "
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return 0, 0, false
	}
	n, err := strconv.ParseInt(suffix[1:], 10, 32)
	return n, 0, err == nil
}

// times1024 multiplies a decimal number of any length.
func times1024(digits string) string {
	product, carry := []byte(digits), 0
	for i := len(product) - 1; i >= 0; i-- {
		carry += int(product[i]-'0') * 1024
		product[i], carry = byte('0'+carry%10), carry/10
	}
	return strconv.Itoa(carry) + string(product)
}
