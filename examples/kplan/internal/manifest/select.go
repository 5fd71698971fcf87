// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/replicaset"
)

// A Selection chooses workloads of files, as kubectl get does in a cluster. All other objects stay
// in effect: pods, nodes, quotas and other workloads.
type Selection struct {
	Names     []Named         // empty means workloads of all kinds
	Labels    labels.Selector // of the workloads; nil means any
	Namespace string          // "" means any
}

// A Named is the workload of a kind with a name, or all workloads of a kind.
type Named struct {
	Kind, Group string // the group is "" for any
	Name        string // "" means all
}

// shortTypes are the short names of kinds in kubectl.
var shortTypes = map[string]string{
	"deploy": "Deployment", "ds": "DaemonSet", "rs": "ReplicaSet", "rc": "ReplicationController", "ro": "Rollout", "sts": "StatefulSet",
}

// KindOf returns the kind and the group of a type as written for kubectl, such as deploy or
// daemonsets.apps. It returns false if that is no type of a workload.
func KindOf(text string) (kind, group string, ok bool) {
	name, group, _ := strings.Cut(strings.ToLower(text), ".")
	if version, rest, found := strings.Cut(group, "."); found && len(version) > 1 && version[0] == 'v' && version[1] >= '1' && version[1] <= '9' {
		group = rest
	}
	if kind, ok = shortTypes[name]; ok {
		return kind, group, true
	}
	for kind := range maps.Keys(selectable) {
		if plural := strings.ToLower(kind) + "s"; name == plural || name+"s" == plural {
			return kind, group, true
		}
	}
	return "", "", false
}

// selectable are the kinds of workloads and Rollouts.
var selectable = func() map[string]bool {
	kinds := maps.Clone(controllers)
	for kind := range planned {
		kinds[kind] = true
	}
	for _, other := range []string{"Pod", "Node", "ControllerRevision", "BatchRelease"} {
		delete(kinds, other)
	}
	return kinds
}()

// ParseNames parses arguments: TYPE/NAME any number of times, or a TYPE and names, or types
// separated by commas.
func ParseNames(args []string) ([]Named, error) {
	if len(args) == 0 {
		return nil, nil
	}
	var list []Named
	if strings.Contains(args[0], "/") {
		for _, arg := range args {
			text, name, found := strings.Cut(arg, "/")
			kind, group, ok := KindOf(text)
			switch {
			case !found || name == "":
				return nil, fmt.Errorf("%s: must be TYPE/NAME, as the arguments before it", arg)
			case !ok:
				return nil, noType(text)
			}
			list = append(list, Named{kind, group, name})
		}
		return list, nil
	}
	names := args[1:]
	if len(names) == 0 {
		names = []string{""}
	}
	for text := range strings.SplitSeq(args[0], ",") {
		kind, group, ok := KindOf(text)
		if !ok {
			return nil, noType(text)
		}
		for _, name := range names {
			if strings.Contains(name, "/") {
				return nil, fmt.Errorf("%s: must be a name, as there is the type %s before it", name, args[0])
			}
			list = append(list, Named{kind, group, name})
		}
	}
	return list, nil
}

func noType(text string) error {
	return fmt.Errorf("%s: must be a type such as deployment, daemonset, replicaset, replicationcontroller or rollout", text)
}

func (n *Named) text() string {
	text := strings.ToLower(n.Kind)
	if n.Group != "" {
		text += "." + n.Group
	}
	if n.Name == "" {
		return text
	}
	return text + "/" + n.Name
}

// has reports whether an object is named.
func (n *Named) has(id ID) bool {
	return n.Kind == id.Kind && (n.Group == "" || n.Group == id.Group) && (n.Name == "" || n.Name == id.Name)
}

// selected tracks the objects of a source that a selection chooses.
type selected struct {
	*Selection        // nil chooses all
	namespace  string // namespace of manifests without one
	found      []bool // whether each of Names was found
	ids        map[ID]bool
	uids       map[types.UID]bool
}

// see records an object of the source if it is chosen.
func (s *selected) see(u *unstructured.Unstructured) {
	if s.Selection == nil || !selectable[u.GetKind()] {
		return
	}
	id := idOf(u)
	id.Namespace = cmp.Or(id.Namespace, s.namespace, metav1.NamespaceDefault)
	if s.Namespace != "" && id.Namespace != s.Namespace || s.Labels != nil && !s.Labels.Matches(labels.Set(u.GetLabels())) {
		return
	}
	owned := metav1.GetControllerOfNoCopy(u) != nil
	chosen := len(s.Names) == 0 && !owned
	if s.ids == nil {
		s.found, s.ids, s.uids = make([]bool, len(s.Names)), map[ID]bool{}, map[types.UID]bool{}
	}
	for i := range s.Names {
		if n := &s.Names[i]; n.has(id) && (n.Name != "" || !owned) {
			s.found[i], chosen = true, true
		}
	}
	if chosen {
		s.ids[id], s.uids[u.GetUID()] = true, u.GetUID() != ""
	}
}

// has reports whether an object is chosen.
func (s *selected) has(id ID) bool {
	id.Namespace = cmp.Or(id.Namespace, s.namespace)
	return s.Selection == nil || s.ids[id.Placed()]
}

// passes reports whether the answer does not depend on an object: it is not chosen, and is no
// ReplicaSet, which may belong to a chosen workload.
func (s *selected) passes(id ID) bool {
	return selectable[id.Kind] && id.Kind != replicaset.Kind && id.Kind != replicaset.KindController && !s.has(id)
}

// byName reports whether a ReplicaSet is chosen by name or type.
func (s *selected) byName(h *heldSet) bool {
	return s.Selection != nil && len(s.Names) > 0 && s.has(h.id())
}

// hasSet reports whether a ReplicaSet or its controller is chosen. The controller need not be in
// the source.
func (s *selected) hasSet(h *heldSet) bool {
	if s.has(h.id()) || h.controlled && s.uids[h.controller] {
		return true
	}
	owner := metav1.GetControllerOfNoCopy(h.open())
	h.close()
	if owner == nil {
		return false
	}
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(owner.APIVersion)
	u.SetKind(owner.Kind)
	u.SetNamespace(h.namespace)
	u.SetName(owner.Name)
	s.see(u)
	return s.has(idOf(u))
}

// missed returns an error if a named object is not in the source.
func (s *selected) missed() error {
	if s.Selection == nil {
		return nil
	}
	for i := range s.Names {
		if n := &s.Names[i]; n.Name != "" && (s.ids == nil || !s.found[i]) {
			return fmt.Errorf("%s is not in the input%s", n.text(), s.within())
		}
	}
	return nil
}

// none returns the message for a selection that chooses nothing.
func (s *selected) none() string {
	what := "workload"
	if len(s.Names) > 0 {
		var texts []string
		for i := range s.Names {
			texts = append(texts, s.Names[i].text())
		}
		what = strings.Join(texts, " or ")
	}
	return fmt.Sprintf("there is nothing to plan in the input: no %s%s", what, s.within())
}

// within returns the namespace and labels of the selection, for messages.
func (s *selected) within() (text string) {
	if s.Namespace != "" {
		text = " in the namespace " + s.Namespace
	}
	if s.Labels != nil && !s.Labels.Empty() {
		text += " with the labels " + s.Labels.String()
	}
	return text
}
