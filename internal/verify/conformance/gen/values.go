// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

// Time draws a time with package random.
func Time(t random.Source, now time.Time, label string) metav1.Time {
	return metav1.NewTime(random.Time(t, label, now))
}

// Limit draws maxSurge or maxUnavailable: 80 % valid, and the rest unset, odd, or invalid.
func Limit(t random.Source, label string) *intstr.IntOrString {
	switch random.Weighted(t, label+" is", 80, 5, 5, 5, 5) {
	case 0:
		return goodLimit(t, label)
	case 1:
		return nil
	case 2:
		return new(intstr.FromInt32(random.Number(t, label)))
	case 3:
		return new(intstr.FromString(strconv.Itoa(int(random.Number(t, label))) + "%"))
	}
	return new(intstr.FromString(random.OneOf(t, label, "300%", "+5%", "-25%", "5", "", "%", " 25%", "2.5%", "x%",
		"007%", "2147483647%", "4294967296%", "99999999999999999999%")))
}

// goodLimit draws a limit that the API server accepts.
func goodLimit(t random.Source, label string) *intstr.IntOrString {
	return kube.ToIntOrString(random.Limit(t, label))
}

// annotations draws annotations of users and tools on a Deployment: usually none.
func annotations(t random.Source, label string) map[string]string {
	m := map[string]string{}
	if random.Percent(t, label+" cause", 30) {
		m["kubernetes.io/change-cause"] = random.OneOf(t, label, "new image", "", "scale")
	}
	if random.Percent(t, label+" applied", 10) {
		m["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
	}
	return m
}
