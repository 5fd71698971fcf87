// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A carriedOut is the result of a pass on one side: the final state of changed objects, the writes
// and the events.
type carriedOut struct {
	Failed  bool                        // the pass must be repeated
	Objects map[string]apiserver.Object // by kind and name; nil for one that is gone
	Writes  []string                    // in order, writes of pods sorted
	Events  []upstream.Event
	Recheck string
	// Creations and Deletions are still expected afterwards.
	Creations, Deletions int64
}

// A carriedPass is one case with the results of both sides.
type carriedPass struct {
	kind           string
	cached         []metav1.Object   // the objects in both caches
	server         *apiserver.Server // as it was
	rules          []apiserver.Rule
	upstream, ours carriedOut
	theirs, mine   []apiserver.Call
	err, ourErr    error
	panicked       any
	note           string // for people: the plans
	last           string // of them
	// again runs upstream with more rules.
	again func(more []apiserver.Rule, m mode)
	owner apiserver.Key
	// memory is the knowledge of both sides from earlier passes, and left our knowledge afterwards.
	memory *memory
	left   memory
	after  *apiserver.Server // our server afterwards
	// later is the error of our next pass, with caches that have read up to these versions of pods
	// and owner. It is nil unless they are older than the writes of this pass.
	later  func(pods, owner string) error
	spared int // calls that upstream does not come to, by an intended difference
}

// read reads the result of a pass from the server. Created objects get the same names on both
// sides.
func (o *carriedOut) read(before, after *apiserver.Server, events []upstream.Event) {
	names := o.objects(before, after)
	o.writes(after.Calls(), names)
	for _, e := range events {
		o.Events = append(o.Events, upstream.Event{Type: e.Type, Reason: e.Reason, Message: replaceNames(e.Message, names)})
	}
}

// objects compares the objects before and after, and returns new names of created pods.
func (o *carriedOut) objects(before, after *apiserver.Server) map[string]string {
	o.Objects = map[string]apiserver.Object{}
	var created []apiserver.Object
	for _, now := range after.Objects() {
		was := before.Stored(apiserver.KeyOf(now))
		switch {
		case was == now:
		case was == nil || was.GetUID() != now.GetUID():
			created = append(created, now)
		default:
			o.change(was, now)
		}
	}
	for _, was := range before.Objects() {
		if k := apiserver.KeyOf(was); after.Stored(k) == nil {
			o.Objects[k.Kind+" "+k.Name] = nil
		}
	}
	slices.SortStableFunc(created, func(a, b apiserver.Object) int {
		return cmp.Or(cmp.Compare(targetOf(a), targetOf(b)), cmp.Compare(a.GetUID(), b.GetUID()))
	})
	names := map[string]string{}
	for i, object := range created {
		object = object.DeepCopyObject().(apiserver.Object)
		if object.GetGenerateName() != "" {
			names[object.GetName()] = fmt.Sprintf("%s#%d", object.GetGenerateName(), i)
			object.SetName(names[object.GetName()])
		}
		object.SetUID("created")
		object.SetResourceVersion("")
		o.Objects["created "+apiserver.Kind(object)+" "+object.GetName()] = object
	}
	return names
}

// change adds an object that has changed. How often its generation was raised is left out.
func (o *carriedOut) change(was, now apiserver.Object) {
	object := now.DeepCopyObject().(apiserver.Object)
	object.SetResourceVersion(was.GetResourceVersion())
	if object.GetGeneration() > was.GetGeneration() {
		object.SetGeneration(was.GetGeneration() + 1)
	}
	if !equality.Semantic.DeepEqual(was, object) {
		object.SetResourceVersion("")
		o.Objects[apiserver.Kind(now)+" "+now.GetName()] = object
	}
}

func targetOf(o apiserver.Object) string {
	if pod, ok := o.(*corev1.Pod); ok {
		return apiserver.Target(pod)
	}
	return ""
}

// objectName is a word that may be a name.
var objectName = regexp.MustCompile(`[a-z0-9][-.a-z0-9]*[a-z0-9]`)

