// SPDX-License-Identifier: Apache-2.0

// Package view writes plans and simulations as text and as JSON.
package view

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/revision"
)

// An actionWords holds the words for the reasons of actions. Like [holdWords] it is a plain map,
// because the linker drops maps that nothing reads: the playground only contains the words that it
// shows.
type actionWords map[kplan.Reason]string

// A holdWords holds the words for the reasons of holds.
type holdWords map[kplan.Reason]Advice

// An Advice explains a hold to people.
type Advice struct {
	Text  string // a comparison; its verbs stand for the numbers Have and Limit, in this order
	Means string
	Ends  string // what ends it
	Stuck bool   // it does not end by itself
}

// why returns the words for the reason of an action.
func (w actionWords) why(r kplan.Reason) string {
	if text, ok := w[r]; ok {
		return text
	}
	return string(r)
}

// advice returns the advice on a hold. Without words for the reason it returns a general one.
func (w holdWords) advice(r kplan.Reason) Advice {
	if a, ok := w[r]; ok {
		return a
	}
	return Advice{
		Text: string(r) + ": %d of %d", Means: "The planner holds this back.",
		Ends: "See the documentation of the reason " + string(r) + ".",
	}
}

// whyNot returns the comparison of a hold, with its numbers.
func (w holdWords) whyNot(r kplan.Reason, have, limit int64) string {
	return formatted(w.advice(r).Text, []any{have, limit})
}

// formatted formats as many of the numbers as the format has verbs.
func formatted(format string, numbers []any) string {
	return fmt.Sprintf(format, numbers[:strings.Count(format, "%d")]...)
}

// reasonOf returns the reason of an action. The actions of all planners are structs with a string
// field Reason.
func reasonOf(action any) kplan.Reason {
	return kplan.Reason(reflect.ValueOf(action).FieldByName("Reason").String())
}

// whyNot returns the comparison of a hold of a Deployment, with its numbers.
func whyNot(h kplan.Hold) string {
	return formatted(adviceOn(h).Text, []any{h.Have, h.Limit})
}

// A phrase is an action of the Deployment planner in words.
type phrase struct {
	set   string // the affected ReplicaSet, or ""
	short string // the effect on the ReplicaSet or Deployment
	long  string // the same with all details
}

func phraseOf(a deploy.Action) phrase {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return phrase{
			a.Name, fmt.Sprintf("create with %d", a.Replicas),
			fmt.Sprintf("create replica set %s with %s, revision %d", a.Name, plural(a.Replicas, "pod"), a.Revision),
		}
	case deploy.ScaleReplicaSet:
		text := fmt.Sprintf("scale replica set %s from %d to %d", a.Name, a.From, a.To)
		if a.Unhealthy > 0 {
			text += fmt.Sprintf(", %d of them unhealthy", a.Unhealthy)
		}
		return phrase{a.Name, fmt.Sprintf("%d -> %d", a.From, a.To), text}
	case deploy.AnnotateReplicaSet:
		text := fmt.Sprintf("update replica set %s: %s", a.Name, pairs(a.Set))
		if a.MinReadySeconds != nil {
			text = strings.TrimSuffix(text, ": ") + fmt.Sprintf(", minReadySeconds=%d", *a.MinReadySeconds)
		}
		return phrase{a.Name, "annotate", text}
	case deploy.AdoptReplicaSet:
		return phrase{a.Name, "adopt", "adopt replica set " + a.Name}
	case deploy.ReleaseReplicaSet:
		return phrase{a.Name, "release", "release replica set " + a.Name}
	case deploy.DeleteReplicaSet:
		return phrase{a.Name, "delete", fmt.Sprintf("delete replica set %s, revision %d", a.Name, a.Revision)}
	case deploy.AnnotateDeployment:
		short := "annotate"
		if number, ok := a.Set[revision.AnnotationRevision]; ok && len(a.Set) == 1 {
			short = "rev " + number
		}
		return phrase{"", short, "annotate deployment: " + pairs(a.Set)}
	case deploy.RollBackDeployment:
		return phrase{"", fmt.Sprintf("back to rev %d", a.Revision), fmt.Sprintf("roll back to revision %d of replica set %s", a.Revision, a.Name)}
	case deploy.ClearRollback:
		return phrase{"", "no rollback", "remove the request for a rollback"}
	case deploy.PauseDeployment:
		return phrase{"", "pause", fmt.Sprintf("pause the deployment %s pod %s is deleted", a.Mode, a.Pod)}
	}
	return phrase{"", fmt.Sprintf("%T", a), a.String()}
}

// short returns a few words for an action, with the label of the ReplicaSet.
func short(a deploy.Action, label func(string) string) string {
	d := phraseOf(a)
	if a, ok := a.(deploy.DeleteReplicaSet); ok {
		return fmt.Sprintf("rev %d: delete", a.Revision) // it no longer has a column
	}
	if d.set == "" {
		return "deployment: " + d.short
	}
	return label(d.set) + ": " + d.short
}

// pairs returns annotations in the order of their keys, without the common prefix of the
// controller. Long values are cut.
func pairs(m map[string]string) string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, strings.TrimPrefix(key, "deployment.kubernetes.io/")+"="+cut(m[key], 40))
	}
	return strings.Join(texts, ", ")
}

// cut returns a text as one line of at most so many characters.
func cut(text string, most int) string {
	return terminal.Cut(strings.Join(strings.Fields(text), " "), most)
}

func plural(n int32, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// help returns the meaning of a hold, and what ends it.
func help(a Advice) string {
	if a.Stuck {
		return a.Means + " Time alone does not end it. " + a.Ends
	}
	return a.Means + " What ends it: " + a.Ends
}
