// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/kube"
)

// Topics of scenarios, in addition to kinds.
const (
	aboutBudget = "budget"
	aboutQuota  = "quota"
	aboutLost   = "lost node"
	aboutPort   = "host port"
	aboutImage  = "wrong image"
	competing   = "competing" // two workloads compete for room, ports, a quota or a budget
)

var topics = []string{aboutBudget, aboutQuota, aboutLost, aboutPort, aboutImage}

// Other features of scenarios.
const (
	parallel    = "parallel StatefulSet"
	partitioned = "partition"
	surging     = "DaemonSet with surge"
	dropped     = "deleted workload"
	lostQuota   = "lost node with quota"
)

var others = []string{parallel, partitioned, surging, dropped, lostQuota}

// A scenario is a series of events in a namespace.
type scenario struct {
	*pair
	*rand.Rand
	about     map[string]bool
	workloads []*workload
	nodes     int
	budgeted  []string        // names of the workloads that the budget selects
	away      string          // a node that does not answer, "" for none
	met       map[string]bool // kinds and topics that came up
}

// newScenario draws a scenario. Each topic is drawn in turn, and another one by chance.
func newScenario(t *testing.T, seed int) *scenario {
	own := topics[seed%len(topics)]
	s := &scenario{Rand: rand.New(rand.NewPCG(uint64(seed), 1)), met: map[string]bool{}}
	other := topics[s.IntN(len(topics))]
	s.about = map[string]bool{own: true, other: true}
	s.nodes = 3 + s.IntN(2)
	first, wanted := s.IntN(len(kinds)), int64(0)
	for i := range 2 + s.IntN(2) {
		w := s.workload(kinds[(first+i*(1+seed%4))%len(kinds)], fmt.Sprintf("w%d", i))
		if s.about[aboutPort] && (i < 2 || s.IntN(2) == 0) {
			w.port = 8080
			s.met[aboutPort] = true
		}
		s.workloads = append(s.workloads, w)
		wanted += s.wants(w)
		s.met[w.kind] = true
	}
	namespace := fmt.Sprintf("beside-%d", seed)
	room := max(2, (wanted+int64(s.IntN(7)))/int64(s.nodes)) // sometimes there is too little
	s.pair = newPair(t, namespace, s.nodes, room, s.limits(namespace, wanted)...)
	return s
}

func (s *scenario) workload(kind, name string) *workload {
	w := &workload{kind: kind, name: name, replicas: int32(1 + s.IntN(4)), version: 1, unavailable: 1, minReady: int32(s.IntN(4) / 3)}
	switch kind {
	case rolling:
		w.surge, w.unavailable = s.IntN(3), s.IntN(2)
		if w.surge == 0 {
			w.unavailable++
		}
	case daemonSet:
		if w.surge = s.IntN(3); w.surge > 0 {
			w.unavailable, s.met[surging] = 0, true
		}
	case statefulSet:
		w.parallel = s.IntN(2) == 0
		s.meet(parallel, w.parallel)
	}
	return w
}

func (s *scenario) wants(w *workload) int64 {
	if w.kind == daemonSet {
		return int64(s.nodes)
	}
	return int64(w.replicas)
}

// limits are the budget and the quota.
func (s *scenario) limits(namespace string, wanted int64) (list []kube.Object) {
	if s.about[aboutQuota] {
		s.met[aboutQuota] = true
		list = append(list, quota(namespace, wanted+int64(s.IntN(2))))
	}
	if !s.about[aboutBudget] {
		return list
	}
	for _, w := range s.workloads {
		if w.kind != daemonSet && (len(s.budgeted) == 0 || s.IntN(3) > 0) {
			s.budgeted = append(s.budgeted, w.name)
		}
	}
	var least, most *intstr.IntOrString
	switch n := intstr.FromInt32(int32(s.IntN(3))); s.IntN(4) {
	case 0:
		least = new(intstr.FromString("50%"))
	case 1:
		most = new(intstr.FromString("40%"))
	case 2:
		most = &n
	default:
		n.IntVal++
		least = &n
	}
	return append(list, budget(namespace, least, most, s.budgeted...))
}

// play plays the scenario.
func (s *scenario) play() {
	for _, w := range s.workloads {
		s.put(w, false)
		s.goOn(s.IntN(5))
	}
	s.complete()
	acts := []func(){s.any, s.any, s.any, s.release}
	if s.about[aboutBudget] {
		acts = append(acts, s.evictAny, s.evictAny)
	}
	if s.about[aboutQuota] {
		acts = append(acts, s.grow, s.release)
	}
	if s.about[aboutImage] {
		acts = append(acts, s.breakOne)
	}
	if s.about[aboutLost] {
		acts = append(acts, s.loseOrAnswer, s.loseOrAnswer)
	}
	s.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for _, act := range acts {
		act()
		s.goOn(s.IntN(7))
	}
	s.complete()
	s.finish()
}

// goOn lets some things happen to pods.
func (s *scenario) goOn(n int) {
	s.pass(n)
	s.look()
}

// meet notes that something comes up, if it does.
func (s *scenario) meet(what string, does bool) {
	if does {
		s.met[what] = true
	}
}

// look notes whether workloads compete now.
func (s *scenario) look() {
	of := map[string]bool{}
	for i := range s.last.pods {
		of[s.last.pods[i].of[:2]] = true
	}
	s.meet(competing, s.about[aboutQuota] && len(of) > 1 && s.hungry() || s.crowded())
}

