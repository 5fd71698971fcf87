package gen

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
)

// Limit draws maxSurge or maxUnavailable as users write it: 35 % small numbers,
// 45 % ordinary percentages, and the rest unset, odd, or unusable.
func Limit(t *rapid.T, label string) *intstr.IntOrString {
	value := func(v intstr.IntOrString) *intstr.IntOrString { return &v }
	switch pick(t, label+" class", 35, 45, 5, 5, 5, 5) {
	case 0:
		return value(intstr.FromInt32(int32(UpTo(t, 7, label))))
	case 1:
		return value(intstr.FromString(from(t, label, "25%", "0%", "1%", "10%", "34%", "50%", "75%", "99%", "100%")))
	case 2:
		return nil
	case 3:
		return value(intstr.FromInt32(AnyNumber(t, label)))
	case 4:
		return value(intstr.FromString(strconv.Itoa(int(AnyNumber(t, label))) + "%"))
	}
	return value(intstr.FromString(from(t, label, "300%", "+5%", "-25%", "5", "", "%", " 25%", "2.5%", "x%",
		"007%", "2147483647%", "4294967296%", "99999999999999999999%")))
}

// goodLimit draws a limit that the API server accepts.
func goodLimit(t *rapid.T, label string) *intstr.IntOrString {
	var v intstr.IntOrString
	switch pick(t, label+" class", 45, 50, 5) {
	case 0:
		v = intstr.FromInt32(int32(UpTo(t, 7, label)))
	case 1:
		v = intstr.FromString(from(t, label, "25%", "0%", "1%", "10%", "34%", "50%", "75%", "99%", "100%"))
	default:
		v = intstr.FromInt32(anySize.Draw(t, label))
	}
	return &v
}

// SizeText draws an annotation that says how large something was: 55 % right, 20 %
// stale, the rest tampered with.
func SizeText(t *rapid.T, right int32, label string) (text string, present bool) {
	switch pick(t, label+" class", 55, 20, 12, 13) {
	case 0:
		return strconv.Itoa(int(right)), true
	case 1:
		return strconv.Itoa(int(Size(t, label))), true
	case 2:
		return "", false
	}
	return from(t, label, "0", "", "-1", "+5", " 5", "zz", "007", "3.0", "2147483647", "2147483648", "4294967299"), true
}

// Revision draws a revision annotation: mostly a small number, so that equal ones
// are common, 12 % missing, 12 % unusable or extreme.
func Revision(t *rapid.T, label string) (text string, present bool) {
	switch pick(t, label+" class", 76, 12, 12) {
	case 0:
		return strconv.Itoa(1 + UpTo(t, 7, label)), true
	case 1:
		return "", false
	}
	return from(t, label, "", "bad", "-3", "+4", " 4", "007", "1e3", "9223372036854775807", "9223372036854775808"), true
}

// History draws a revision-history annotation: mostly short, at times longer than
// any limit.
func History(t *rapid.T, label string) (text string, present bool) {
	switch pick(t, label+" class", 50, 30, 15, 5) {
	case 0:
		return "", false
	case 1:
		return from(t, label, "1", "1,2", "8,9,10", "1,2,3"), true
	case 2:
		return from(t, label, "", ",9", ",", "1,,2", "bad", "1,2,"), true
	}
	long := make([]byte, 0, 2100)
	for n := 1980 + UpTo(t, 40, label); len(long) < n; {
		long = append(long, "1234,"...)
	}
	return string(long[:len(long)-1-UpTo(t, 6, label+" cut")]), true
}

// annotations draws what users and tools put on a Deployment: usually nothing.
func annotations(t *rapid.T, label string) map[string]string {
	m := map[string]string{}
	if percent(t, 30, label+" cause") {
		m["kubernetes.io/change-cause"] = from(t, label, "new image", "", "scale")
	}
	if percent(t, 10, label+" applied") {
		m["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
	}
	return m
}

// Text draws a short text of any characters, or a long plain one.
func Text(t *rapid.T, label string) string {
	if OneIn(t, 4, label+" long") {
		b := make([]byte, 230+UpTo(t, 60, label))
		for i := range b {
			b[i] = "web.-x"[i%6]
		}
		return string(b)
	}
	return anyText.Draw(t, label)
}

var anyText = rapid.StringN(0, 20, -1)
