// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
)

// FromMap returns the selector that requires each of the labels. A nil or empty map selects
// everything, unlike a nil [LabelSelector]. The labels are not validated: an invalid label
// can be required, but no object has it.
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

// FromValidMap is [FromMap] with validation. The text of the error is about the first invalid label,
// sorted by key; its Fields have all invalid keys and values.
//
// It mirrors ValidatedSelectorFromSet of package labels of apimachinery, which names a random
// bad key.
func FromValidMap(labels map[string]string) (Selector, error) {
	for key, value := range labels {
		if !validKey(key) || !validValue(value) {
			return Selector{}, conversionError(&LabelSelector{MatchLabels: labels})
		}
	}
	return FromMap(labels), nil
}

// FromLabels returns the selector of the Kubernetes API that requires each of the labels. It
// returns nil, which selects nothing, for nil.
//
// It mirrors SetAsLabelSelector of package v1 of apimachinery 0.36.3.
func FromLabels(labels map[string]string) *LabelSelector {
	if labels == nil {
		return nil
	}
	return &LabelSelector{MatchLabels: maps.Clone(labels)}
}

// ParseMap reads labels from "key=value,key=value". It trims blanks around keys and values;
// the last entry for a key wins. It accepts no other operator and no trailing comma.
//
// It mirrors ConvertSelectorToLabelsMap of package labels of apimachinery, except that
// upstream returns the labels read so far along with an error.
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

// LabelsText returns labels as "key=value,key=value", sorted as whole strings. The order
// differs from a selector: a-b=2 comes before a=1 here, and after it in a selector.
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

// Format returns the selector as kubectl prints it: "<none>" for nil, which selects nothing, and for
// an empty one, which selects everything, and "<error>" for an invalid one.
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

// LabelsConflict reports whether a and b have different values for some key. It mirrors
// Conflicts of package labels of apimachinery.
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

// MergeLabels returns a new map with the labels of a and b; b wins where both have a key. It
// mirrors Merge of package labels of apimachinery.
func MergeLabels(a, b map[string]string) map[string]string {
	merged := make(map[string]string, len(a)+len(b))
	maps.Copy(merged, a)
	maps.Copy(merged, b)
	return merged
}

// EqualLabels reports whether a and b have the same labels; nil and empty are equal. It
// mirrors Equals of package labels of apimachinery.
func EqualLabels(a, b map[string]string) bool { return maps.Equal(a, b) }

// errorf returns a syntax error at a byte offset of the text.
func errorf(offset int, format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Offset: offset}
}

// prefixed returns err with a prefix before its text.
func prefixed(prefix string, err error) error {
	result := &Error{Text: prefix + err.Error()}
	if e, ok := err.(*Error); ok {
		result.Fields, result.Offset = e.Fields, e.Offset
	}
	return result
}
