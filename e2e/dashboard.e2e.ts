import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { DASHBOARD_TEXTS } from './dashboard-texts.ts'
import { changeRows, intercept } from './intercept.ts'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { sharePage } from './shared-page.ts'
import {
  addCustomer,
  askModel,
  hasFocus,
  heading,
  signedIn,
  tabTo,
  tokenOf,
  watchCalls,
} from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import { expectTranslated } from './translations.ts'
import type { Session } from './world.ts'

const QUOTA = 5_000_000
const UNITS_PER_DOLLAR = 500_000

/** From the receipts in first-answer.e2e.ts, for the same usage. */
const CHAT_COST = 2565
const EMBEDDING_COST = 13
/** 800 tokens of each chat are cached, at half of 1.25 units. */
const CHAT_SAVED = 500
/** Two chats and one embedding of ann; one chat of root. */
const OWN_TOTAL = 2 * CHAT_COST + EMBEDDING_COST
const ALL_TOTAL = OWN_TOTAL + CHAT_COST

const dollars = (quota: number) => `$${(quota / UNITS_PER_DOLLAR).toFixed(6)}`
const tileDollars = (quota: number) => `$${Number((quota / UNITS_PER_DOLLAR).toPrecision(2))}`
const grouped = (value: number) => value.toLocaleString('en-US')

let sessions: Record<'root' | 'ann' | 'ben' | 'cai', Session>

