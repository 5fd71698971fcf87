// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	validvalue "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	labelsutil "k8s.io/kubernetes/pkg/util/labels"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/selector"
)

var selectorFunctions = []function{
	{"labels.NewRequirement", compareRequirement},
	{"LabelSelectorAsSelector", compareLabelSelector},
	{"ValidateLabelSelector", compareValidate},
	{"ValidateReplicaSetSpec", compareWorkload},
	{"labels.Parse", compareParse},
	{"ParseToLabelSelector, ConvertSelectorToLabelsMap", compareParseMap},
	{"IsLabelKey, IsValidLabelValue", compareKeyValue},
	{"labels.Merge, Conflicts, Equals, SelectorFromSet", compareMaps},
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return inBytes(err.Error())
}

// selected is the behavior of a compiled selector: its text, and whether it selects each of some
// labels.
type selected struct {
	Err, Text           string
	Everything, Nothing bool
	Exact               []string // the exact values that it requires for some keys
	Matches             []bool
	Clone               string // with one more label
}

// chosen is the corner of the cases of which upstream selects some labels, or none.
func chosen[C any](name string, matches bool) corner[decision[C]] {
	return corner[decision[C]]{name, func(d decision[C]) bool {
		for _, m := range d.upstream.(selected).Matches {
			if m == matches {
				return true
			}
		}
		return false
	}}
}

func rejects[C any](text string) corner[decision[C]] {
	return corner[decision[C]]{"error: " + text, func(d decision[C]) bool { return strings.Contains(d.upstream.(selected).Err, text) }}
}

func drawLabels(t random.T) []map[string]string {
	list := make([]map[string]string, 3)
	for i := range list {
		list[i] = random.Labels(t, "labels")
	}
	return list
}

// requirement is one requirement and labels to match.
type requirement struct {
	Key, Op string
	Values  []string
	Labels  []map[string]string
}

func compareRequirement(t random.T, c *caseCounts, _ time.Time) {
	r := requirement{Key: random.Key(t, "key"), Labels: drawLabels(t)}
	r.Op = random.OneOf(t, "op", "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!", "in", "notin", "=", "gt", "lt", "", "bogus")
	n := random.Below(t, "values", 4)
	if random.OneIn(t, "one value", 2) {
		n = 1
	}
	r.Values = random.Values(t, "values", n)
	d := decision[requirement]{in: r}
	want, err := labels.NewRequirement(r.Key, selection.Operator(r.Op), r.Values)
	theirs := selected{Err: textOf(err)}
	got, err := selector.NewRequirement(r.Key, selector.Op(r.Op), r.Values)
	ours := selected{Err: textOf(err)}
	if theirs.Err == "" && ours.Err == "" {
		theirs.Text, ours.Text = want.String(), got.String()
		for _, m := range r.Labels {
			theirs.Matches = append(theirs.Matches, want.Matches(labels.Set(m)))
			ours.Matches = append(ours.Matches, got.Matches(m))
		}
	}
	d.upstream, d.ours = theirs, ours
	judge(t, c, []corner[decision[requirement]]{
		chosen[requirement]("matches", true), chosen[requirement]("does not match", false),
		rejects[requirement]("must be an integer"), rejects[requirement]("Unsupported value"),
		rejects[requirement]("for 'in', 'notin' operators, values set can't be empty"),
		{"greater than", func(d decision[requirement]) bool {
			return d.in.Op == "gt" && strings.Contains(d.upstream.(selected).Text, ">")
		}},
	}, nil, d)
}

// labelled is a selector and labels to match.
type labelled struct {
	Selector *metav1.LabelSelector
	Labels   []map[string]string
}

func compareLabelSelector(t random.T, c *caseCounts, _ time.Time) {
	l := labelled{gen.LabelSelector(t), drawLabels(t)}
	judge(t, c, []corner[decision[labelled]]{
		chosen[labelled]("matches", true), chosen[labelled]("does not match", false),
		in("nil", func(l labelled) bool { return l.Selector == nil }),
		in("of a map and expressions", func(l labelled) bool {
			return l.Selector != nil && len(l.Selector.MatchLabels) > 0 && len(l.Selector.MatchExpressions) > 0
		}),
		{"everything", func(d decision[labelled]) bool { return d.upstream.(selected).Everything }},
		{"nothing", func(d decision[labelled]) bool { return d.upstream.(selected).Nothing }},
		{"exact", func(d decision[labelled]) bool {
			return strings.Contains(strings.Join(d.upstream.(selected).Exact, ""), "x")
		}},
		rejects[labelled]("is not a valid label selector operator"), rejects[labelled]("values set can't be empty"),
		rejects[labelled]("name part must"),
	}, nil, decision[labelled]{l, theirSelected(l), ourSelected(l)})
}

