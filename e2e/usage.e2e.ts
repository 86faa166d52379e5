import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { EXPLORED_ROWS_MAX } from '@tollgate/contract'
import { answerChat } from '../server/testing/fakes/scripted-upstream.ts'
import { changeData } from './intercept.ts'
import { openOneWorld } from './one-world.ts'
import {
  addCustomer,
  askModel,
  heading,
  saveFile,
  signedIn,
  tokenOf,
  watchQueries,
} from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const rows = z.array(z.looseObject({}))
const explored = z.looseObject({ rows, buckets: rows })

const MODEL = 'gpt-4o'
/** The name of a token. */
const QUOTED = 'a, "quoted" key'
const HOUR_MS = 3_600_000

let root: Session
let alice: Session

const world = openOneWorld(async () => {
  root = await signedIn(world)
  await world.addChannel('main', MODEL, answerChat())
  alice = await addCustomer(world, 'alice', 1_000_000)
  const keys = [
    await tokenOf(world, alice, 'web'),
    await tokenOf(world, alice, 'web'),
    await tokenOf(world, root, QUOTED),
  ]
  for (const key of keys) await askModel(world, key, MODEL)
})

const table = (page: Page) => page.getByRole('table', { name: 'Values of the chart' })
const totals = (page: Page) => table(page).getByRole('row', { name: 'Total' })

async function open(session: Session, address = '/usage'): Promise<Page> {
  const page = await world.open({ session })
  await page.goto(address)
  await heading(page, TEXTS.en.pages.usage).waitFor()
  return page
}

test('an administrator explores a figure by a dimension, and reaches its requests in the log', async () => {
  const page = await open(root)
  await page.getByText('Nothing in the period before.').waitFor()
  await page.getByLabel('Metric', { exact: true }).selectOption({ label: 'Requests' })
  await page.getByLabel('By', { exact: true }).selectOption({ label: 'User' })
  await page.waitForURL(/metric=requests&by=user/)
  await page.getByRole('button', { name: 'Today', exact: true }).click()
  await totals(page).getByText('3', { exact: true }).waitFor()
  expect(await table(page).getByRole('columnheader', { name: 'Requests' }).count()).toBe(1)
  const { text: csv } = await saveFile(page, page.getByRole('button', { name: 'Download CSV' }))
  expect(csv).toBe('\uFEFFUser,Requests,Period before\r\nalice,2,0\r\nroot,1,0\r\n')
  await page.getByRole('button', { name: 'Only alice' }).press('Enter')
  await page.waitForURL(/by=model&range=today&user=\d+/)
  await totals(page).getByText('2', { exact: true }).waitFor()
  expect(await page.evaluate('document.activeElement === document.body')).toBe(false)
  await page.getByRole('link', { name: `Log of ${MODEL}` }).click()
  await page.waitForURL(/\/log\?type=2&range=custom&.*user_id=\d+&model_name=gpt-4o$/)
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(2)
  await page.goBack()
  await page.getByRole('button', { name: 'User: alice (remove)' }).click()
  await totals(page).getByText('3', { exact: true }).waitFor()
})

test('a filter names its model before the usage is known', async () => {
  const page = await world.open({ session: root })
  await page.route(/\/api\/stat\/explore/, (route) => route.abort())
  await page.goto(`/usage?model=${MODEL}`)
  await page.getByRole('button', { name: `Model: ${MODEL} (remove)` }).waitFor()
})

test('a click on a bar, or Enter on its time, leads to the log', async () => {
  const page = await open(root, '/usage?metric=requests&by=user&range=today')
  const user = page.locator('figure rect[data-series^="key "]').first()
  await user.waitFor()
  await user.click()
  await page.waitForURL(/\/log\?type=2&range=custom&.*user_id=\d+/)
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(2)
  await page.goBack()
  await page.getByRole('slider').press('Enter')
  await page.waitForURL((url) => url.pathname === '/log' && !url.search.includes('user_id'))
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(3)
})

test('a chart of a deleted token leads to no log, which would have other requests', async () => {
  const page = await open(root, '/usage?metric=requests&range=today')
  const plot = page.locator('figure [data-clickable]')
  await plot.waitFor()
  await page.goto('/usage?metric=requests&range=today&token=9999')
  await page.getByRole('button', { name: 'Token: deleted, ID 9999 (remove)' }).waitFor()
  await page.getByRole('slider').waitFor()
  expect(await plot.count()).toBe(0)
})