const world = openOneWorld(async () => {
  const healthy = healthyProvider(usageOf(1204, 800, 312))
  await world.addChannel('openai-main', 'gpt-4o,text-embedding-3-small', healthy)
  const strict = answerError(400, { message: 'no such field' })
  await world.addChannel('strict-host', 'gpt-4o-mini', strict)
  const [ann, ben, cai] = [await customer('ann'), await customer('ben'), await customer('cai')]
  sessions = { root: await signedIn(world), ann, ben, cai }
  const key = await tokenOf(world, ann, 'web')
  await chat(key, 'gpt-4o')
  await chat(key, 'gpt-4o')
  await fetch(`${world.server.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'text-embedding-3-small', input: 'Basel '.repeat(600) }),
  })
  await chat(key, 'gpt-4o-mini')
  await chat(await tokenOf(world, cai, 'web'), 'gpt-4o-mini')
  await chat(await tokenOf(world, sessions.root, 'web'), 'gpt-4o')
})

const customer = (username: string) => addCustomer(world, username, QUOTA)

const chat = (key: string, model: string) => askModel(world, key, model, 'Weather? '.repeat(600))

/** Calls that a page makes itself. */
const OWN_CALLS = /\/api\/(?!status|user\/self|option\/unconfirmed)/

const tile = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.getByRole('term').getByText(name, { exact: true }) })

const cellsOf = (page: Page, table: string, name: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ hasText: name })
    .locator('th, td')

test('the texts are the same messages in both languages', () => expectTranslated(DASHBOARD_TEXTS))

const texts = TEXTS.en
const own = DASHBOARD_TEXTS.en

const sharedBy = (who: keyof typeof sessions) =>
  sharePage(() => world.open({ session: sessions[who] }))
const pages = {
  root: sharedBy('root'),
  ann: sharedBy('ann'),
  ben: sharedBy('ben'),
  cai: sharedBy('cai'),
}

async function openDashboard(who: keyof typeof sessions, path = '/dashboard') {
  const { page } = await pages[who]()
  const calls = watchCalls(page, OWN_CALLS)
  await page.goto(path)
  await heading(page, own.dashboard).waitFor()
  await settled(page)
  return { page, calls }
}

test('a user sees the charges, in one call, and nothing of channels', async () => {
  const { page } = await pages.ann()
  await page.goto('/topup')
  await heading(page, texts.pages.topUp).waitFor()
  await settled(page)
  const calls = watchCalls(page, OWN_CALLS)
  await page.getByRole('link', { name: own.dashboard, exact: true }).click()
  await heading(page, own.dashboard).waitFor()
  const remaining = tile(page, texts.remainingQuota)
  await remaining.getByTitle(grouped(QUOTA - OWN_TOTAL), { exact: true }).waitFor()
  await tile(page, texts.usedQuota).getByText(tileDollars(OWN_TOTAL), { exact: true }).waitFor()
  await tile(page, own.spendToday).getByText(tileDollars(OWN_TOTAL), { exact: true }).waitFor()
  await tile(page, own.spendToday).getByText(own.nothingYesterday, { exact: true }).waitFor()
  await tile(page, own.requestsToday).getByText('4', { exact: true }).waitFor()
  const saved = tile(page, own.cacheSavings)
  await saved.getByText(tileDollars(2 * CHAT_SAVED), { exact: true }).waitFor()
  const prompts = 2 * 1204 + 1204
  await saved.getByText(own.cacheHits(Math.floor((1600 / prompts) * 100))).waitFor()

  const chatCells = [dollars(2 * CHAT_COST), grouped(2 * 1204), grouped(2 * 312)]
  const rows = page.getByRole('table', { name: own.models, exact: true }).getByRole('row')
  const lines = await rows.allInnerTexts()
  expect(lines.slice(1).map((row) => row.replaceAll('\n', '').split('\t'))).toEqual([
    ['gpt-4o', '2', '0', '100.0 %', ...chatCells],
    ['text-embedding-3-small', '1', '0', '100.0 %', dollars(EMBEDDING_COST), '1,204', '0'],
    ['gpt-4o-mini', '1', '1', '0.0 %', dollars(0), '0', '0'],
  ])
  expect(await page.getByRole('button', { name: own.everyone }).count()).toBe(0)
  expect(await page.getByRole('main').innerText()).not.toMatch(/openai-main|strict-host/)
  expect(calls).toEqual(['/api/stat/self'])
})

test('the chart can be read with arrow keys, and as a table with one key', async () => {
  const { page } = await openDashboard('ann')
  const figure = page.getByRole('figure', { name: own.spend })
  const slider = figure.getByRole('slider')
  await tabTo(page, slider)
  const read = async () => (await slider.getAttribute('aria-valuetext')) ?? ''
  await expect.poll(read).toContain(`gpt-4o ${dollars(2 * CHAT_COST)}`)
  expect(await read()).toContain(dollars(OWN_TOTAL))
  await figure.getByText(dollars(OWN_TOTAL), { exact: true }).waitFor()
  const today = (await read()).slice(0, 10)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(read).not.toContain(today)
  expect(await read()).not.toContain(dollars(OWN_TOTAL))
  await page.keyboard.press('Escape')
  await figure.getByText(dollars(0), { exact: true }).first().waitFor({ state: 'detached' })

  await page.keyboard.press('t')
  const button = figure.getByRole('button', { name: own.asTable })
  await expect.poll(() => hasFocus(page, button)).toBe(true)
  const row = figure.getByRole('row').filter({ hasText: today })
  expect((await row.innerText()).split('\t')).toEqual([
    today,
    dollars(2 * CHAT_COST),
    dollars(EMBEDDING_COST),
    dollars(0),
    dollars(OWN_TOTAL),
  ])
  expect(await figure.getByRole('row').count()).toBe(1 + 7)
  await page.keyboard.press('Enter')
  await slider.waitFor()
})

test('hovering shows all values of that day', async () => {
  const { page } = await openDashboard('ann')
  const figure = page.getByRole('figure', { name: own.spend })
  const today = (await figure.getByRole('slider').getAttribute('aria-valuetext')) ?? ''
  await figure.locator('svg:has(pattern) > g > g > rect').first().hover()
  await figure.getByText(today.slice(0, 10), { exact: true }).waitFor()
  await figure.getByText(dollars(OWN_TOTAL), { exact: true }).waitFor()
})

test('range and metric are part of the address, and nothing is requested twice', async () => {
  const { page, calls } = await openDashboard('ann')
  const slider = page.getByRole('slider')
  await page.getByRole('button', { name: own.month, exact: true }).click()
  await page.waitForURL(/\?range=30d$/)
  await expect.poll(() => slider.getAttribute('max')).toBe('29')
  await page.getByRole('button', { name: own.hours, exact: true }).click()
  await page.waitForURL(/\?range=2d$/)
  await expect.poll(async () => Number(await slider.getAttribute('max'))).toBeGreaterThan(22)
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(dollars(OWN_TOTAL))
  await page.getByRole('button', { name: own.requests, exact: true }).click()
  await page.waitForURL(/range=2d&metric=requests$/)
  await page.getByRole('figure', { name: own.requestsChart }).waitFor()
  await page.goBack()
  await page.goBack()
  await expect.poll(() => slider.getAttribute('max')).toBe('29')
  await settled(page)
  expect(calls).toEqual(Array.from({ length: 3 }, () => '/api/stat/self'))
  await page.getByRole('button', { name: own.refresh }).click()
  await expect.poll(() => calls.length).toBe(4)
})

test('an administrator sees all users, by channel, and reaches the log from there', async () => {
  const { page, calls } = await openDashboard('root')
  await tile(page, own.spendToday).getByText(tileDollars(ALL_TOTAL), { exact: true }).waitFor()
  await tile(page, own.totalRequests).getByText(own.answered('66.6 %', 2)).waitFor()
  const saved = tile(page, own.cacheSavings)
  await saved.getByText(tileDollars(3 * CHAT_SAVED), { exact: true }).waitFor()
  expect(calls.filter((path) => path !== '/api/alert/').toSorted()).toEqual([
    '/api/price/unpriced',
    '/api/stat/',
    '/api/stat/channels',
    '/api/stat/costs',
  ])

  await page.getByRole('rowheader', { name: 'openai-main' }).waitFor()
  expect((await cellsOf(page, own.channels, 'openai-main').allInnerTexts()).slice(0, 5)).toEqual([
    'openai-main',
    '4',
    '0',
    '100.0 %',
    tileDollars(ALL_TOTAL),
  ])
  expect((await cellsOf(page, own.channels, 'strict-host').allInnerTexts()).slice(1, 4)).toEqual([
    '2',
    '2',
    '0.0 %',
  ])
  expect((await cellsOf(page, own.users, 'ann').allInnerTexts()).slice(1, 5)).toEqual([
    '4',
    '1',
    '75.0 %',
    // With the decimals that the spend of root needs.
    `$${(OWN_TOTAL / UNITS_PER_DOLLAR).toFixed(4)}`,
  ])

  await page.getByRole('link', { name: own.logOf('strict-host') }).click()
  await heading(page, texts.pages.logs).waitFor()
  const rows = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })
  await expect.poll(() => rows.count()).toBe(2)
  expect(await page.getByRole('row').filter({ hasText: 'text-embedding' }).count()).toBe(0)

  await page.goBack()
  await page.getByRole('button', { name: own.mine, exact: true }).click()
  await page.waitForURL(/scope=mine/)
  await tile(page, own.spendToday).getByText(tileDollars(CHAT_COST), { exact: true }).waitFor()
  await tile(page, own.remaining).getByText(own.unlimited, { exact: true }).waitFor()
  expect(await page.getByRole('table', { name: own.channels }).count()).toBe(0)
})

test('margins that do not load say why, and load on request', async () => {
  const { page } = await pages.root()
  const body = JSON.stringify({ success: false, message: 'No costs now.' })
  const release = await intercept(page, '*/api/stat/costs*', () => ({
    contentType: 'application/json',
    body,
  }))
  await page.goto('/dashboard?scope=everyone')
  const main = page.getByRole('main')
  const why = main.getByRole('alert').filter({ hasText: 'No costs now.' })
  await why.waitFor()
  expect(await why.count()).toBe(1)
  const margin = tile(page, 'Margin')
  await margin.getByText('—', { exact: true }).waitFor()
  await release()
  await why.getByRole('button', { name: 'Try again' }).press('Enter')
  await margin.getByText(/%\)$/).waitFor()
  await expect.poll(() => hasFocus(page, main.getByRole('heading', { level: 1 }))).toBe(true)
})

test('an administrator sees the upstream cost of hedging and failover', async () => {
  const { page } = await pages.root()
  await changeRows(page, '**/api/stat/channels?*', (rows) =>
    rows.map((channel) => ({ ...channel, unbilled_quota: CHAT_COST })),
  )
  await page.goto('/dashboard')
  await page.getByRole('columnheader', { name: own.unbilled, exact: true }).waitFor()
  const headers = page.getByRole('table', { name: own.channels, exact: true }).locator('th')
  const column = (await headers.allInnerTexts()).indexOf(own.unbilled)
  const cells = cellsOf(page, own.channels, 'strict-host')
  await expect.poll(() => cells.nth(column).innerText()).toBe(tileDollars(CHAT_COST))
})

test('a channel that never answered is not in the chart of response times', async () => {
  const { page } = await openDashboard('root')
  const figure = page.getByRole('figure', { name: own.latency })
  await expect.poll(() => figure.getByText('openai-main').count()).toBeGreaterThan(0)
  expect(await figure.getByText('strict-host').count()).toBe(0)
})

test("days are those of the operator's time zone", async () => {
  await world.setOption('TimeZone', 'Pacific/Kiritimati')
  const page = await world.open({ session: sessions.ann })
  const asked = page.waitForRequest((request) => request.url().includes('utc_offset=840'))
  await page.goto('/dashboard')
  await page.getByText(own.zone('Pacific/Kiritimati'), { exact: true }).waitFor()
  await asked
  const now = new Date(Date.now() + 14 * 3_600_000).toISOString()
  await page.getByText(now.slice(5, 10), { exact: true }).first().waitFor()
  await world.setOption('TimeZone', '')
})

test('a user without requests gets an introduction and a link to the tokens', async () => {
  const { page } = await openDashboard('ben')
  await page.getByText(own.noRequests, { exact: true }).waitFor()
  await page.getByRole('link', { name: own.toTokens }).click()
  await heading(page, texts.pages.tokens).waitFor()
})

test('when all requests failed, the spend is zero and failures are counted', async () => {
  const { page } = await openDashboard('cai')
  await page.getByText(own.nothingCharged, { exact: true }).waitFor()
  expect((await cellsOf(page, own.models, 'gpt-4o-mini').allInnerTexts()).slice(1, 4)).toEqual([
    '1',
    '1',
    '0.0 %',
  ])
})