func theirSelected(l labelled) selected {
	s, err := metav1.LabelSelectorAsSelector(l.Selector)
	_, mapErr := metav1.LabelSelectorAsMap(l.Selector)
	r := selected{Err: textOf(err) + textOf(mapErr), Text: metav1.FormatLabelSelector(l.Selector)}
	if l.Selector != nil {
		r.Clone = metav1.FormatLabelSelector(labelsutil.CloneSelectorAndAddLabel(l.Selector, "hash", "1"))
	}
	if err != nil {
		return r
	}
	r.Text += s.String()
	r.Everything, r.Nothing = s.Empty(), labels.MatchesNothing(s)
	for _, key := range []string{"a", "b", "app"} {
		if value, ok := s.RequiresExactMatch(key); ok {
			r.Exact = append(r.Exact, key+"="+value)
		}
	}
	for _, m := range l.Labels {
		r.Matches = append(r.Matches, s.Matches(labels.Set(m)))
	}
	return r
}

func ourSelected(l labelled) selected {
	ls := kube.LabelSelector(l.Selector)
	s, err := selector.FromLabelSelector(ls)
	_, mapErr := ls.Map()
	r := selected{Err: textOf(err) + textOf(mapErr), Text: selector.Format(ls)}
	if ls != nil {
		r.Clone = selector.Format(ls.WithLabel("hash", "1"))
	}
	if err != nil {
		return r
	}
	r.Text += s.String()
	r.Everything, r.Nothing = s.IsEverything(), s.IsNothing()
	for _, key := range []string{"a", "b", "app"} {
		if value, ok := s.ExactMatch(key); ok {
			r.Exact = append(r.Exact, key+"="+value)
		}
	}
	for _, m := range l.Labels {
		r.Matches = append(r.Matches, s.Matches(m))
	}
	return r
}

// validated is a selector and how strictly it is checked.
type validated struct {
	Selector        *metav1.LabelSelector
	Values, Unknown bool // allowed although they are invalid, or unknown
}

func compareValidate(t random.T, c *caseCounts, _ time.Time) {
	v := validated{gen.LabelSelector(t), random.OneIn(t, "values", 3), random.OneIn(t, "unknown", 2)}
	errs := validation.ValidateLabelSelector(v.Selector, validation.LabelSelectorValidationOptions{
		AllowInvalidLabelValueInSelector: v.Values, AllowUnknownOperatorInRequirement: v.Unknown,
	}, field.NewPath("spec", "selector"))
	theirs := ""
	if errs.ToAggregate() != nil {
		theirs = inBytes(errs.ToAggregate().Error())
	}
	ours := selector.Validate(kube.LabelSelector(v.Selector), "spec.selector",
		selector.ValidateOptions{AllowInvalidValues: v.Values, AllowUnknownOperators: v.Unknown})
	says := func(text string) corner[decision[validated]] {
		return corner[decision[validated]]{"error: " + text, func(d decision[validated]) bool { return strings.Contains(d.upstream.(string), text) }}
	}
	judge(t, c, []corner[decision[validated]]{
		outcomeIs[validated]("valid", ""), says("Required value"), says("Forbidden"), says("Invalid value"), says("not a valid selector operator"),
		{"several errors", func(d decision[validated]) bool { return strings.HasPrefix(d.upstream.(string), "[") }},
	}, nil, decision[validated]{v, theirs, textOf(ours)})
}

// workload is a selector and the labels of the pods that it is to select.
type workload struct {
	Selector *metav1.LabelSelector
	Labels   map[string]string
}

