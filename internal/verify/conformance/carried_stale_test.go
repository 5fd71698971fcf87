// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// Changes of an object on the server that a cache does not show.
const (
	goneSince      = "gone"
	replacedSince  = "another of its name"
	touchedSince   = "changed"
	relabeledSince = "relabelled"
	takenSince     = "taken by another owner"
	endingSince    = "being deleted"
	unseen         = "not seen yet"
)

// outdate makes the server newer than the cache, in half of the cases, and returns the changes.
func outdate(t random.T, now time.Time, s *apiserver.Server, cached []metav1.Object) (ways []string) {
	if random.OneIn(t, "fresh", 2) {
		return nil
	}
	for _, o := range cached {
		if random.Below(t, "stale", 8) != 7 {
			continue
		}
		way := random.OneOf[string](t, "way", touchedSince, goneSince, endingSince, replacedSince, relabeledSince, takenSince)
		if kindOf(o) == "Node" {
			continue
		}
		k := apiserver.KeyOf(o.(apiserver.Object))
		next := s.Stored(k).DeepCopyObject().(apiserver.Object)
		ways = append(ways, way)
		switch way {
		case goneSince:
			s.Remove(k)
			continue
		case replacedSince:
			next.SetUID(types.UID("new-" + k.Name))
		case relabeledSince:
			next.SetLabels(map[string]string{"app": "former"})
		case takenSince:
			next.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Other", Name: "other", UID: "other", Controller: new(true)}})
		case endingSince:
			if next.GetDeletionTimestamp() == nil {
				next.SetDeletionTimestamp(new(metav1.NewTime(now.Add(30 * time.Second)).Rfc3339Copy()))
				next.SetDeletionGracePeriodSeconds(new(int64(30)))
			}
		default:
			annotations := map[string]string{"touched": "yes"}
			maps.Copy(annotations, next.GetAnnotations())
			next.SetAnnotations(annotations)
		}
		s.Put(next)
	}
	return ways
}

// complete sets the fields in the objects of a case that a server would have set, and returns all
// except nodes.
func complete(objects []metav1.Object) (list []apiserver.Object) {
	for _, o := range objects {
		object := o.(apiserver.Object)
		if kindOf(o) != "Node" {
			list = append(list, object)
		}
		if pod, ok := o.(*corev1.Pod); ok && pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds == nil {
			pod.DeletionGracePeriodSeconds = new(int64(30))
		}
	}
	return list
}

// served returns a server with the objects, and gives the cached ones the versions and UIDs of the
// server.
func served(objects []metav1.Object) *apiserver.Server {
	s := apiserver.New()
	for _, o := range complete(objects) {
		stored := s.Put(o)
		o.SetResourceVersion(stored.GetResourceVersion())
		o.SetUID(stored.GetUID())
	}
	return s
}

// A callKind is a kind of calls for rules.
type callKind struct{ verb, kind string }

// drawRules draws which calls fail: in three of four cases up to twelve rules, since many are
// about calls that are not made. Then a call fails in about half of the cases. The errors of
// pods that are created at once are the same, since upstream reports any of them.
func drawRules(t random.T, targets []callKind) (rules []apiserver.Rule) {
	if random.OneIn(t, "no failure", 4) {
		return nil
	}
	classes := map[callKind]apiserver.Class{}
	for range 1 + random.Below(t, "rules", 12) {
		of := targets[random.Below(t, "target", len(targets))]
		class, ok := classes[of]
		if !ok || of.kind != "Pod" || of.verb != apiserver.Create && of.verb != apiserver.Delete {
			class = apiserver.Classes[random.Below(t, "class", len(apiserver.Classes))]
		}
		if of.verb != apiserver.Create { // answers to creations only
			switch class {
			case apiserver.Exists:
				class = apiserver.Conflict
			case apiserver.Terminating:
				class = apiserver.Quota
			}
		}
		classes[of] = class
		r := apiserver.Rule{Verb: of.verb, Kind: of.kind, Class: class, Of: uint32(1 + max(0, random.Below(t, "of", 5)-2)), Count: 1 << 30}
		r.Pick = uint32(random.Below(t, "pick", int(r.Of)))
		if of.callsAlike() {
			if random.OneIn(t, "later", 4) {
				r.From = random.Below(t, "from", 6)
			}
			if random.OneIn(t, "once", 5) {
				r.Count = 1
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// callsAlike reports whether the n-th call of this kind for an object has the same purpose on both
// sides. Upstream writes some objects several times where a plan writes them once.
func (k callKind) callsAlike() bool {
	return k.verb == apiserver.Create || k.verb == apiserver.Delete || k.verb == apiserver.Status && k.kind != "Deployment"
}

// failureCorners are that each class of failure has been met, and each call has failed.
func failureCorners(targets []callKind) (corners []corner[*carriedPass]) {
	met := func(name string, is func(apiserver.Call) bool) {
		corners = append(corners, corner[*carriedPass]{name, func(p *carriedPass) bool {
			return slices.ContainsFunc(p.theirs, is) && slices.ContainsFunc(p.mine, is)
		}})
	}
	corners = append(corners, corner[*carriedPass]{"a call fails", (*carriedPass).fails})
	for _, class := range apiserver.Classes {
		met("answered "+string(class), func(c apiserver.Call) bool { return c.Class == class })
	}
	for _, of := range targets {
		met("failed to "+of.verb+" "+of.kind, func(c apiserver.Call) bool { return c.Verb == of.verb && c.Kind == of.kind && c.Class != "" })
	}
	met("not there any more", func(c apiserver.Call) bool { return c.Class == "" && apierrors.IsNotFound(c.Err) })
	met("not the owner's to take", func(c apiserver.Call) bool { return c.Class == "" && apierrors.IsInvalid(c.Err) })
	return corners
}

// fails reports whether one of our calls was let fail.
func (p *carriedPass) fails() bool {
	return slices.ContainsFunc(p.mine, func(c apiserver.Call) bool { return c.Class != "" })
}

// A tally counts the calls of both sides, by the failures that were met.
type tally map[tallied][2]int

type tallied struct{ class, call string }

func (t tally) add(p *carriedPass) {
	for side, calls := range [][]apiserver.Call{p.theirs, p.mine} {
		for _, c := range calls {
			k := tallied{string(c.Class), c.Verb + " " + c.Kind}
			n := t[k]
			n[side]++
			t[k] = n
		}
	}
}

// lines returns a table with a row for each class and call: the numbers of upstream's calls and of
// ours.
func (t tally) lines() (lines []string) {
	for k, n := range t {
		class := k.class
		if class == "" {
			class = "answered as it is"
		}
		lines = append(lines, fmt.Sprintf("    %-28s %-28s upstream %9d  ours %9d", class, k.call, n[0], n[1]))
	}
	slices.Sort(lines)
	return lines
}
