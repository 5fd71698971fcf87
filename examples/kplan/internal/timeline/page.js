// SPDX-License-Identifier: Apache-2.0
for (const [n, section] of document.querySelectorAll('section').entries()) {
  const wanted = location.hash.match(/^#(\d+)\.(\d+)$/)
  showSteps(section, wanted && Number(wanted[1]) === n + 1 ? Number(wanted[2]) : 1, step => {
    try { history.replaceState(null, '', `#${n + 1}.${step}`) } catch { /* where there is no address */ }
  })
}