// compareWorkload compares the errors about the selector. The template has other errors as well,
// which only upstream reports.
func compareWorkload(t random.T, c *caseCounts, _ time.Time) {
	w := workload{Selector: gen.LabelSelector(t), Labels: drawLabels(t)[0]}
	if w.Selector != nil && len(w.Selector.MatchLabels) > 0 && random.OneIn(t, "select", 2) {
		w.Labels = w.Selector.MatchLabels
	}
	spec := &apps.ReplicaSetSpec{Selector: w.Selector}
	spec.Template.Labels = w.Labels
	theirs, ours := []string{}, []string{}
	for _, e := range appsvalidation.ValidateReplicaSetSpec(spec, nil, field.NewPath("spec"), corevalidation.PodValidationOptions{}) {
		if strings.HasPrefix(e.Field, "spec.selector") || strings.Contains(e.Detail, "`selector`") {
			theirs = append(theirs, e.Field+": "+inBytes(e.Detail))
		}
	}
	var wrong *selector.Error
	if errors.As(selector.ValidateWorkload(kube.LabelSelector(w.Selector), w.Labels, selector.ValidateOptions{}), &wrong) {
		for _, e := range wrong.Fields {
			ours = append(ours, e.Path+": "+e.Detail)
		}
	}
	says := func(text string) corner[decision[workload]] {
		return corner[decision[workload]]{"error: " + text, func(d decision[workload]) bool {
			return strings.Contains(strings.Join(d.upstream.([]string), "\n"), text)
		}}
	}
	judge(t, c, []corner[decision[workload]]{
		in("no selector", func(w workload) bool { return w.Selector == nil }),
		{"valid", func(d decision[workload]) bool { return len(d.upstream.([]string)) == 0 }},
		says("empty selector"), says("invalid label selector"), says("does not match"),
	}, nil, decision[workload]{w, theirs, ours})
}

// parsed is a text and labels to match.
type parsed struct {
	Text   string
	Labels []map[string]string
}

func compareParse(t random.T, c *caseCounts, _ time.Time) {
	p := parsed{random.SelectorText(t), drawLabels(t)[:1]}
	want, err := labels.Parse(p.Text)
	theirs := selected{Err: textOf(err)}
	got, err := selector.ParseWith(p.Text, selector.ParseOptions{NUL: true})
	ours := selected{Err: textOf(err)}
	if theirs.Err == "" && ours.Err == "" {
		theirs.Text, ours.Text = want.String(), got.String()
		for _, m := range p.Labels {
			theirs.Matches = append(theirs.Matches, want.Matches(labels.Set(m)))
			ours.Matches = append(ours.Matches, got.Matches(m))
		}
	}
	judge(t, c, []corner[decision[parsed]]{
		chosen[parsed]("matches", true), chosen[parsed]("does not match", false),
		in("NUL", func(p parsed) bool { return strings.Contains(p.Text, "\x00") }),
		rejects[parsed]("found ''"), rejects[parsed]("expected: "), rejects[parsed]("unable to parse requirement"),
		{"two requirements", func(d decision[parsed]) bool { return strings.Contains(d.upstream.(selected).Text, ",") }},
	}, nil, decision[parsed]{p, theirs, ours})
}

// asMap is a text parsed as a label selector and as a map.
type asMap struct {
	Err, Text, MapErr string
	Map               map[string]string
}

func compareParseMap(t random.T, c *caseCounts, _ time.Time) {
	text := random.SelectorText(t)
	if random.OneIn(t, "pairs", 2) {
		text = random.Key(t, "key") + "=" + random.Value(t, "value")
		if random.OneIn(t, "second", 2) {
			text += "," + random.Key(t, "key") + "=" + random.Value(t, "value")
		}
	}
	var theirs, ours asMap
	a, err := metav1.ParseToLabelSelector(text)
	if theirs.Err = textOf(err); err == nil {
		theirs.Text = metav1.FormatLabelSelector(a)
	}
	theirMap, err := labels.ConvertSelectorToLabelsMap(text)
	theirs.Map, theirs.MapErr = map[string]string(theirMap), textOf(err)
	b, err := selector.ParseLabelSelector(text)
	if ours.Err = textOf(err); err == nil {
		ours.Text = selector.Format(b)
	}
	if strings.Contains(ours.Err, "found NUL") && strings.Contains(text, "\x00") {
		theirs.Err, theirs.Text = ours.Err, "" // a deviation: upstream drops the rest of the text
	}
	ours.Map, err = selector.ParseMap(text)
	ours.MapErr = textOf(err)
	if theirs.MapErr != "" && ours.MapErr != "" {
		theirs.Map, ours.Map = nil, nil // with an error the values have no use
	}
	judge(t, c, []corner[decision[string]]{
		{"selector", func(d decision[string]) bool { return d.upstream.(asMap).Text != "" }},
		in("NUL", func(text string) bool { return strings.Contains(text, "\x00") }),
		{"map of two", func(d decision[string]) bool { return len(d.upstream.(asMap).Map) == 2 }},
		{"neither", func(d decision[string]) bool { return d.upstream.(asMap).Err != "" && d.upstream.(asMap).MapErr != "" }},
		{"selector but no map", func(d decision[string]) bool { return d.upstream.(asMap).Err == "" && d.upstream.(asMap).MapErr != "" }},
	}, nil, decision[string]{text, theirs, ours})
}

