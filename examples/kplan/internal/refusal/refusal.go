// SPDX-License-Identifier: Apache-2.0

// Package refusal parses messages of the API server about refused objects. It returns the
// component that has refused the object, and the change that would help.
package refusal

import (
	"regexp"
	"strings"
)

// A Refusal is an answer of another component, as conditions and events quote it.
type Refusal struct {
	By   string // the component, such as ResourceQuota compute
	Ends string // what to change, as a sentence
}

// A rule recognizes an answer by its text. In its other fields $1 and $2 stand for submatches of
// the pattern.
type rule struct {
	pattern  *regexp.Regexp
	by, ends string
}

// rules are in order of precedence: a webhook may quote the text of other components.
var rules = []rule{
	{
		regexp.MustCompile(`admission webhook "([^"]+)" denied the request`), "the admission webhook $1",
		"Change what it objects to in the template, or have its owner allow it.",
	},
	{
		regexp.MustCompile(`failed calling webhook "([^"]+)"`), "the API server, which cannot reach the webhook $1",
		"Bring the service of the webhook up again; until then its failurePolicy refuses everything.",
	},
	{
		regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied`), "the ValidatingAdmissionPolicy $1",
		"Change what it objects to in the template, or the policy or its binding $2.",
	},
	{
		regexp.MustCompile(`exceeded quota: ([^,]+), requested: (?:count/)?pods=\d+, used`), "the ResourceQuota $1",
		"Free some of the pods that it counts, or raise it.",
	},
	{
		regexp.MustCompile(`exceeded quota: ([^,]+), requested: (\S+), used`), "the ResourceQuota $1",
		"Free some of what it counts, raise it, or let the pods ask for less than $2.",
	},
	{
		regexp.MustCompile(`failed quota: ([^:]+): must specify (.+)$`), "the ResourceQuota $1",
		"Set $2 in the template, or have a LimitRange give a default.",
	},
	{
		regexp.MustCompile(`violates PodSecurity "([^:"]+)`), "the Pod Security admission",
		"Change what it lists in the template, or let the namespace enforce less than the level $1.",
	},
	{
		regexp.MustCompile(`(?:maximum|minimum) (\S+) usage per (Container|Pod) is|(\S+) max limit to request ratio per`), "a LimitRange",
		"Change requests and limits in the template to fit within it, or the LimitRange.",
	},
	{
		regexp.MustCompile(`error looking up service account [^:]*: serviceaccount "([^"]+)" not found`), "the API server",
		"Create the ServiceAccount $1, or name another one in spec.template.spec.serviceAccountName.",
	},
	{
		regexp.MustCompile(`no PriorityClass with name (\S+) was found`), "the API server",
		"Create the PriorityClass $1, or name another one in spec.template.spec.priorityClassName.",
	},
	{
		regexp.MustCompile(`RuntimeClass "?([^" ]+)"? not found`), "the API server",
		"Create the RuntimeClass $1, or name another one in spec.template.spec.runtimeClassName.",
	},
	{
		regexp.MustCompile(`in namespace (\S+) because it is being terminated`), "the API server",
		"Nothing is created in the namespace $1 any more; create it anew once it is gone.",
	},
	{
		regexp.MustCompile(`" is invalid: ([\w.\[\]]+)`), "the API server",
		"Change $1 in the template.",
	},
	{regexp.MustCompile(`is forbidden: `), "the API server", "Change what it objects to, or have it allowed."},
}

// Of returns the refusal in a message of conditions or events. It reports false if the message is
// no refusal.
func Of(message string) (r Refusal, ok bool) {
	message = strings.Join(strings.Fields(message), " ")
	for _, known := range rules {
		if m := known.pattern.FindStringSubmatchIndex(message); m != nil {
			expand := func(text string) string { return string(known.pattern.ExpandString(nil, text, message, m)) }
			return Refusal{expand(known.by), expand(known.ends)}, true
		}
	}
	return Refusal{}, false
}
