// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
)

var nodeFunctions = []function{
	{"GetRequiredNodeAffinity, LazyErrorNodeSelector", compareAffinity},
	{"NewNodeSelector", compareNodeSelector},
	{"PreferredSchedulingTerms.Score", comparePreferences},
	{"ValidateNodeSelector", compareValidateNode},
}

func ourTerm(t corev1.NodeSelectorTerm) selector.NodeSelectorTerm {
	expressions := func(list []corev1.NodeSelectorRequirement) (es []selector.Expression) {
		for _, r := range list {
			es = append(es, selector.Expression{Key: r.Key, Operator: selector.Operator(r.Operator), Values: r.Values})
		}
		return es
	}
	return selector.NodeSelectorTerm{MatchExpressions: expressions(t.MatchExpressions), MatchFields: expressions(t.MatchFields)}
}

func ourNodeSelector(s *corev1.NodeSelector) *selector.NodeSelector {
	if s == nil {
		return nil
	}
	n := &selector.NodeSelector{}
	for _, t := range s.NodeSelectorTerms {
		n.Terms = append(n.Terms, ourTerm(t))
	}
	return n
}

// node is a node and the node selection of a pod.
type node struct {
	NodeSelector map[string]string
	Required     *corev1.NodeSelector
	Name         string
	Labels       map[string]string
}

func drawNode(t random.T) node {
	n := node{Required: gen.NodeSelector(t), Name: []string{"n1", "n2", ""}[random.Below(t, "name", 3)], Labels: random.Labels(t, "labels")}
	if random.OneIn(t, "node selector", 3) {
		n.NodeSelector = random.Labels(t, "wanted")
	}
	return n
}

func (n node) object() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
}

// placed is the result for a pod's whole node selection, and for its affinity alone.
type placed struct {
	Match, Lazy       bool
	MatchErr, LazyErr string
}

func compareAffinity(t random.T, c *caseCounts, _ time.Time) {
	n := drawNode(t)
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: n.NodeSelector, Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: n.Required,
	}}}}
	var theirs, ours placed
	var err error
	theirs.Match, err = nodeaffinity.GetRequiredNodeAffinity(pod).Match(n.object())
	theirs.MatchErr = textOf(err)
	ours.Match, err = selector.NewNodeAffinity(n.NodeSelector, ourNodeSelector(n.Required)).Match(n.Name, n.Labels)
	ours.MatchErr = textOf(err)
	if n.Required != nil {
		theirs.Lazy, err = nodeaffinity.NewLazyErrorNodeSelector(n.Required).Match(n.object())
		theirs.LazyErr = textOf(err)
		ours.Lazy, err = selector.NewNodeMatcher(ourNodeSelector(n.Required)).Match(n.Name, n.Labels)
		ours.LazyErr = textOf(err)
	}
	of := func(name string, is func(placed) bool) corner[decision[node]] {
		return corner[decision[node]]{name, func(d decision[node]) bool { return is(d.upstream.(placed)) }}
	}
	judge(t, c, []corner[decision[node]]{
		of("matches", func(p placed) bool { return p.Match && p.Lazy }), of("does not match", func(p placed) bool { return !p.Match && p.MatchErr == "" }),
		of("fails", func(p placed) bool { return p.MatchErr != "" }),
		in("matches in spite of an invalid term", func(n node) bool {
			_, err := nodeaffinity.NewNodeSelector(orEmpty(n.Required))
			match, lazyErr := nodeaffinity.NewLazyErrorNodeSelector(orEmpty(n.Required)).Match(n.object())
			return err != nil && match && lazyErr == nil
		}),
		in("no affinity", func(n node) bool { return n.Required == nil }),
		in("affinity without terms", func(n node) bool { return n.Required != nil && len(n.Required.NodeSelectorTerms) == 0 }),
	}, nil, decision[node]{n, theirs, ours})
}

func orEmpty(s *corev1.NodeSelector) *corev1.NodeSelector {
	if s == nil {
		return &corev1.NodeSelector{}
	}
	return s
}

