// SPDX-License-Identifier: Apache-2.0
//
// Opens files in a browser and prints what it saw: node view.mjs JOB, where JOB is a file with
// {"tools", "chromium", "viewer", "shots", "traces", "diagrams", "pages", "pictures"}. Whoever wants anything
// of the network fails.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { chromium } = createRequire(job.tools + '/node_modules/')('playwright-core')
const browser = await chromium.launch({
  executablePath: job.chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const seen = { traces: [], diagrams: [], pages: [], pictures: [], errors: [] }

// overlaps are the texts of a picture that lie on each other. This is code for the browser.
const overlaps = `all => {
  const boxes = all.map(t => t.getBoundingClientRect())
  const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2
  return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, j) => hit(a, b) ? [all[i].textContent + ' | ' + all[i + 1 + j].textContent] : []))
}`

// open returns a page that gets these files, by their paths, and nothing else.
async function open(files) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
  page.on('pageerror', e => seen.errors.push(String(e)))
  await page.route('**', route => {
    const file = files[new URL(route.request().url()).pathname]
    if (!file) {
      seen.errors.push('asked for ' + route.request().url())
      return route.abort()
    }
    return route.fulfill(file)
  })
  await page.goto('http://kplan.test/')
  return page
}

const html = body => ({ contentType: 'text/html', body })

if (job.traces) {
  const page = await open({
    '/': html('<script src="/webcomponents.min.js"></script><link rel="import" href="/trace_viewer_full.html">'),
    '/webcomponents.min.js': { path: job.viewer + '/webcomponents.min.js' },
    '/trace_viewer_full.html': { path: job.viewer + '/trace_viewer_full.html' },
  })
  await page.waitForFunction(() => window.tr?.Model && window.tr.importer?.Import)
  for (const file of job.traces) {
    seen.traces.push(await page.evaluate(text => {
      const model = new tr.Model()
      new tr.importer.Import(model).importTraces([text])
      const processes = {}
      for (const p of Object.values(model.processes)) {
        const slices = Object.values(p.threads).flatMap(t => t.sliceGroup.slices)
        processes[p.name] = {
          slices: slices.filter(s => s.category !== 'stage').map(s => s.title),
          stages: slices.filter(s => s.category === 'stage').length,
          inside: slices.filter(s => s.category === 'stage').every(s => s.parentSlice?.category === 'pod'),
          counters: Object.values(p.counters).map(c => c.name),
        }
      }
      return { warnings: model.importWarnings.map(w => w.message ?? String(w)), processes }
    }, readFileSync(file, 'utf8')))
  }
}

if (job.diagrams) {
  const page = await open({ '/': html('<body>') })
  await page.addScriptTag({ path: job.tools + '/node_modules/mermaid/dist/mermaid.min.js' })
  for (const [i, file] of job.diagrams.entries()) {
    const blocks = [...readFileSync(file, 'utf8').matchAll(/^```mermaid\n(.*?)^```\n/gms)].map(m => m[1])
    seen.diagrams.push(await page.evaluate(async ({ blocks, overlaps }) => {
      mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })
      const texts = []
      document.body.innerHTML = ''
      for (const [n, text] of blocks.entries()) {
        const { svg } = await mermaid.render('d' + n, text)
        document.body.insertAdjacentHTML('beforeend', svg)
      }
      const all = [...document.querySelectorAll('text')].filter(t => t.textContent.trim())
      return { texts: all.map(t => t.textContent.trim()), overlaps: eval(overlaps)(all), scripts: document.querySelectorAll('body script, body img').length }
    }, { blocks, overlaps }))
    await page.screenshot({ path: job.shots + '/diagram-' + i + '.png', fullPage: true })
  }
}

for (const [i, file] of (job.pages ?? []).entries()) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, offline: true })
  const page = await context.newPage()
  page.on('pageerror', e => seen.errors.push(String(e)))
  page.on('console', m => m.type() === 'error' && seen.errors.push(m.text()))
  page.on('request', r => r.url().split('#')[0] === 'file://' + file || seen.errors.push('asked for ' + r.url()))
  await page.goto('file://' + file)
  const look = () => page.evaluate(() => ({
    output: document.querySelector('output').textContent,
    events: [...document.querySelectorAll('section:first-of-type .events li')].map(e => e.innerText),
    row: [...document.querySelectorAll('section:first-of-type tbody tr')].findIndex(r => r.ariaCurrent === 'step'),
    cursor: Number(document.querySelector('.cursor').getAttribute('x1')),
    focus: document.activeElement.tagName,
  }))
  const seenHere = { title: await page.title(), sections: await page.locator('section').count(), rows: await page.locator('tbody tr').count(), first: await look() }
  for (let n = 0; n < 20 && (await look()).focus !== 'INPUT'; n++) await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  seenHere.third = await look()
  await page.keyboard.press('End')
  seenHere.last = await look()
  await page.reload()
  seenHere.again = await look()
  const box = await page.locator('.chart > svg').first().boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3)
  seenHere.tip = await page.locator('.tip').first().innerText()
  await page.screenshot({ path: `${job.shots}/page-${i}-light.png`, fullPage: true })
  seenHere.overlaps = await page.evaluate('(' + overlaps + ")([...document.querySelectorAll('.chart text')])")
  await page.locator('section:first-of-type tbody button').nth(Math.min(1, seenHere.rows - 1)).click()
  seenHere.clicked = await look()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${job.shots}/page-${i}-dark.png`, fullPage: true })
  await page.setViewportSize({ width: 390, height: 800 })
  seenHere.wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  await page.screenshot({ path: `${job.shots}/page-${i}-narrow.png`, fullPage: true })
  seenHere.markup = await page.evaluate(() => document.querySelectorAll('img, iframe, main script:not([type])').length)
  seen.pages.push(seenHere)
}

for (const [i, file] of (job.pictures ?? []).entries()) {
  const page = await open({ '/': html(readFileSync(file, 'utf8')) })
  await page.screenshot({ path: `${job.shots}/picture-${i}.png`, fullPage: true })
  seen.pictures.push(await page.evaluate(overlaps => {
    const all = [...document.querySelectorAll('text')]
    const paper = document.querySelector('svg').getBoundingClientRect()
    const outside = t => { const b = t.getBoundingClientRect(); return b.left < paper.left || b.right > paper.right || b.bottom > paper.bottom }
    return { texts: all.map(t => t.textContent), overlaps: eval(overlaps)(all), outside: all.filter(outside).map(t => t.textContent) }
  }, overlaps))
}

await browser.close()
console.log(JSON.stringify(seen))
