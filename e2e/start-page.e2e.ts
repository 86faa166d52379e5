import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelEndpoints } from '@tollgate/contract'
import { answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { changeData, changeRows, intercept } from './intercept.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { addCustomer, askModel, message, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const texts = TEXTS.en
const TAPS_MAX = 3

let eve: Session

const world = openOneWorld(async () => {
  await world.addChannel('good', 'gpt-4o', healthyProvider(usageOf(1000, 0, 500)))
  const off = answerError(500, { message: 'The engine is off.' })
  const id = await world.addChannel('sick', 'o3', off)
  eve = await addCustomer(world, 'eve', 500_000)
  const key = await tokenOf(world, eve, 'shop')
  for (const model of ['gpt-4o', 'o3', 'no-such-model']) await askModel(world, key, model)
  const test = channelEndpoints.testChannel
  await world.asRoot(test, { params: { id }, query: {} }).catch(() => {})
})
const root = sessionOf(world)

/** Opens the start page as an operator who has hidden the first steps. */
async function openStart(session: Session, isPhone = false) {
  const page = await world.open({ session, ...(isPhone && { isPhone }) })
  await page.addInitScript(`localStorage.setItem('prompt-first-steps', 'true')`)
  await page.goto('/')
  return page
}

test('an operator reads what today costs and earns, and which channel is sick', async () => {
  const page = await openStart(root)
  const valueNextTo = (name: string) =>
    page.getByRole('term').filter({ hasText: name }).first().locator('+ dd').textContent()
  await page.getByRole('heading', { name: 'Today so far' }).waitFor()
  await expect.poll(() => valueNextTo('Charged')).toBe('$0.0075 ')
  await expect.poll(() => valueNextTo('Cost at providers')).toBe('$0.0075')
  await expect.poll(() => valueNextTo('Margin')).toBe('$0.00 (0\u00A0%)')
  await expect.poll(() => valueNextTo('Failed')).toBe('2')
  await page.getByRole('link', { name: '2', exact: true }).click()
  await page.waitForURL(/\/log\?.*outcome=failed.*range=today/)
  await page.goBack()
  await page.getByRole('link', { name: '1 failing' }).waitFor()
  await expectGoodLook(page)
})

test('a customer reads which requests failed, why, and where to help', async () => {
  const page = await openStart(eve)
  const failures = page.getByRole('listitem').filter({ has: page.locator('strong') })
  await expect.poll(() => failures.count()).toBe(2)
  const missing = failures.filter({ hasText: 'no-such-model' })
  await missing.getByText('no channel serves this model').waitFor()
  expect(await missing.getByRole('link').textContent()).toBe('Models')
  expect(await page.getByRole('heading', { name: 'Today so far' }).count()).toBe(0)
  await page.getByRole('link', { name: 'All failed requests of the last 7 days' }).click()
  await page.waitForURL(/\/log\?.*outcome=failed,refused/)
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(2)
})

test('figures that do not load say why, and load on request', async () => {
  const page = await openStart(root)
  const fail = (path: string) =>
    intercept(page, `*${path}*`, () => ({
      contentType: 'application/json',
      body: JSON.stringify({ success: false, message: `No ${path} now.` }),
    }))
  const paths = ['/api/stat/?start', '/api/channel/summary', '/api/stat/costs']
  const main = page.getByRole('main')
  const why = (path = '') => main.getByRole('alert').filter({ hasText: `No ${path} now.` })
  for (const path of paths) {
    const release = await fail(path)
    await page.reload()
    await why(path).waitFor()
    expect(await page.locator('.Toastify__toast').count()).toBe(0)
    await release()
    await why(path).getByRole('button', { name: 'Try again' }).click()
    await why(path).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: '1 failing' }).waitFor()
    await page.getByRole('term').filter({ hasText: 'Cost at providers' }).waitFor()
  }
})