// checked are the errors of a text as a key and as a value.
type checked struct{ Key, Value []string }

func compareKeyValue(t random.T, c *caseCounts, _ time.Time) {
	var b strings.Builder
	for range random.Below(t, "pieces", 7) {
		switch random.Below(t, "piece", 40) {
		case 0:
			b.WriteString(strings.Repeat("x", 55+random.Below(t, "long", 12)))
		case 1:
			b.WriteString(strings.Repeat("y", 245+random.Below(t, "very long", 12)))
		case 2:
			b.WriteByte(byte(128 + random.Below(t, "byte", 128)))
		default:
			b.WriteByte("aZ09-_./.-\n ~"[random.Below(t, "character", 13)])
		}
	}
	text := b.String()
	wrong := func(text string) corner[decision[string]] {
		return corner[decision[string]]{text, func(d decision[string]) bool {
			return strings.Contains(strings.Join(d.upstream.(checked).Key, ""), text)
		}}
	}
	judge(t, c, []corner[decision[string]]{
		{"valid key", func(d decision[string]) bool { return len(d.upstream.(checked).Key) == 0 }},
		{"valid value", func(d decision[string]) bool { return len(d.upstream.(checked).Value) == 0 && d.in != "" }},
		wrong("prefix part must be non-empty"), wrong("name part must be non-empty"), wrong("no more than 63"), wrong("no more than 253"),
		in("not UTF-8", func(s string) bool { return strings.ToValidUTF8(s, "") != s }),
	}, nil, decision[string]{
		text, checked{allInBytes(upstream.IsLabelKey(text)), allInBytes(validvalue.IsValidLabelValue(text))},
		checked{selector.ValidateKey(text), selector.ValidateValue(text)},
	})
}

// combined is the result of two sets of labels.
type combined struct {
	Conflict, Equal     bool
	Merged              map[string]string
	Text, Selector, Err string
}

func compareMaps(t random.T, c *caseCounts, _ time.Time) {
	a, b := random.Labels(t, "a"), random.Labels(t, "b")
	if random.OneIn(t, "same", 4) {
		b = cloneMap(a)
	}
	theirs := combined{labels.Conflicts(a, b), labels.Equals(a, b), labels.Merge(a, b), labels.Set(a).String() + labels.FormatLabels(a),
		labels.SelectorFromSet(a).String(), ""}
	ours := combined{selector.LabelsConflict(a, b), selector.EqualLabels(a, b), selector.MergeLabels(a, b),
		selector.LabelsText(a) + selector.FormatLabels(a), selector.FromMap(a).String(), ""}
	if len(a) == 1 { // upstream reports one of several
		_, err := labels.ValidatedSelectorFromSet(a)
		theirs.Err = textOf(err)
		_, err = selector.FromValidMap(a)
		ours.Err = textOf(err)
	}
	judge(t, c, []corner[decision[[2]map[string]string]]{
		{"conflict", func(d decision[[2]map[string]string]) bool { return d.upstream.(combined).Conflict }},
		{"no conflict", func(d decision[[2]map[string]string]) bool {
			return !d.upstream.(combined).Conflict && len(d.in[0]) > 1
		}},
		{"equal", func(d decision[[2]map[string]string]) bool { return d.upstream.(combined).Equal && len(d.in[0]) > 1 }},
		{"invalid", func(d decision[[2]map[string]string]) bool { return d.upstream.(combined).Err != "" }},
	}, nil, decision[[2]map[string]string]{[2]map[string]string{a, b}, theirs, ours})
}
