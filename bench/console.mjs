// Measures the console in a browser on a full database: see LAB.md.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openFilledServer } from './admin.mjs'
import { run, stop } from './processes.mjs'
import { findSlowPages, formatPhoneRows, measureSlowPhone } from './slow-phone.mjs'

const CHROMIUM = '/usr/bin/chromium'
const QUICK = { users: 5_000, tokens: 5_000, logs: 50_000 }
const FULL = { users: 100_000, tokens: 100_000, logs: 1_000_000 }

const CATEGORIES = ['performance', 'accessibility', 'best-practices']
const SCORE_MIN = 95
const FIRST_ROWS_MS_MAX = 300
const TASK_MS_MAX = 100
const ROUNDS = 3
const INSTALL_TIMEOUT_MS = 5 * 60_000
const PAGE_TIMEOUT_MS = 60_000

/** The login page is measured logged out, the other pages as root. */
const PAGES = {
  login: '/login',
  start: '/',
  catalog: '/catalog',
  playground: '/play',
  tokens: '/token',
  channels: '/channel',
  log: '/log',
}
/** Each filter shows rows that the previous filter did not. */
const FILTERS = ['?type=2', '?type=1', '?model_name=gpt-4o&range=week', '?type=3', '']

const print = (text) => process.stdout.write(`${text}\n`)

/**
 * Lighthouse is not a dependency of the product; it is installed in a folder of the benchmark, from
 * its own lock file.
 */
async function loadPackages(here) {
  const folder = join(here, 'console')
  const installed = join(folder, 'node_modules/.package-lock.json')
  const lock = join(folder, 'package-lock.json')
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
    print('Installing Lighthouse …')
    await run(['npm', 'ci', '--ignore-scripts', '--prefix', folder], {
      timeoutMs: INSTALL_TIMEOUT_MS,
    })
  }
  const load = (file) => import(pathToFileURL(join(folder, 'node_modules', file)).href)
  const [{ default: lighthouse, desktopConfig }, { default: puppeteer }] = await Promise.all([
    load('lighthouse/core/index.js'),
    load('puppeteer-core/lib/esm/puppeteer/puppeteer-core.js'),
  ])
  return { lighthouse, desktopConfig, puppeteer }
}

async function openBrowser({ puppeteer }) {
  if (!existsSync(CHROMIUM)) throw new Error('chromium not found: install the package chromium')
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const page = await browser.newPage()
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  await page.setViewport({ width: 1440, height: 900 })
  return { browser, page }
}

async function signIn(page, address) {
  await page.goto(`${address}/login`)
  await page.locator('input[name=username]').fill('root')
  await page.locator('input[name=password]').fill('123456')
  await page.locator('form button[type=submit]').click()
  await page.waitForFunction(`location.pathname !== '/login'`)
}

async function score({ lighthouse, desktopConfig }, { browser, url }) {
  const flags = {
    port: Number(new URL(browser.wsEndpoint()).port),
    onlyCategories: CATEGORIES,
    disableStorageReset: true,
    logLevel: 'error',
  }
  let { lhr } = await lighthouse(url, flags, desktopConfig)
  // On a busy machine the start of a trace is sometimes lost.
  if (lhr.runtimeError) lhr = (await lighthouse(url, flags, desktopConfig)).lhr
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`)
  const failed = Object.values(lhr.audits).filter(({ score: part }) => part !== null && part < 0.9)
  return {
    scores: CATEGORIES.map((name) => Math.round(lhr.categories[name].score * 100)),
    contentful: lhr.audits['first-contentful-paint'].numericValue,
    largest: lhr.audits['largest-contentful-paint'].numericValue,
    blocking: lhr.audits['total-blocking-time'].numericValue,
    shift: lhr.audits['cumulative-layout-shift'].numericValue,
    failed: failed.map(({ id }) => id),
  }
}

/**
 * Runs in the page: navigates as a link does, and measures the time until the rows appear and the
 * longest task.
 */
async function follow(path) {
  const tasks = []
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()))
  observer.observe({ type: 'longtask' })
  for (const row of document.querySelectorAll('tr[data-row]')) row.dataset.before = ''
  const isRead = () =>
    document.querySelector('tr[data-row]:not([data-before])') &&
    !document.querySelector('[aria-busy=true]')
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const began = performance.now()
  history.pushState({}, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  while (!isRead() && performance.now() - began < 20_000) await frame()
  const milliseconds = performance.now() - began
  // The browser reports a long task some time after it has ended.
  await new Promise((done) => setTimeout(done, 300))
  observer.disconnect()
  return { milliseconds, longest: Math.max(0, ...tasks.map(({ duration }) => duration)) }
}

/** Opens the log from another page of the console, then applies its filters in order. */
async function measureLog(page, address) {
  const opened = []
  const filtered = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${address}/token`)
    await page.waitForSelector('tr[data-row]')
    opened.push(await page.evaluate(follow, '/log'))
    for (const filter of FILTERS) {
      filtered.push({ filter, ...(await page.evaluate(follow, `/log${filter}`)) })
    }
  }
  return { opened, filtered }
}

