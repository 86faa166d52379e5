import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ERRORS, tokenEndpoints } from '@tollgate/contract'
import { BAD_DAY_TEXTS } from './bad-days-texts.ts'
import { intercept } from './intercept.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addEdited, type PageRow, PAGES } from './pages.ts'
import { sharePage } from './shared-page.ts'
import { heading, message } from './steps.ts'
import { TEXTS } from './texts.ts'

const PORTAL = '<!doctype html><title>Hotel</title><h1>Welcome to the hotel</h1>'
const SLOW_MS = 10_000

type Text = keyof Omit<(typeof BAD_DAY_TEXTS)['en'], 'otherUser' | 'account' | 'deleteVerb'>
type Answer = {
  status?: number
  contentType?: string
  headers?: Record<string, string>
  body: string
}

const world = openOneWorld(async () => {
  await addEdited(world)
})
const session = sessionOf(world)

const json = (status: number, body: string, headers: Record<string, string> = {}): Answer => ({
  status,
  contentType: 'application/json',
  headers,
  body,
})

const REFUSAL = JSON.stringify({ success: false, message: ERRORS.foreign_origin.en })

/** Responses in place of the expected answer, and the error that the page shows. */
const ANSWERS: [name: string, answer: Answer, says: Text][] = [
  ['403 with a reason', json(403, REFUSAL), 'foreign'],
  ['403 as a web page', { status: 403, contentType: 'text/html', body: PORTAL }, 'forbidden'],
  ['405', json(405, ''), 'demo'],
  ['429', json(429, ''), 'tooMany'],
  ['429 with a time', json(429, '', { 'Retry-After': '7' }), 'tooManyWait'],
  ['500 with a reason', json(500, REFUSAL), 'internal'],
  ['502 as a web page', { status: 502, contentType: 'text/html', body: PORTAL }, 'badGateway'],
  ['200 as a web page', { contentType: 'text/html', body: PORTAL }, 'webPage'],
  ['half a JSON', json(200, '{"success":true,"message":"","data":[{"id":1,'), 'brokenOff'],
  ['a text', json(200, 'pong'), 'notJson'],
  ['JSON of something else', json(200, '{"status":"ok"}'), 'unexpected'],
  ['rows of another shape', json(200, '{"success":true,"data":[{"id":"x"}]}'), 'unexpected'],
]

/** Error lines that the page wrote to the browser's console. */
function watchFailures(page: Page): string[] {
  const failures: string[] = []
  page.on('console', (line) => {
    if (line.type() === 'error' && line.text().includes('CallError')) failures.push(line.text())
  })
  return failures
}

// translations.ts proves the Chinese texts.
const texts = TEXTS.en
const own = BAD_DAY_TEXTS.en

const rootPage = sharePage(() => world.open({ session }))

test('a server that takes ten seconds is awaited, and called only once', async () => {
  const page = await world.open({ session })
  const calls: string[] = []
  await page.clock.install()
  let answer = () => {}
  await page.route('**/api/token/**', async (route) => {
    calls.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`)
    await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  const asked = page.waitForRequest('**/api/token/1')
  await page.goto('/token/edit/1')
  await asked
  await page.clock.runFor(SLOW_MS)
  await page.getByText(own.loading).waitFor()
  answer()
  const name = page.getByLabel(texts.tokenName, { exact: true })
  await name.waitFor()
  await name.fill('slow')
  const save = page.getByRole('button', { name: texts.save })
  await save.click()
  await page.keyboard.press('Control+Enter')
  await page.clock.runFor(SLOW_MS)
  expect(await save.getAttribute('data-loading')).toBe('true')
  expect(calls).toEqual(['GET /api/token/1', 'PUT /api/token/'])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  answer()
  await heading(page, texts.pages.tokens).waitFor()
  await page.getByRole('cell', { name: 'slow', exact: true }).waitFor()
  await world.asRoot(tokenEndpoints.updateToken, {
    query: {},
    body: { id: 1, name: 'web shop' },
  })
})

test('an unexpected answer is named in a toast and in the page', async () => {
  const { page } = await rootPage()
  const failures = watchFailures(page)
  await page.route('**/api/token/**', (route) => route.abort())
  await page.goto('/token')
  const again = page.getByRole('button', { name: texts.tryAgain })
  await again.waitFor()
  for (const [name, answer, says] of ANSWERS) {
    await page.unroute('**/api/token/**')
    await page.route('**/api/token/**', (route) => route.fulfill(answer))
    failures.length = 0
    await again.click()
    const toast = page.locator('.Toastify__toast').filter({ hasText: own[says] })
    await toast.waitFor()
    expect(await toast.getAttribute('class'), name).toContain(says === 'demo' ? 'info' : 'error')
    await page.getByRole('main').getByRole('alert').filter({ hasText: own[says] }).waitFor()
    await expect.poll(() => failures.length, { message: name }).toBeGreaterThan(0)
    await toast.getByRole('button').click()
    await toast.waitFor({ state: 'detached' })
  }
  await page.unroute('**/api/token/**')
  await again.click()
  await page.getByRole('cell', { name: 'web shop', exact: true }).waitFor()
})

test('a lost network is reported at once, and the page recovers with it', async () => {
  const { page } = await rootPage()
  await page.goto('/token/add')
  await heading(page, texts.pages.tokenForm).waitFor()
  await page.getByLabel(texts.tokenName, { exact: true }).fill('typed offline')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, own.unreachable).waitFor()
  await page.context().setOffline(false)
  const name = page.getByLabel(texts.tokenName, { exact: true })
  expect(await name.inputValue()).toBe('typed offline')
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, texts.tokenCreated).waitFor()
  await page.getByRole('link', { name: texts.connected, exact: true }).click()
  await page.getByRole('cell', { name: 'typed offline', exact: true }).waitFor()
  expect(await page.getByRole('cell', { name: 'typed offline', exact: true }).count()).toBe(1)
  const { data } = await world.asRoot(tokenEndpoints.searchTokens, {
    query: { keyword: 'typed offline' },
  })
  for (const { id } of data) await world.asRoot(tokenEndpoints.deleteToken, { params: { id } })
})

/** One page of each kind: text, dashboard, list, form and options. */
const KINDS = new Set(['/about', '/dashboard', '/token', '/channel/edit/1', '/setting/operation'])

const BROKEN: [name: string, answer: Answer, pages: readonly PageRow[]][] = [
  ['500', json(500, JSON.stringify({ success: false, message: 'broken' })), PAGES],
  [
    'a web page',
    { contentType: 'text/html', body: PORTAL },
    PAGES.filter(({ path }) => KINDS.has(path)),
  ],
]

describe.each(BROKEN)('while every answer is %s', (_name, answer, pages) => {
  const signedInPage = sharePage(() => world.open({ session }))
  const signedOutPage = sharePage(() => world.open())

  test.each(pages)('$path is not blank', async ({ path, title, access, reads }) => {
    const { page } = await (access === 'anyone' && !reads ? signedOutPage() : signedInPage())
    const release = await intercept(page, '*/api/*', () => answer)
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('main').innerText()).not.toBe('')
    if (!reads) return
    const retry = page.getByRole('button', { name: texts.tryAgain })
    await retry.first().waitFor()
    await release()
    // A part that is loaded again may bring back others.
    const tryNext = async () => {
      if ((await retry.count()) > 0) await retry.first().click({ timeout: 1000 })
      return retry.count()
    }
    await expect.poll(() => tryNext().catch(() => retry.count())).toBe(0)
    await heading(page, title(texts)).waitFor()
  })
})
