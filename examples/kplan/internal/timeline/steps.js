// SPDX-License-Identifier: Apache-2.0
'use strict'

// showSteps makes a part of a page live: slider, table and chart pick a step, which is told to
// moved, and the chart tells of the instant below the pointer. It begins with a step, or the last
// if there are less.
function showSteps(section, first, moved) {
  const data = JSON.parse(section.querySelector('script').textContent)
  const find = name => section.querySelector(name)
  const [chart, input, output, events, tip] = ['.chart', 'input', 'output', '.events', '.tip'].map(find)
  const svg = chart.querySelector('svg')
  const rows = [...section.querySelectorAll('tbody tr')]
  const bottom = svg.viewBox.baseVal.height
  const line = name => {
    const l = document.createElementNS('http://www.w3.org/2000/svg', 'line')
    l.setAttribute('class', name)
    l.setAttribute('y1', 24)
    l.setAttribute('y2', bottom - 34)
    return svg.appendChild(l)
  }
  const cursor = line('cursor'), hover = line('hover')
  const move = (l, x) => { l.setAttribute('x1', x); l.setAttribute('x2', x) }
  const place = t => data.left + (data.right - data.left) * t / data.end
  const text = (tag, content) => { const e = document.createElement(tag); e.textContent = content; return e }
  hover.style.display = 'none'

  const show = step => {
    const s = data.steps[step - 1]
    input.value = step
    output.textContent = `Step ${step} of ${data.steps.length}, at ${s.clock}`
    input.setAttribute('aria-valuetext', output.textContent)
    move(cursor, place(s.at))
    events.replaceChildren(...s.events.map(e => {
      const li = text('li', e.what)
      for (const more of [e.why, e.more]) if (more) li.append(text('small', more))
      return li
    }))
    rows.forEach((row, i) => i === step - 1 ? row.setAttribute('aria-current', 'step') : row.removeAttribute('aria-current'))
  }
  const pick = step => {
    show(step)
    moved(step)
  }
  input.addEventListener('input', () => pick(Number(input.value)))
  rows.forEach((row, i) => row.addEventListener('click', () => pick(i + 1)))

  const clock = t => t < 60 ? t.toFixed(1) + 's' : (t < 3600 ? '' : Math.floor(t / 3600) + 'h') + Math.floor(t % 3600 / 60) + 'm' + Math.floor(t % 60) + 's'
  const at = (points, t) => points.reduce((value, [from, v]) => from <= t ? v : value, 0)
  chart.addEventListener('pointermove', e => {
    const box = svg.getBoundingClientRect()
    const x = (e.clientX - box.left) * data.width / box.width
    const t = (x - data.left) / (data.right - data.left) * data.end
    if (t < 0 || t > data.end) return leave()
    const last = data.steps.findLastIndex(s => s.at <= t)
    const lines = data.series.map(s => `${s.name}: ${at(s.points, t)}`)
    tip.textContent = [clock(t) + (last < 0 ? '' : `, after step ${last + 1}`), ...lines].join('\n')
    tip.hidden = hover.style.display = ''
    move(hover, x)
    const left = e.clientX - box.left - chart.getBoundingClientRect().left + box.left
    const room = chart.clientWidth - tip.offsetWidth - 4
    tip.style.left = Math.max(0, Math.min(left + 14, room)) + chart.scrollLeft + 'px'
    tip.style.top = Math.max(0, e.clientY - box.top - tip.offsetHeight - 12) + 'px'
  })
  const leave = () => { tip.hidden = true; hover.style.display = 'none' }
  chart.addEventListener('pointerleave', leave)
  svg.addEventListener('click', e => {
    const box = svg.getBoundingClientRect()
    const t = ((e.clientX - box.left) * data.width / box.width - data.left) / (data.right - data.left) * data.end
    pick(Math.max(0, data.steps.findLastIndex(s => s.at <= t)) + 1)
  })

  show(Math.min(Math.max(first, 1), data.steps.length))
}
