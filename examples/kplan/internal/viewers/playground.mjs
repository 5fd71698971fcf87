// SPDX-License-Identifier: Apache-2.0
//
// Uses the playground in a browser and prints what it saw: node playground.mjs JOB, where JOB is
// a file with {"tools", "chromium", "site", "shots", "texts"}. Whoever wants anything but the
// site fails.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { chromium } = createRequire(job.tools + '/node_modules/')('playwright-core')
const browser = await chromium.launch({
  executablePath: job.chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const seen = { errors: [] }
const context = await browser.newContext({ viewport: { width: 1100, height: 900 } })
async function open(address) {
  const page = await context.newPage()
  page.setDefaultTimeout(60000)
  page.on('pageerror', e => seen.errors.push(String(e)))
  page.on('console', m => m.type() === 'error' && seen.errors.push(m.text()))
  page.on('request', r => r.url().startsWith(job.site) || r.url().startsWith('data:') || seen.errors.push('asked for ' + r.url()))
  await page.goto(address)
  await page.waitForSelector('#answer section')
  return page
}
const look = page => page.evaluate(() => ({
  status: document.querySelector('#status').textContent,
  title: document.querySelector('#answer h1').innerText,
  rows: [...document.querySelectorAll('#answer tbody tr')].map(r => [...r.cells].map(c => c.innerText).join('|')),
  facts: [...document.querySelectorAll('#answer .facts li')].map(l => l.innerText),
  notes: [...document.querySelectorAll('#notes li')].map(l => l.innerText),
  errors: ['now-error', 'next-error', 'error', 'address'].map(id => document.getElementById(id).textContent),
  output: document.querySelector('#answer output').textContent,
  stale: document.querySelector('#answer').className === 'stale',
  focus: document.activeElement.id || document.activeElement.tagName,
  over: matchMedia('(min-width: 60rem)').matches ? Math.max(...[...document.querySelectorAll('.asked *')].map(e => e.getBoundingClientRect().right)) - document.querySelector('#answer').getBoundingClientRect().left : 0,
  markup: document.querySelectorAll('#answer img, #answer iframe, #answer script:not([type])').length,
}))
// settled waits until all that was typed is answered.
const settled = page => page.waitForFunction(() => !asked && !waiting)
// saved waits until the address holds what is asked, and moved until what it then holds is asked:
// machines differ in how long both take.
const saved = page => page.evaluate(async () => {
  const held = async () => location.hash && JSON.stringify(state()) === await widen(location.hash.slice(1))
  for (const end = performance.now() + 60000; !await held() && performance.now() < end;) await new Promise(later => setTimeout(later, 20))
})
const moved = async (page, fragment) => {
  await saved(page)
  await page.evaluate(fragment => new Promise(read => {
    addEventListener('hashchange', () => read(), { once: true })
    location.hash = fragment
  }), fragment)
  if (fragment) await page.waitForFunction(() => document.querySelector('#address').textContent)
  await settled(page)
}
const overlaps = page => page.evaluate(() => {
  const all = [...document.querySelectorAll('.chart text')], boxes = all.map(t => t.getBoundingClientRect())
  const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2
  return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, j) => hit(a, b) ? [all[i].textContent + ' | ' + all[i + 1 + j].textContent] : []))
})
const shot = (page, name) => page.screenshot({ path: `${job.shots}/playground-${name}.png`, fullPage: true })

// From the keyboard alone.
const page = await open(job.site)
seen.example = await look(page)
await shot(page, 'light')
seen.path = []
for (let n = 0; n < 12; n++) {
  await page.keyboard.press('Tab')
  seen.path.push((await look(page)).focus)
}
await page.locator('#start').focus()
for (let n = 0; n < 20; n++) await page.keyboard.press('ArrowRight')
await settled(page)
seen.slower = await look(page)
await page.locator('#broken').focus()
await page.keyboard.press('Space')
await page.locator('#next').focus()
await page.keyboard.press('Control+End')
await page.keyboard.type('          env: [{name: "unfinished')
await settled(page)
seen.wrong = await look(page)
await shot(page, 'wrong')
await page.keyboard.type('"}]')
await settled(page)
await page.locator('#answer input').focus()
await page.keyboard.press('End')
await settled(page)
seen.stuck = await look(page)
await shot(page, 'stuck')

// Somebody else opens the address.
await saved(page)
const address = await page.evaluate(() => location.href) // page.url() hears of it later
const other = await open(address)
seen.shared = await look(other)
seen.address = address.length - job.site.length
seen.same = await other.evaluate(() => JSON.stringify(state())) === await page.evaluate(() => JSON.stringify(state()))
await moved(other, '#nonsense')
seen.nonsense = await look(other)
await other.goto(job.site + 'encoded/')
await other.waitForSelector('#answer section')
seen.encoded = await look(other)
await other.close()

// What is given, zones, the dark, and a narrow window.
await page.locator('#broken').uncheck()
seen.texts = []
for (const [now, next] of job.texts) {
  await page.locator('#now').fill(now)
  await page.locator('#next').fill(next)
  await settled(page)
  seen.texts.push(await look(page))
}
await moved(page, '')
await page.locator('#zones').fill('3')
await settled(page)
seen.zones = await look(page)
seen.overlaps = await overlaps(page)
await page.emulateMedia({ colorScheme: 'dark' })
await shot(page, 'dark')
await page.setViewportSize({ width: 390, height: 800 })
seen.wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
await shot(page, 'narrow')
await page.setViewportSize({ width: 1100, height: 900 })
await page.emulateMedia({ colorScheme: 'light' })

// The time from a key to a new picture, for 100 pods.
await moved(page, '')
for (const id of ['now', 'next']) await page.locator('#' + id).fill((await page.locator('#' + id).inputValue()).replace('replicas: 6', 'replicas: 100'))
await settled(page)
seen.hundred = await look(page)
seen.times = []
await page.locator('#next').focus()
await page.keyboard.press('Control+End')
await page.keyboard.press('ArrowLeft')
for (let n = 0; n < 10; n++) {
  await page.evaluate(() => performance.clearMeasures())
  await page.keyboard.type(String(n))
  await settled(page)
  seen.times.push(await page.evaluate(() => performance.getEntriesByName('answer').at(-1).duration))
}
await shot(page, 'hundred')
await browser.close()
console.log(JSON.stringify(seen))
