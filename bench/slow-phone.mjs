// Measures when the pages of the console can be used on a slow phone: see LAB.md.

/** Slow 4G: 1.6 Mbit/s down, 750 kbit/s up, and 150 ms until an answer begins. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 93_750,
}
const CPU_SLOWDOWN = 4
const PHONE = { width: 412, height: 823, isMobile: true, hasTouch: true }
const USABLE_MS_MAX = 2_500
const ROUNDS = 3
const SETTLE_MS = 1_000

/**
 * Runs in the page before its own code. A page is usable when its title or form is drawn, nothing
 * says that it is loading, and frames follow each other: a long task would keep a tap waiting.
 */
function watchUse() {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const isDrawn = () =>
    document.querySelector('#root main :is(h1, form)') !== null &&
    document.querySelector('[aria-busy=true]') === null
  const watch = async () => {
    for (;;) {
      await frame()
      if (!isDrawn()) globalThis.usableAt = undefined
      else if (globalThis.usableAt === undefined) {
        await frame()
        globalThis.usableAt = performance.now()
      }
    }
  }
  void watch()
}

async function openCold(page, client, url) {
  await client.send('Network.clearBrowserCache')
  await page.goto(url, { waitUntil: 'networkidle0' })
  // What opens late, such as a bar, may show that it is loading.
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  await page.waitForFunction('globalThis.usableAt !== undefined')
  return page.evaluate(() => {
    const scripts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    return {
      usable: globalThis.usableAt,
      files: scripts.length,
      bytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }
  })
}

/** Opens each address several times with an empty cache and keeps the median. */
export async function measureSlowPhone(page, urls) {
  const client = await page.createCDPSession()
  await page.setViewport(PHONE)
  const { identifier } = await page.evaluateOnNewDocument(watchUse)
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', NETWORK)
  await client.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  const rows = []
  for (const [name, url] of urls) {
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await openCold(page, client, url))
    rounds.sort((a, b) => a.usable - b.usable)
    rows.push({ name, ...rounds[Math.floor(ROUNDS / 2)] })
  }
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await client.detach()
  await page.removeScriptToEvaluateOnNewDocument(identifier)
  return rows
}

export const formatPhoneRows = (rows) =>
  [
    '| page | usable ms | scripts | kB of JavaScript |\n| --- | ---: | ---: | ---: |\n',
    ...rows.map(
      ({ name, usable, files, bytes }) =>
        `| ${name} | ${usable.toFixed(0)} | ${files} | ${(bytes / 1000).toFixed(1)} |\n`,
    ),
  ].join('')

export const findSlowPages = (rows) =>
  rows
    .filter(({ usable }) => usable > USABLE_MS_MAX)
    .map(({ name, usable }) => `${name}: usable on a slow phone after ${usable.toFixed(0)} ms`)
