// SPDX-License-Identifier: Apache-2.0

// Package valid checks rules of the API server that all objects with a pod template share,
// as far as they are easy to break by hand: names, selectors, labels, and required fields of
// containers. It does not check volumes, probes, or security contexts.
package valid

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kplan-go/kplan"
)

// Names checks the name and the namespace.
func Names(o *metav1.ObjectMeta, es *kplan.FieldErrors) {
	if o.Name == "" {
		es.Add("metadata.name", "", "must be set")
	} else {
		check(es, "metadata.name", o.Name, validation.IsDNS1123Subdomain(o.Name))
	}
	if o.Namespace != "" {
		check(es, "metadata.namespace", o.Namespace, validation.IsDNS1123Label(o.Namespace))
	}
}

// check adds the errors of a text, in the words of apimachinery without the examples.
func check(es *kplan.FieldErrors, path, text string, wrong []string) {
	for _, words := range wrong {
		words, _, _ = strings.Cut(words, " (e.g. ")
		es.Add(path, text, words)
	}
}

// Selector checks that the selector is set, and that it matches the labels of the
// template.
func Selector(s *metav1.LabelSelector, template map[string]string, es *kplan.FieldErrors) {
	if s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		es.Add("spec.selector", "", "must be set and not empty")
		return
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		*es = append(*es, &kplan.FieldError{
			Path: "spec.selector", Value: written(s), Detail: "must be a label selector: " + err.Error(), Err: err,
		})
		return
	}
	if l := labels.Set(template); !selector.Matches(l) {
		es.Add("spec.template.metadata.labels", l.String(), "must match the selector "+selector.String())
	}
}

// written formats a selector, valid or not, as kubectl does.
func written(s *metav1.LabelSelector) string {
	var list []string
	if len(s.MatchLabels) > 0 {
		list = append(list, labels.Set(s.MatchLabels).String())
	}
	for _, e := range s.MatchExpressions {
		list = append(list, strings.TrimSpace(e.Key+" "+string(e.Operator)+" ("+strings.Join(e.Values, ",")+")"))
	}
	return strings.Join(list, ",")
}

// Template checks the pod template of a workload that never ends.
func Template(t *corev1.PodTemplateSpec, es *kplan.FieldErrors) {
	const path = "spec.template.spec"
	s := &t.Spec
	if len(s.Containers) == 0 {
		es.Add(path+".containers", "", "must not be empty")
	}
	if s.RestartPolicy != "" && s.RestartPolicy != corev1.RestartPolicyAlways {
		es.Add(path+".restartPolicy", string(s.RestartPolicy), "must be Always")
	}
	if s.ActiveDeadlineSeconds != nil {
		es.Add(path+".activeDeadlineSeconds", *s.ActiveDeadlineSeconds, "must not be set")
	}
	pairs(es, "spec.template.metadata.labels", t.Labels)
	pairs(es, path+".nodeSelector", s.NodeSelector)
	var names []string
	for _, list := range []struct {
		path       string
		containers []corev1.Container
	}{{path + ".initContainers", s.InitContainers}, {path + ".containers", s.Containers}} {
		for i := range list.containers {
			c := &list.containers[i]
			container(es, kplan.ElementPath(list.path, c.Name), c)
			if slices.Contains(names, c.Name) {
				es.Add(kplan.ElementPath(list.path, c.Name)+".name", c.Name, "must be the name of one container alone")
			}
			names = append(names, c.Name)
		}
	}
}

func container(es *kplan.FieldErrors, path string, c *corev1.Container) {
	if c.Name == "" {
		es.Add(path+".name", "", "must be set")
	} else {
		check(es, path+".name", c.Name, validation.IsDNS1123Label(c.Name))
	}
	if c.Image == "" {
		es.Add(path+".image", "", "must be set")
	}
	for _, p := range c.Ports {
		if p.ContainerPort < 1 || p.ContainerPort > 65535 {
			es.Add(path+".ports", p.ContainerPort, "must be between 1 and 65535")
		}
	}
}

// pairs checks the keys and values of labels.
func pairs(es *kplan.FieldErrors, path string, of map[string]string) {
	for key, value := range of {
		check(es, path, key, validation.IsQualifiedName(key))
		check(es, path+"["+key+"]", value, validation.IsValidLabelValue(value))
	}
}