func replaceNames(text string, names map[string]string) string {
	if len(names) == 0 {
		return text
	}
	return objectName.ReplaceAllStringFunc(text, func(word string) string { return cmp.Or(names[word], word) })
}

// writes adds the calls that changed something or were refused, once each, except for the status,
// whose result is compared.
func (o *carriedOut) writes(calls []apiserver.Call, names map[string]string) {
	counts := map[string]int{}
	for _, c := range calls {
		if c.Verb == apiserver.Get || c.Verb == apiserver.Status || !c.Changed && c.Err == nil && c.Class != apiserver.Dropped {
			continue
		}
		text := c.Verb + " " + c.Kind + " " + replaceNames(c.Name, names)
		if counts[text]++; counts[text] == 1 {
			o.Writes = append(o.Writes, text)
		}
	}
	o.Writes = slices.DeleteFunc(o.Writes, func(text string) bool { // the label of a revision that is deleted later
		revision, ok := strings.CutPrefix(text, "write ControllerRevision ")
		return ok && counts["delete ControllerRevision "+revision] > 0
	})
	o.sortWrites()
	for i, text := range o.Writes {
		if strings.HasPrefix(text, "create Pod") {
			o.Writes[i] = fmt.Sprintf("%s %d times", text, counts[text])
		}
	}
}

// sortWrites sorts consecutive writes whose order does not matter.
func (o *carriedOut) sortWrites() {
	group := func(text string) string {
		verb, rest, _ := strings.Cut(text, " ")
		kind, _, _ := strings.Cut(rest, " ")
		return verb + kind
	}
	for i := 0; i < len(o.Writes); {
		n := i + 1
		for n < len(o.Writes) && alike(group(o.Writes[i]), group(o.Writes[n])) {
			n++
		}
		slices.Sort(o.Writes[i:n])
		i = n
	}
}

// alike reports whether the order of two writes does not matter: upstream's claims are in the order
// of its cache, and pods are created and deleted concurrently.
func alike(a, b string) bool {
	claim := func(s string) bool {
		return strings.HasPrefix(s, apiserver.Adopt) || strings.HasPrefix(s, apiserver.Release)
	}
	return a == b && strings.HasSuffix(a, "Pod") || claim(a) && claim(b)
}

// sortEvents forgets the order of events.
func (o *carriedOut) sortEvents() {
	slices.SortFunc(o.Events, func(a, b upstream.Event) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
}

// diff returns the differences between two sides, leaf by leaf, or "".
func (o carriedOut) diff(other carriedOut) string {
	if o.equal(&other) {
		return ""
	}
	return cmp.Or(gocmp.Diff(o, other, cmpopts.EquateEmpty(), semantic), "equal but for nil and empty")
}

var semantic = gocmp.FilterValues(func(a, b metav1.Time) bool { return true }, gocmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) }))

func (o *carriedOut) equal(other *carriedOut) bool {
	return o.Failed == other.Failed && o.Recheck == other.Recheck && o.Creations == other.Creations && o.Deletions == other.Deletions &&
		slices.Equal(o.Writes, other.Writes) && slices.Equal(o.Events, other.Events) &&
		maps.EqualFunc(o.Objects, other.Objects, func(a, b apiserver.Object) bool { return equality.Semantic.DeepEqual(a, b) })
}

// clone returns a copy with parts that may be replaced.
func (o carriedOut) clone() carriedOut {
	o.Objects, o.Writes, o.Events = maps.Clone(o.Objects), slices.Clone(o.Writes), slices.Clone(o.Events)
	return o
}

// A substitution is one intended difference: upstream runs again with the answers that our side
// got, and then nothing may differ any more.
type substitution struct {
	name, reason string
	// answers returns the answers for upstream, before all other rules.
	answers func(*carriedPass) []apiserver.Rule
	mode
	// adjust, unless it is nil, changes one leaf of upstream's side.
	adjust func(*carriedPass)
}