func compareNodeSelector(t random.T, c *caseCounts, _ time.Time) {
	n := drawNode(t)
	n.Required = orEmpty(n.Required)
	strict, err := nodeaffinity.NewNodeSelector(n.Required)
	theirs := placed{MatchErr: textOf(err)}
	if err == nil {
		theirs.Match = strict.Match(n.object())
	}
	compiled, err := selector.CompileNodeSelector(ourNodeSelector(n.Required))
	ours := placed{MatchErr: textOf(err)}
	if err == nil {
		ours.Match, err = compiled.Match(n.Name, n.Labels)
		ours.MatchErr = textOf(err)
	}
	judge(t, c, []corner[decision[node]]{
		{"matches", func(d decision[node]) bool { return d.upstream.(placed).Match }},
		{"does not match", func(d decision[node]) bool { return !d.upstream.(placed).Match && d.upstream.(placed).MatchErr == "" }},
		{"one error", func(d decision[node]) bool {
			text := d.upstream.(placed).MatchErr
			return text != "" && text[0] != '['
		}},
		{"several errors", func(d decision[node]) bool { return strings.HasPrefix(d.upstream.(placed).MatchErr, "[") }},
		{"error in a field", func(d decision[node]) bool { return strings.Contains(d.upstream.(placed).MatchErr, "matchFields") }},
	}, nil, decision[node]{n, theirs, ours})
}

// preferred is a pod's preferences, and a node.
type preferred struct {
	Terms []corev1.PreferredSchedulingTerm
	Node  node
}

type score struct {
	N   int64
	Err string
}

func comparePreferences(t random.T, c *caseCounts, _ time.Time) {
	p := preferred{Node: drawNode(t)}
	var preferences []selector.Preference
	for range random.Below(t, "preferences", 4) {
		term := corev1.PreferredSchedulingTerm{Weight: int32(random.Below(t, "weight", 3)), Preference: gen.NodeTerm(t)}
		p.Terms = append(p.Terms, term)
		preferences = append(preferences, selector.Preference{Weight: term.Weight, Preference: ourTerm(term.Preference)})
	}
	their, err := nodeaffinity.NewPreferredSchedulingTerms(p.Terms)
	theirs := score{Err: textOf(err)}
	if err == nil {
		theirs.N = their.Score(p.Node.object())
	}
	our, err := selector.NewPreferences(preferences)
	ours := score{Err: textOf(err)}
	if err == nil {
		ours.N = our.Score(p.Node.Name, p.Node.Labels)
	}
	judge(t, c, []corner[decision[preferred]]{
		{"no score", func(d decision[preferred]) bool { return d.upstream == score{} && len(d.in.Terms) > 1 }},
		{"score of several", func(d decision[preferred]) bool { return d.upstream.(score).N > 2 }},
		{"error", func(d decision[preferred]) bool { return d.upstream.(score).Err != "" }},
		in("weight 0", func(p preferred) bool { return len(p.Terms) > 0 && p.Terms[0].Weight == 0 }),
	}, nil, decision[preferred]{p, theirs, ours})
}

// checkedNode is a node selector and how strictly it is checked.
type checkedNode struct {
	Selector *corev1.NodeSelector
	Values   bool // invalid ones are allowed
}

// internal returns the selector in the API server's own types.
func (n checkedNode) internal() *core.NodeSelector {
	requirements := func(list []corev1.NodeSelectorRequirement) (rs []core.NodeSelectorRequirement) {
		for _, r := range list {
			rs = append(rs, core.NodeSelectorRequirement{Key: r.Key, Operator: core.NodeSelectorOperator(r.Operator), Values: r.Values})
		}
		return rs
	}
	s := &core.NodeSelector{}
	for _, t := range n.Selector.NodeSelectorTerms {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, core.NodeSelectorTerm{
			MatchExpressions: requirements(t.MatchExpressions), MatchFields: requirements(t.MatchFields),
		})
	}
	return s
}

func compareValidateNode(t random.T, c *caseCounts, _ time.Time) {
	n := checkedNode{orEmpty(gen.NodeSelector(t)), random.OneIn(t, "values", 2)}
	theirs := ""
	if err := corevalidation.ValidateNodeSelector(n.internal(), n.Values, field.NewPath("spec")).ToAggregate(); err != nil {
		theirs = inBytes(err.Error())
	}
	ours := selector.ValidateNodeSelector(ourNodeSelector(n.Selector), "spec", selector.ValidateOptions{AllowInvalidValues: n.Values})
	says := func(text string) corner[decision[checkedNode]] {
		return corner[decision[checkedNode]]{"error: " + text, func(d decision[checkedNode]) bool { return strings.Contains(d.upstream.(string), text) }}
	}
	judge(t, c, []corner[decision[checkedNode]]{
		outcomeIs[checkedNode]("valid", ""), says("must have at least one node selector term"), says("Required value"), says("Forbidden"),
		says("matchFields"), says("not a valid selector operator"),
	}, nil, decision[checkedNode]{n, theirs, textOf(ours)})
}