// hungry reports whether a workload has fewer pods than it wants.
func (s *scenario) hungry() bool {
	for of, n := range s.last.sizes {
		var kind, name, leaf string
		if _, err := fmt.Sscan(of, &kind, &name, &leaf); err == nil && leaf == "wanted" && n > s.last.sizes[kind+" "+name+" pods"] {
			return true
		}
	}
	return slices.ContainsFunc(s.workloads, func(w *workload) bool {
		of := "DaemonSet " + w.name + " "
		return w.kind == daemonSet && w.surge > 0 && s.last.sizes[of+"updated"] < s.last.sizes[of+"desired"]
	})
}

// any makes one of the changes of users.
func (s *scenario) any() {
	switch s.IntN(7) {
	case 0:
		s.grow()
	case 1:
		s.shrink()
	case 2:
		s.release()
	case 3:
		s.evictAny()
	case 4:
		s.failAny()
	case 5:
		s.dropOne()
	default:
		s.deleteAny()
	}
}

// complete lets pods change until the cluster is at rest if there is a quota, so that no two
// workloads wait for a part of it that one of them will release.
func (s *scenario) complete() {
	if s.about[aboutQuota] {
		s.goOn(1000)
	}
}

// free reports whether a change may request new pods: with a quota, if no workload waits for some
// already.
func (s *scenario) free() bool {
	s.complete()
	return !s.about[aboutQuota] || !s.hungry()
}

func (s *scenario) one() *workload { return s.workloads[s.IntN(len(s.workloads))] }

func (s *scenario) grow() {
	if w := s.one(); s.free() && w.kind != daemonSet {
		more := 1 + s.IntN(3)
		if s.about[aboutQuota] && w.parallel {
			more = 1 // which of several pods the quota admits is left to chance
		}
		w.replicas += int32(more)
		s.put(w, true)
	}
}

func (s *scenario) shrink() {
	if w := s.one(); w.kind != daemonSet && w.replicas > 0 {
		s.complete()
		w.replicas -= int32(1 + s.IntN(int(w.replicas)))
		s.put(w, true)
	}
}

func (s *scenario) release() {
	if w := s.one(); s.free() {
		w.version++
		w.broken = false
		if w.kind == statefulSet {
			w.partition = max(0, int32(s.IntN(4)-1))
			s.meet(partitioned, w.partition > 0)
		}
		s.put(w, true)
	}
}

// dropOne deletes a workload, unless it is the last.
func (s *scenario) dropOne() {
	if i := s.IntN(len(s.workloads)); len(s.workloads) > 1 && s.free() {
		w := s.workloads[i]
		s.workloads, s.met[dropped] = slices.Delete(s.workloads, i, i+1), true
		s.drop(w)
	}
}

func (s *scenario) breakOne() {
	if w := s.one(); s.free() {
		w.version++
		w.broken = true
		s.met[aboutImage] = true
		s.put(w, true)
		if s.goOn(2); (w.kind == replicaSet || w.kind == controller) && s.free() {
			w.replicas++ // only new pods have the image
			s.put(w, true)
		}
	}
}

// pod returns the name of a pod in the world that is not terminating, or "".
func (s *scenario) pod(may func(*pod) bool) string {
	var names []string
	for i := range s.last.pods {
		if p := &s.last.pods[i]; !p.end && may(p) {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[s.IntN(len(names))]
}

func (s *scenario) evictAny() {
	if !s.free() {
		return
	}
	budgeted := func(p *pod) bool { return slices.Contains(s.budgeted, p.of[:2]) }
	if name := s.pod(func(p *pod) bool { return p.node != "" && (len(s.budgeted) == 0 || budgeted(p)) }); name != "" {
		s.meet(aboutBudget, len(s.budgeted) > 0)
		s.meet(competing, len(s.budgeted) > 1)
		s.evict(name)
	}
}

func (s *scenario) deleteAny() {
	if s.free() {
		if name := s.pod(func(*pod) bool { return true }); name != "" {
			s.remove(name)
		}
	}
}

func (s *scenario) failAny() {
	if s.free() {
		if name := s.pod(func(p *pod) bool { return p.running }); name != "" {
			s.fail(name)
		}
	}
}

// loseOrAnswer lets a node not answer any more, or answer again.
func (s *scenario) loseOrAnswer() {
	if s.away != "" {
		s.answer(s.away)
		s.away = ""
		return
	}
	if !s.free() {
		return
	}
	var nodes []string
	for i := range s.nodes {
		if node := fmt.Sprintf("%s-%d", s.namespace, i); s.spares(node) {
			nodes = append(nodes, node)
		}
	}
	if len(nodes) > 0 {
		s.away, s.met[aboutLost] = nodes[s.IntN(len(nodes))], true
		s.meet(lostQuota, s.about[aboutQuota])
		s.lose(s.away)
	}
}

// spares reports whether pods have to leave a node if it is lost, and the use of the quota is
// determined: all get a part, or only one workload loses pods.
func (s *scenario) spares(node string) bool {
	owners, lost := map[string]bool{}, 0
	for i := range s.last.pods {
		if p := &s.last.pods[i]; p.node == node && !p.end && !s.ofDaemonSet(p.of[:2]) {
			owners[p.of] = true
			lost++
		}
	}
	return lost > 0 && (len(owners) == 1 || lost <= s.admits())
}

func (s *scenario) ofDaemonSet(name string) bool {
	return slices.ContainsFunc(s.workloads, func(w *workload) bool { return w.name == name && w.kind == daemonSet })
}
