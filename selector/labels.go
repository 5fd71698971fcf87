// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
)

// FromMap returns the selector that demands each of the labels. A nil or empty map
// selects everything, unlike a nil [LabelSelector]. The labels are not validated:
// one that is not a legal label can still be demanded, and is never found.
//
// It mirrors SelectorFromSet of package labels of apimachinery.
func FromMap(labels map[string]string) Selector {
	if len(labels) == 0 {
		return Everything()
	}
	requirements := make([]Requirement, 0, len(labels))
	for key, value := range labels {
		requirements = append(requirements, Requirement{key: key, op: OpEquals, test: testEqual, value: value})
	}
	return compiled(requirements)
}

// FromValidMap is [FromMap] with validation. The text of the error names the first
// bad key in order, its Fields all of them.
//
// It mirrors ValidatedSelectorFromSet of package labels of apimachinery,
// which names a random one.
func FromValidMap(labels map[string]string) (Selector, error) {
	for key, value := range labels {
		if !validKey(key) || !validValue(value) {
			return Selector{}, conversionError(&LabelSelector{MatchLabels: labels})
		}
	}
	return FromMap(labels), nil
}

// FromLabels returns the selector of the Kubernetes API that demands each of the
// labels: nil, which selects nothing, for nil.
//
// It mirrors SetAsLabelSelector of package v1 of apimachinery 0.36.3.
func FromLabels(labels map[string]string) *LabelSelector {
	if labels == nil {
		return nil
	}
	return &LabelSelector{MatchLabels: maps.Clone(labels)}
}

// ParseMap reads labels from "key=value,key=value". Blanks around keys and values
// are dropped, and of two entries for a key the later one wins. It knows no other
// operator and no trailing comma.
//
// It mirrors ConvertSelectorToLabelsMap of package labels of apimachinery,
// except that upstream returns what it has read so far along with an error.
func ParseMap(text string) (map[string]string, error) {
	labels := map[string]string{}
	if text == "" {
		return labels, nil
	}
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		parts := strings.Split(item, "=")
		if len(parts) != 2 {
			return nil, &Error{Text: "invalid selector: [" + strings.Join(parts, " ") + "]", Offset: offset}
		}
		key, value := strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
		if messages := ValidateKey(key); len(messages) > 0 {
			return nil, fieldsError([]*kplan.FieldError{invalid("<nil>", key, strings.Join(messages, "; "))})
		}
		if messages := ValidateValue(value); len(messages) > 0 {
			return nil, fieldsError([]*kplan.FieldError{invalid("["+key+"]", value, strings.Join(messages, "; "))})
		}
		labels[key] = value
		offset += len(item) + 1
	}
	return labels, nil
}

// LabelsText returns labels as "key=value,key=value", sorted as whole strings.
// That is not the order of a selector: a-b=2 comes before a=1 here, and after it
// there.
//
// It mirrors Set.String of package labels of apimachinery.
func LabelsText(labels map[string]string) string {
	texts := make([]string, 0, len(labels))
	for key, value := range labels {
		texts = append(texts, key+"="+value)
	}
	slices.Sort(texts)
	return strings.Join(texts, ",")
}

// FormatLabels is [LabelsText] with "<none>" instead of the empty string. It
// mirrors FormatLabels of package labels of apimachinery.
func FormatLabels(labels map[string]string) string {
	if text := LabelsText(labels); text != "" {
		return text
	}
	return "<none>"
}

// Format returns the selector as kubectl prints it: "<none>" for nil and for an
// empty one, which could not differ more, and "<error>" for one that is wrong.
//
// It mirrors FormatLabelSelector of package v1 of apimachinery.
func Format(ls *LabelSelector) string {
	s, err := FromLabelSelector(ls)
	if err != nil {
		return "<error>"
	}
	if text := s.String(); text != "" {
		return text
	}
	return "<none>"
}

// LabelsConflict reports whether a and b give some key different values. It
// mirrors Conflicts of package labels of apimachinery.
func LabelsConflict(a, b map[string]string) bool {
	if len(b) < len(a) {
		a, b = b, a
	}
	for key, value := range a {
		if other, present := b[key]; present && other != value {
			return true
		}
	}
	return false
}

// MergeLabels returns a new map with the labels of a and b, those of b where both
// have a key. It mirrors Merge of package labels of apimachinery.
func MergeLabels(a, b map[string]string) map[string]string {
	merged := make(map[string]string, len(a)+len(b))
	maps.Copy(merged, a)
	maps.Copy(merged, b)
	return merged
}

// EqualLabels reports whether a and b have the same labels; nil is as good as
// empty. It mirrors Equals of package labels of apimachinery.
func EqualLabels(a, b map[string]string) bool { return maps.Equal(a, b) }

// errorf returns an error of syntax at a byte of the text.
func errorf(offset int, format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Offset: offset}
}

// prefixed returns err with something said before it.
func prefixed(prefix string, err error) error {
	result := &Error{Text: prefix + err.Error()}
	if e, ok := err.(*Error); ok {
		result.Fields, result.Offset = e.Fields, e.Offset
	}
	return result
}