/** The login page last, because it needs a browser that is not logged in. */
async function measurePhone(page, address, { login, ...others }) {
  const addressesOf = (paths) => Object.entries(paths).map(([name, path]) => [name, address + path])
  const rows = await measureSlowPhone(page, addressesOf(others))
  await page.deleteCookie(...(await page.cookies(address)))
  await page.evaluate('localStorage.clear()')
  return [...rows, ...(await measureSlowPhone(page, addressesOf({ login })))]
}

const maxOf = (rows, field) => Math.max(...rows.map((row) => row[field]))

function formatScores(rows) {
  const titles = [
    'page',
    ...CATEGORIES,
    'first paint ms',
    'largest paint ms',
    'blocked ms',
    'shift',
  ]
  const lines = rows.map(({ name, scores, contentful, largest, blocking, shift }) => [
    name,
    ...scores,
    contentful.toFixed(0),
    largest.toFixed(0),
    blocking.toFixed(0),
    shift.toFixed(3),
  ])
  return [titles, ['---', ...titles.slice(1).map(() => '---:')], ...lines]
    .map((line) => `| ${line.join(' | ')} |\n`)
    .join('')
}

function findFaults(rows, { opened, filtered }) {
  const faults = rows.flatMap(({ name, scores, failed }) =>
    scores.flatMap((value, index) =>
      value >= SCORE_MIN
        ? []
        : [`${name}: ${CATEGORIES[index]} ${value}, at least ${SCORE_MIN} (${failed.join(', ')})`],
    ),
  )
  const first = Math.min(...opened.map(({ milliseconds }) => milliseconds))
  if (first > FIRST_ROWS_MS_MAX) faults.push(`log: first rows after ${first.toFixed(0)} ms`)
  const longest = maxOf(filtered, 'longest')
  if (longest > TASK_MS_MAX) faults.push(`log: a task of ${longest.toFixed(0)} ms on a new filter`)
  return faults
}

/** Prints the table and returns the missed limits. */
export async function measureConsole(bench, { isQuick }) {
  const packages = await loadPackages(bench.here)
  const server = await openFilledServer(bench, isQuick ? QUICK : FULL)
  const { browser, page } = await openBrowser(packages)
  try {
    const rows = []
    for (const [name, path] of Object.entries(PAGES)) {
      if (name !== 'login' && rows.length === 1) await signIn(page, server.address)
      const url = server.address + path
      rows.push({ name, ...(await score(packages, { browser, url })) })
    }
    const log = await measureLog(page, server.address)
    const phone = await measurePhone(page, server.address, PAGES)
    const times = log.opened.map(({ milliseconds }) => milliseconds.toFixed(0)).join(', ')
    print(`\n${formatScores(rows)}`)
    print(`The first rows of the log stood after ${times} ms.`)
    for (const { filter, milliseconds, longest } of log.filtered.slice(-FILTERS.length)) {
      const task = longest === 0 ? 'no task of 50 ms' : `longest task ${longest.toFixed(0)} ms`
      print(`/log${filter}: rows after ${milliseconds.toFixed(0)} ms, ${task}`)
    }
    print(
      `The longest task of all changes of the filter: ${maxOf(log.filtered, 'longest').toFixed(0)} ms.`,
    )
    print(`\n${formatPhoneRows(phone)}`)
    return [...findFaults(rows, log), ...findSlowPages(phone)]
  } finally {
    await browser.close()
    await stop(server.gateway)
    await stop(server.mock)
  }
}
