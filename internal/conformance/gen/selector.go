package gen

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Selector draws a selector with one or two expressions, mostly one that selects
// key=value.
func Selector(t *rapid.T, key, value string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{}
	if OneIn(t, 3, "match labels") {
		s.MatchLabels = map[string]string{key: value}
	}
	add := func(key string, op metav1.LabelSelectorOperator, values ...string) {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values})
	}
	switch pick(t, "expression", 40, 20, 20, 10, 10) {
	case 0:
		add(key, metav1.LabelSelectorOpIn, value, "other")
	case 1:
		add(key, metav1.LabelSelectorOpExists)
	case 2:
		add(key, metav1.LabelSelectorOpNotIn, "former", "other")
	case 3:
		add("canary", metav1.LabelSelectorOpDoesNotExist)
	case 4:
		add(key, metav1.LabelSelectorOpIn, "other")
	}
	if OneIn(t, 3, "second expression") {
		add("tier", from(t, "tier", metav1.LabelSelectorOpDoesNotExist, metav1.LabelSelectorOpExists))
	}
	return s
}

// oddSelector draws a selector that selects everything, or that cannot be used, or
// none.
func oddSelector(t *rapid.T) *metav1.LabelSelector {
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	return from(t, "odd selector",
		&metav1.LabelSelector{},
		&metav1.LabelSelector{MatchLabels: map[string]string{}},
		&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{}},
		expression("app", metav1.LabelSelectorOpIn),
		expression("app", "Is", "web"),
		expression("", metav1.LabelSelectorOpExists),
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": "not a value"}},
		nil,
	)
}

// Key draws a label key: 90 % from five good ones, so that equal ones are common, the
// rest on the edge of what is valid.
func Key(t *rapid.T, label string) string {
	if !percent(t, 10, label+" odd") {
		return from(t, label, "a", "b", "app", "c", "ex.com/a")
	}
	return from(t, label, "", "/a", "a/", "a/b/c", "-a", "a-", "a_b.c", "Ex.com/a", "in", "notin", "a..b/c", "a-.b/c", "a.-b/c", "é", "a\n",
		strings.Repeat("k", 63), strings.Repeat("k", 64), strings.Repeat("p", 253)+"/a", strings.Repeat("p", 254)+"/a")
}

// Value draws a label value in the same way; numbers are common.
func Value(t *rapid.T, label string) string {
	if !percent(t, 10, label+" odd") {
		return from(t, label, "x", "y", "", "1", "2", "3")
	}
	return from(t, label, "02", "007", "+2", "-1", "1.5", "9223372036854775807", "9223372036854775808", "x y", "-", "a-", "é", "<", "x\n",
		strings.Repeat("v", 63), strings.Repeat("v", 64))
}

// Values draws n values; of none, half are nil.
func Values(t *rapid.T, n int, label string) []string {
	if n == 0 && OneIn(t, 2, label+" nil") {
		return nil
	}
	values := make([]string, n)
	for i := range values {
		values[i] = Value(t, label)
	}
	return values
}

// Labels draws up to four labels, or nil.
func Labels(t *rapid.T, label string) map[string]string {
	if OneIn(t, 8, label+" nil") {
		return nil
	}
	m := map[string]string{}
	for range UpTo(t, 5, label) {
		m[Key(t, label+" key")] = Value(t, label+" value")
	}
	return m
}

// operands draws an operator and values for it: one time in ten too many or too few.
func operands[Op ~string](t *rapid.T, ops ...Op) (Op, []string) {
	op := from(t, "operator", ops...)
	n := 0
	switch op {
	case "In", "NotIn":
		n = 1 + UpTo(t, 3, "values")
	case "Gt", "Lt":
		n = 1
	}
	if OneIn(t, 10, "wrong values") {
		n = UpTo(t, 3, "wrong number")
	}
	return op, Values(t, n, "operand")
}

// LabelSelector draws a selector as users write it, right and wrong. At most one label
// of it is invalid, since upstream reports several in any order.
func LabelSelector(t *rapid.T) *metav1.LabelSelector {
	if percent(t, 5, "nil selector") {
		return nil
	}
	s := &metav1.LabelSelector{}
	switch pick(t, "match labels", 50, 10, 20, 20) {
	case 1:
		s.MatchLabels = map[string]string{}
	case 2:
		s.MatchLabels = map[string]string{Key(t, "key"): Value(t, "value")}
	case 3:
		s.MatchLabels = map[string]string{}
		for range UpTo(t, 4, "labels") {
			s.MatchLabels[from(t, "good key", "a", "b", "app", "c")] = from(t, "good value", "x", "y", "", "1")
		}
	}
	for range UpTo(t, 4, "expressions") {
		ops := []metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist"}
		if OneIn(t, 12, "odd operator") {
			ops = []metav1.LabelSelectorOperator{"Gt", "in", ""}
		}
		e := metav1.LabelSelectorRequirement{Key: Key(t, "key")}
		e.Operator, e.Values = operands(t, ops...)
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s
}

// SelectorText draws a text that is often a selector.
func SelectorText(t *rapid.T) string {
	var b strings.Builder
	for range UpTo(t, 12, "pieces") {
		switch {
		case percent(t, 3, "byte"):
			b.WriteByte(byte(UpTo(t, 128, "byte") * (1 + UpTo(t, 2, "high"))))
		default:
			b.WriteString(from(t, "piece", "a", "b", ",", "=", "(", ")", " ", "in", "notin", "==", "!=", "!", "<", ">", "1", "x", "-1", "a=b", ",c",
				"a in (x,y)", "in (", "ex.com/a", "a/b/c", "é", "\t", "\r", "\n", "\xff", "+1", "9223372036854775808"))
		}
	}
	return b.String()
}

// NodeTerm draws a term of a node selector, right and wrong.
func NodeTerm(t *rapid.T) corev1.NodeSelectorTerm {
	var term corev1.NodeSelectorTerm
	all := []corev1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}
	for range UpTo(t, 3, "expressions") {
		ops := all
		if OneIn(t, 15, "odd operator") {
			ops = []corev1.NodeSelectorOperator{"bogus", "in"}
		}
		e := corev1.NodeSelectorRequirement{Key: Key(t, "key")}
		e.Operator, e.Values = operands(t, ops...)
		term.MatchExpressions = append(term.MatchExpressions, e)
	}
	for range max(0, UpTo(t, 6, "fields")-3) {
		ops := all[:2]
		if OneIn(t, 10, "odd field operator") {
			ops = append(all, "bogus")
		}
		e := corev1.NodeSelectorRequirement{
			Key: from(t, "field", "metadata.name", "metadata.name", "metadata.name", "metadata.namespace"), Operator: from(t, "field operator", ops...),
			Values: []string{from(t, "name", "n1", "n2", "", "N1", "a.b")},
		}
		if OneIn(t, 10, "odd names") {
			e.Values = Values(t, UpTo(t, 3, "names"), "name")
		}
		term.MatchFields = append(term.MatchFields, e)
	}
	return term
}

// NodeSelector draws up to three terms, or nil.
func NodeSelector(t *rapid.T) *corev1.NodeSelector {
	if OneIn(t, 10, "no node selector") {
		return nil
	}
	s := &corev1.NodeSelector{}
	for range UpTo(t, 4, "terms") {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, NodeTerm(t))
	}
	return s
}
