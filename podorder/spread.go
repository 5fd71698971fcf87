// SPDX-License-Identifier: Apache-2.0

package podorder

func (s *Stage) isSpread() bool { return s.Rule == RuleSpread && s.Key == nil && s.Item == nil }

func (s *Stage) domains(o *Order) Domains {
	if s.Domains != nil {
		return s.Domains
	}
	return o.Domains
}

// fillSpread sets the values of a stage with [RuleSpread], which counts the pods of a domain again
// after each victim. The pods of one domain are deleted in the order of the other rules, and for
// each of them the count is one less than for the previous one. Other domains do not change the
// count, so all values can be computed before the choice.
func (r *ranking) fillSpread(stage int, keys []key, candidates []int) {
	domains := r.stages[stage].domains(r.order)
	counts := r.domainCounts(domains, candidates)
	numbers := map[string]uint64{}
	for i := range keys {
		domain := domains.domain(r.pod(&keys[i].place).NodeName)
		number, ok := numbers[domain]
		if !ok {
			number = uint64(len(numbers) + 1)
			numbers[domain] = number
		}
		keys[i].health = number
	}
	domain, left := uint64(0), int64(0)
	list := r.sorted(keys)
	for _, k := range list {
		if k.health != domain {
			domain, left = k.health, counts[domains.domain(r.pod(&k.place).NodeName)]
		}
		r.row(&k.place)[stage] = -left
		left--
	}
}

// domainCounts returns the number of neighbours in each domain, or of candidates if the order has
// no neighbours.
func (r *ranking) domainCounts(domains Domains, candidates []int) map[string]int64 {
	counts := map[string]int64{}
	switch {
	case r.counts != nil:
		for i := range r.counts.nodes[1:] {
			n := &r.counts.nodes[i+1]
			counts[domains.domain(r.counts.name(n))] += int64(n.pods)
		}
	case r.order.Neighbours != nil:
		for node, n := range r.order.Neighbours {
			counts[domains.domain(node)] += int64(n)
		}
	case candidates == nil:
		for i := range r.pods {
			counts[domains.domain(r.pods[i].NodeName)]++
		}
	default:
		for _, c := range candidates {
			if c >= 0 && c < len(r.pods) {
				counts[domains.domain(r.pods[c].NodeName)]++
			}
		}
	}
	return counts
}

// spreadValue returns the value of a pod for a stage with [RuleSpread] before the first victim, from
// Neighbours.
func (o *Order) spreadValue(s *Stage, p *Pod) (count int64) {
	domains := s.domains(o)
	here := domains.domain(p.NodeName)
	for node, n := range o.Neighbours {
		if domains.domain(node) == here {
			count += int64(n)
		}
	}
	return -count
}