test('a chart names deleted tokens, whose bars lead to no log', async () => {
  const page = await world.open({ session: root })
  await page.setViewportSize({ width: 1440, height: 900 })
  await changeData(page, '**/api/stat/explore?*', (given) => {
    const data = explored.parse(given)
    const rows = Array.from({ length: EXPLORED_ROWS_MAX }, (_, index) => {
      const key = String(9000 + index)
      return { ...data.rows[0], key, label: key, owner: undefined }
    })
    const buckets = data.buckets.map((bucket) => ({ ...bucket, key: '9000' }))
    const more = page.url().includes('range=90d')
    return { ...data, rows, buckets, more }
  })
  await page.goto('/usage?by=token&metric=requests&range=today')
  await page.locator('figure').getByText('deleted, ID 9000').first().waitFor({ state: 'attached' })
  const bar = page.locator('figure rect[data-series="key 9000"]').first()
  await bar.waitFor()
  const cursor = await page.evaluate<string>(`
    getComputedStyle(document.querySelector('figure rect[data-series="key 9000"]')).cursor
  `)
  expect(cursor).toBe('default')
  await bar.click()
  expect(new URL(page.url()).pathname).toBe('/usage')
  const cut = page.getByText('At most 100 rows are shown. The total includes the others.')
  expect(await cut.count()).toBe(0)
  await page.goto('/usage?by=token&range=90d')
  await cut.waitFor()
})

test('a group leads to its requests', async () => {
  const page = await open(root, '/usage?metric=requests&by=group&range=today')
  await page.getByRole('link', { name: 'Log of default' }).click()
  await page.waitForURL(/\/log\?type=2&range=custom&.*group=default/)
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(3)
  await page.goto('/log?group=vip')
  await page.getByText('No results.').waitFor()
})

test('a customer sees the own usage alone, from a link of the dashboard', async () => {
  const page = await open(alice, '/usage?metric=margin&by=user')
  await totals(page).waitFor()
  const names = await page.getByLabel('By', { exact: true }).getByRole('option').allInnerTexts()
  expect(names).not.toContain('User')
  await page.getByLabel('Metric', { exact: true }).selectOption({ label: 'Requests' })
  await totals(page).getByText('2', { exact: true }).waitFor()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Explore usage' }).click()
  await page.waitForURL('/usage')
})

const range = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Time range' }).getByRole('button', { name, exact: true })

const isChosen = (page: Page, name: string) => range(page, name).getAttribute('aria-pressed')

const requests = (page: Page) => page.getByRole('row').filter({ hasText: 'gpt-4o' })

test('the range of the log follows the back button', async () => {
  const page = await world.open({ session: root })
  await page.goto('/log?range=today')
  await range(page, 'Custom').click()
  await page.getByLabel('From', { exact: true }).fill('2026-01-02')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/range=custom/)
  await page.goBack()
  await page.waitForURL(/range=today/)
  await expect.poll(() => isChosen(page, 'Today')).toBe('true')
  expect(await page.getByLabel('From', { exact: true }).count()).toBe(0)
  await page.goForward()
  await page.getByLabel('From', { exact: true }).waitFor()
  await expect.poll(() => isChosen(page, 'Custom')).toBe('true')
})

test('dates of the usage are typed as one step, and only whole years are asked for', async () => {
  const page = await world.open({ session: root })
  const asked = watchQueries(page)
  await page.goto('/usage?range=30d')
  await range(page, 'Custom').click()
  const [from, to] = [page.getByLabel('From'), page.getByLabel('Until')]
  await from.pressSequentially('02022026')
  await to.pressSequentially('01012026')
  await page.getByText('Before the first day. The last 7 days are shown.').waitFor()
  await to.fill('2026-02-03')
  await page.waitForURL(/from=2026-02-02&to=2026-02-03/)
  const starts = asked.flatMap((url) => /[?&]start_timestamp=(-?\d+)/.exec(url)?.[1] ?? [])
  expect(Math.min(...starts.map(Number))).toBeGreaterThan(Date.parse('2000-01-01') / 1000)
  await expect.poll(() => isChosen(page, 'Custom')).toBe('true')
  await page.goBack()
  await range(page, '30 d').waitFor()
  await page.waitForURL(/range=30d$/)
  await expect.poll(() => isChosen(page, '30 d')).toBe('true')
  expect(await from.count()).toBe(0)
})

test('requests are found on a computer whose clock is hours ahead', async () => {
  const page = await world.open({ session: root })
  await page.clock.setSystemTime(Date.now() + 9 * HOUR_MS)
  for (const path of ['/log', '/log?range=hour']) {
    await page.goto(path)
    await expect.poll(() => requests(page).count(), { message: path }).toBe(3)
  }
  await page.goto('/usage?metric=requests&range=today')
  await page.getByRole('table').getByText('gpt-4o').waitFor()
})

test('the filter of a token with quotes and a comma is shown, and can be sent again', async () => {
  const page = await world.open({ session: root })
  await page.goto('/log')
  await page.locator('summary', { hasText: 'Token' }).click()
  const value = page.getByRole('button', { name: QUOTED })
  await value.click()
  await expect.poll(() => value.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('combobox', { name: 'Search', exact: true }).click()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('token_name')).toBe(QUOTED)
  await expect.poll(() => requests(page).count()).toBe(1)
})
