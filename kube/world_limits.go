// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/errors"
)

// limitRanges returns the LimitRanges among objects by namespace, sorted by name.
func limitRanges(objects []Object) map[string][]*corev1.LimitRange {
	ranges := map[string][]*corev1.LimitRange{}
	for _, object := range objects {
		if o, ok := object.(*corev1.LimitRange); ok && o != nil {
			ranges[o.Namespace] = append(ranges[o.Namespace], o)
		}
	}
	for _, list := range ranges {
		slices.SortStableFunc(list, func(a, b *corev1.LimitRange) int { return strings.Compare(a.Name, b.Name) })
	}
	return ranges
}

// limitRange notes the fields of a LimitRange that a world ignores.
func (w *worldReader) limitRange(o *corev1.LimitRange) {
	for _, item := range o.Spec.Limits {
		if item.Type == corev1.LimitTypePersistentVolumeClaim {
			w.unseen[unseenClaimLimits] = true
		}
	}
}

// completed returns a pod with the defaults that the API server sets at admission: unset
// requests equal the limits, and LimitRanges set other unset resources of containers. It also
// returns the reason why a LimitRange refuses the pod, in the words of the API server, "" if
// none does.
//
// It mirrors the admission plugin LimitRanger of Kubernetes 1.37.
func completed(spec *corev1.PodSpec, ranges []*corev1.LimitRange) (*corev1.PodSpec, string) {
	spec = spec.DeepCopy()
	for _, c := range containersOf(spec) {
		c.Resources.Requests = with(c.Resources.Requests, c.Resources.Limits)
	}
	if r := spec.Resources; r != nil {
		for name, q := range r.Limits {
			if requested := requestOf(spec, name); ofWholePods(name) && requested.IsZero() {
				r.Requests = with(r.Requests, corev1.ResourceList{name: q})
			}
		}
	}
	for _, r := range ranges {
		limits, requests := defaultsOf(r)
		for _, c := range containersOf(spec) {
			c.Resources.Limits = with(c.Resources.Limits, limits)
			c.Resources.Requests = with(c.Resources.Requests, requests)
		}
	}
	for _, r := range ranges {
		if err := within(r, spec); err != nil {
			return spec, err.Error()
		}
	}
	return spec, ""
}

// with returns a list together with the entries of more that it lacks.
func with(list, more corev1.ResourceList) corev1.ResourceList {
	if len(more) == 0 {
		return list
	}
	all := maps.Clone(more)
	maps.Copy(all, list)
	return all
}

// defaultsOf returns the defaults for containers. The API server derives missing entries of a
// LimitRange: a limit from the maximum, and a request from the limit or the minimum.
func defaultsOf(r *corev1.LimitRange) (limits, requests corev1.ResourceList) {
	limits, requests = corev1.ResourceList{}, corev1.ResourceList{}
	for _, item := range r.Spec.Limits {
		if item.Type == corev1.LimitTypeContainer {
			of := with(item.Default, item.Max)
			maps.Copy(limits, of)
			maps.Copy(requests, with(with(item.DefaultRequest, of), item.Min))
		}
	}
	return limits, requests
}

// within returns the reason why a LimitRange refuses a pod.
func within(r *corev1.LimitRange, spec *corev1.PodSpec) error {
	var errs []error
	for _, item := range r.Spec.Limits {
		switch item.Type {
		case corev1.LimitTypeContainer:
			for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
				errs = append(errs, outside(&item, c.Resources.Requests, c.Resources.Limits)...)
			}
		case corev1.LimitTypePod:
			errs = append(errs, outside(&item, sumOf(spec), sumOf(limitsOf(spec)))...)
		}
	}
	return errors.NewAggregate(errs)
}

// sumOf returns the requests of a pod without its overhead, for all resources with a
// request.
func sumOf(spec *corev1.PodSpec) corev1.ResourceList {
	bare := *spec
	bare.Overhead = nil
	sum := corev1.ResourceList{}
	note := func(list corev1.ResourceList) {
		for name := range list {
			sum[name] = requestOf(&bare, name)
		}
	}
	for _, c := range containersOf(spec) {
		note(c.Resources.Requests)
	}
	if spec.Resources != nil {
		note(spec.Resources.Requests)
	}
	return sum
}

// outside returns the violations of an item of a LimitRange by the requests and limits of a
// container or a pod.
func outside(item *corev1.LimitRangeItem, requests, limits corev1.ResourceList) (errs []error) {
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, bound := range []struct {
		word string
		list corev1.ResourceList
		sign int // sign of Cmp for a violation
	}{{"minimum", item.Min, -1}, {"maximum", item.Max, 1}} {
		for _, name := range slices.Sorted(maps.Keys(bound.list)) {
			limit := bound.list[name]
			is := fmt.Sprintf("%s %s usage per %s is %s", bound.word, name, item.Type, limit.String())
			request, requested := requests[name]
			most, limited := limits[name]
			switch {
			case bound.sign < 0 && !requested:
				refuse("%s.  No request is specified", is)
			case bound.sign > 0 && !limited:
				refuse("%s.  No limit is specified", is)
			case bound.sign > 0 && most.Cmp(limit) > 0:
				refuse("%s, but limit is %s", is, most.String())
			case requested && request.Cmp(limit) == bound.sign:
				refuse("%s, but request is %s", is, request.String())
			case limited && most.Cmp(limit) == bound.sign:
				refuse("%s, but limit is %s", is, most.String())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.MaxLimitRequestRatio)) {
		if why := ratio(item.MaxLimitRequestRatio[name], requests[name], limits[name]); why != "" {
			most := item.MaxLimitRequestRatio[name]
			refuse("%s max limit to request ratio per %s is %s, but %s", name, item.Type, most.String(), why)
		}
	}
	return errs
}

// ratio returns the reason why a limit is too large for a request, "" if it is not.
func ratio(most, request, limit resource.Quantity) string {
	switch {
	case request.IsZero():
		return "no request is specified or request is 0"
	case limit.IsZero():
		return "no limit is specified or limit is 0"
	}
	if is := float64(limit.MilliValue()) / float64(request.MilliValue()); is*1000 > float64(most.MilliValue()) {
		return fmt.Sprintf("provided ratio is %f", is)
	}
	return ""
}