// A mode is a set of further changes for upstream.
type mode struct {
	own   bool // its writes do not conflict with its own
	fails bool // our pass fails for a reason that upstream does not see
	waits bool // for another pass, after one that was to create or delete pods
	byUID bool // owner references of pods have the name and kind of the UID
}

func (m mode) or(n mode) mode {
	return mode{m.own || n.own, m.fails || n.fails, m.waits || n.waits, m.byUID || n.byUID}
}

// verdict runs upstream and compares the two sides. Where they differ, upstream runs again with the
// answers of the substitutions that apply.
func (p *carriedPass) verdict(rows []substitution) (intended []string, diff string) {
	p.again(nil, mode{})
	if p.upstream.diff(p.ours) == "" && p.tooMany() == "" {
		return nil, ""
	}
	var answers []apiserver.Rule
	var m mode
	for range 3 { // one may let upstream get as far as another
		for _, d := range rows {
			if more := d.answers(p); len(more) > 0 && !slices.Contains(intended, d.name) {
				answers, m = append(answers, more...), m.or(d.mode)
				intended = append(intended, d.name)
			}
		}
		p.again(answers, m)
		for _, d := range rows {
			if d.adjust != nil && slices.Contains(intended, d.name) {
				d.adjust(p)
			}
		}
		if m.fails {
			p.upstream.Failed, p.upstream.Recheck = true, never
		}
	}
	if left := p.upstream.diff(p.ours); left != "" {
		return nil, fmt.Sprintf("%s\nin spite of %q:", left, intended)
	}
	return intended, p.tooMany()
}

// tooMany says if we have made more calls than upstream.
func (p *carriedPass) tooMany() string {
	if len(p.mine) > len(p.theirs)+max(0, p.spared) {
		return fmt.Sprintf("%d calls, and upstream makes %d", len(p.mine), len(p.theirs))
	}
	return ""
}

// samePods reports whether both sides have written the same pods.
func (p *carriedPass) samePods() bool {
	pods := func(writes []string) (list []string) {
		for _, w := range writes {
			if strings.Contains(w, " Pod ") {
				list = append(list, w)
			}
		}
		return list
	}
	return slices.Equal(pods(p.upstream.Writes), pods(p.ours.Writes))
}

// report is the case and both sides, for people.
func (p *carriedPass) report(diff string) string {
	objects, err := yaml.Marshal(p.cached)
	stored, err2 := yaml.Marshal(p.server.Objects())
	if err = errors.Join(err, err2); err != nil {
		objects = []byte(err.Error())
	}
	calls := func(list []apiserver.Call) string {
		text := ""
		for _, c := range list {
			text += fmt.Sprintf("  %s %s %s %s changed: %v error: %v\n", c.Verb, c.Kind, c.Name, c.Class, c.Changed, c.Err)
		}
		return text
	}
	return fmt.Sprintf("upstream (-) and ours (+) differ:\n%s\nupstream error: %v, panic: %v\nour error: %v\nupstream's calls:\n%sour calls:\n%srules: %+v\nplan:\n%s\ncached:\n%s\nstored:\n%s",
		diff, p.err, p.panicked, p.ourErr, calls(p.theirs), calls(p.mine), p.rules, p.note, objects, stored)
}

func kindOf(o any) string { return reflect.TypeOf(o).Elem().Name() }

// testCarried runs random passes. A plan with an intended difference is not carried out: the
// comparison of plans covers it.
func testCarried(t bubble, counts *caseCounts, targets []callKind, pass func(random.T) (*carriedPass, string)) {
	corners := failureCorners(targets)
	start := time.Now()
	counts.check(t, carriedCases, func(t random.T) {
		p, differs := pass(t)
		if differs != "" {
			counts.differences["in the plan: "+differs]++
			return
		}
		intended, diff := p.verdict(substitutions)
		if diff != "" {
			t.Fatal(p.report(diff))
		}
		take(counts, corners, p)
		counts.calls.add(p)
		for _, name := range intended {
			counts.differences[name]++
		}
	})
	if time.Since(start) > 0 {
		t.Error("a pass without repetitions has waited")
	}
}