test('the page stays while the figures of the next hour load', async () => {
  const page = await openStart(root)
  const parts = [
    page.getByRole('term').filter({ hasText: 'Cost at providers' }),
    page.getByRole('heading', { name: 'API base URL' }),
  ]
  for (const part of parts) await part.waitFor()
  await page.route('**/api/stat/?start*', () => {})
  const asked = page.waitForRequest(/\/api\/stat\/\?start/)
  await page.evaluate(`{
    const now = Date.now
    Date.now = () => now() + 3_600_000
    localStorage.setItem('time_zone', 'Asia/Kolkata')
    dispatchEvent(new StorageEvent('storage', { key: 'time_zone' }))
  }`)
  await asked
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  for (const part of parts) expect(await part.count()).toBe(1)
})

/** Opens the start page as an administrator without own requests. */
async function openUnused(prepare: (page: Page) => Promise<void> = async () => {}) {
  const page = await world.open({ session: root })
  await changeData(page, /\/api\/user\/self$/, (data) => ({ ...data, request_count: 0 }))
  await prepare(page)
  await page.goto('/')
  return page
}

test('the page of a new operator outlives the loss of the first steps', async () => {
  const page = await openUnused(async (opened) => {
    await changeRows(opened, /\/api\/channel\/\?.*sort=used_quota/, () => [])
    await opened.route('**/static/js/start-panel-*.js', (route) => route.abort())
  })
  await page.getByRole('heading', { name: 'API base URL' }).waitFor()
  await page.locator('.Toastify__toast').waitFor()
})

test('an administrator who joins a running installation sees its state, not first steps', async () => {
  const page = await openUnused()
  await page.getByRole('heading', { name: 'Today so far' }).waitFor()
})

test('failures older than seven days are not among the last ones', async () => {
  const page = await openStart(eve)
  const asked = page.waitForRequest(/\/api\/log\/self\?.*outcome=failed/)
  await page.reload()
  const url = (await asked).url()
  const start = Number(new URL(url).searchParams.get('start_timestamp'))
  expect(Math.abs(Date.now() / 1000 - 7 * 86_400 - start)).toBeLessThan(60)
})

test('on a phone, a failed request says its reason in its row', async () => {
  const page = await world.open({ session: eve, isPhone: true })
  await page.goto('/log?outcome=failed')
  const row = page.locator('tr[data-row]').filter({ hasText: 'no-such-model' })
  await row.getByText('no channel serves this model').waitFor()
})

/** Counts taps over page loads. */
const countTaps = (page: Page) =>
  page.addInitScript(`addEventListener('click', ({ detail }) => {
    if (detail === 0) return
    sessionStorage.setItem('taps', String(Number(sessionStorage.getItem('taps') ?? 0) + 1))
  }, true)`)

const taps = (page: Page) => page.evaluate<number>(`Number(sessionStorage.getItem('taps'))`)

test('on a phone, the failing channel is found and disabled in three taps, and back', async () => {
  const page = await openStart(root, true)
  await countTaps(page)
  await page.reload()
  await page.getByRole('link', { name: '1 failing' }).tap()
  await page.getByRole('button', { name: texts.actionsOf('sick') }).tap()
  await page.getByRole('menuitem', { name: texts.disable }).tap()
  await message(page, 'sick gets no more requests.').waitFor()
  expect(await taps(page)).toBeLessThanOrEqual(TAPS_MAX)
  const statusOf = async () => {
    const { data } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
    return data.find(({ name }) => name === 'sick')?.status
  }
  await expect.poll(statusOf).toBe(2)
  await page.getByRole('button', { name: 'Undo' }).tap()
  await expect.poll(statusOf).toBe(1)
})

test('on a phone, a user in the list is topped up in three taps', async () => {
  const page = await world.open({ session: root, isPhone: true })
  await countTaps(page)
  await page.goto('/user')
  await page.getByRole('button', { name: texts.actionsOf('eve') }).tap()
  await page.getByRole('menuitem', { name: texts.addQuota }).tap()
  await page.getByRole('button', { name: 'Add quota to eve' }).tap()
  await message(page, texts.quotaAdded('$1.00', 'eve')).waitFor()
  expect(await taps(page)).toBeLessThanOrEqual(TAPS_MAX)
})
