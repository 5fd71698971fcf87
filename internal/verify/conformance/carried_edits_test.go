// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// change changes an object like another client. With asked, the generation increases.
func (c *chain) change(k apiserver.Key, asked bool, f func(o apiserver.Object)) {
	o := c.server.Stored(k).DeepCopyObject().(apiserver.Object)
	if f(o); asked {
		o.SetGeneration(o.GetGeneration() + 1)
	}
	c.server.Put(o)
}

// storedOf returns the objects of a kind.
func storedOf[T apiserver.Object](c *chain) (list []T) {
	for _, o := range c.server.Objects() {
		if o, ok := o.(T); ok {
			list = append(list, o)
		}
	}
	return list
}

// kubelet starts pods, makes them ready, and removes those that are being deleted.
func (c *chain) kubelet(t random.T, now time.Time, nodes []string) {
	for _, p := range storedOf[*corev1.Pod](c) {
		k := apiserver.KeyOf(p)
		switch {
		case random.OneIn(t, "slow", 3):
		case p.DeletionTimestamp != nil:
			if random.OneIn(t, "gone", 2) {
				c.server.Remove(k)
			}
		case p.Status.Phase == corev1.PodPending:
			c.change(k, false, func(o apiserver.Object) {
				p := o.(*corev1.Pod)
				p.Status.Phase = corev1.PodRunning
				if node := apiserver.Target(p); node != "" {
					p.Spec.NodeName = node
				} else if len(nodes) > 0 {
					p.Spec.NodeName = random.OneOf(t, "node", nodes...)
				}
				setReady(p, !random.OneIn(t, "not ready", 3), now)
			})
		case p.Status.Phase == corev1.PodRunning && random.OneIn(t, "other readiness", 6):
			c.change(k, false, func(o apiserver.Object) { setReady(o.(*corev1.Pod), !random.OneIn(t, "unready", 3), now) })
		}
	}
}

func setReady(p *corev1.Pod, ready bool, now time.Time) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(now.Truncate(time.Second))}}
}

// editPod does something to a pod: it fails, ends, is deleted, or is taken out of the
// selector.
func (c *chain) editPod(t random.T, now time.Time) {
	pods := storedOf[*corev1.Pod](c)
	if len(pods) == 0 {
		return
	}
	p := random.OneOf(t, "pod", pods...)
	what := random.Below(t, "what of the pod", 7)
	c.change(apiserver.KeyOf(p), false, func(o apiserver.Object) {
		p := o.(*corev1.Pod)
		switch what {
		case 0, 1:
			p.Status.Phase = corev1.PodFailed
		case 2:
			p.Status.Phase = corev1.PodSucceeded
		case 3, 4:
			if p.DeletionTimestamp == nil {
				p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(metav1.NewTime(now.Add(30*time.Second).Truncate(time.Second))), new(int64(30))
			}
		case 5:
			p.Labels = maps.Clone(p.Labels)
			if p.Labels == nil {
				p.Labels = map[string]string{}
			}
			p.Labels["app"] = "former"
		default:
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": random.Cost(t)}
		}
	})
	if what == 3 && random.OneIn(t, "at once", 2) {
		c.server.Remove(apiserver.KeyOf(p))
	}
}

// orphan adds a pod without owner that may be adopted. Its name comes last.
func (c *chain) orphan(t random.T, now time.Time, labels map[string]string, prepare func(*corev1.Pod)) {
	c.serial++
	p := gen.Pod(t, now, c.serial)
	p.Name, p.UID, p.Labels = fmt.Sprintf("z%d", c.serial), types.UID(fmt.Sprintf("orphan-%d", c.serial)), maps.Clone(labels)
	if p.DeletionTimestamp != nil {
		p.DeletionGracePeriodSeconds = new(int64(30))
	}
	if now.Sub(p.CreationTimestamp.Time).Milliseconds() == 0 { // upstream panics over such pods
		p.CreationTimestamp.Time = now.Truncate(time.Second).Add(-time.Second)
	}
	if prepare != nil {
		prepare(p)
	}
	c.server.Put(p)
}

// touch changes a field that no controller reads.
func (c *chain) touch(t random.T) {
	o := random.OneOf(t, "touched", c.server.Objects()...)
	c.change(apiserver.KeyOf(o), apiserver.Kind(o) == "Deployment", func(o apiserver.Object) {
		annotations := map[string]string{}
		maps.Copy(annotations, o.GetAnnotations())
		annotations["touched"] = fmt.Sprint(random.Below(t, "touch", 3))
		o.SetAnnotations(annotations)
	})
}

// deleted marks the owner as being deleted.
func (c *chain) deleted(now time.Time) {
	c.change(apiserver.KeyOf(c.cached[0].(apiserver.Object)), true, func(o apiserver.Object) {
		if o.GetDeletionTimestamp() == nil {
			o.SetDeletionTimestamp(new(metav1.NewTime(now.Truncate(time.Second))))
			o.SetFinalizers([]string{"orphan"})
		}
	})
}
