import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { channelEndpoints, EXPLORED_ROWS_MAX, userEndpoints } from '@tollgate/contract'
import { answerChat } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld } from './one-world.ts'
import { heading, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Session } from './world.ts'

const OWN_TEXTS = {
  en: {
    metric: 'Metric',
    by: 'By',
    requests: 'Requests',
    user: 'User',
    noRows: 'No results.',
    table: 'Values of the chart',
    total: 'Total',
    logOf: (name: string) => `Log of ${name}`,
    today: 'Today',
    nothingBefore: 'Nothing in the period before.',
    explore: 'Explore usage',
  },
  zh: {
    metric: '指标',
    by: '维度',
    requests: '请求数',
    user: '用户',
    noRows: '没有匹配的结果。',
    table: '图表数据',
    total: '合计',
    logOf: (name: string) => `${name} 的日志`,
    today: '今天',
    nothingBefore: '上一周期没有数据。',
    explore: '用量分析',
  },
} as const

const rows = z.array(z.looseObject({}))
const explored = z.looseObject({ data: z.looseObject({ rows, buckets: rows }) })

const MODEL = 'gpt-4o'
const PASSWORD = 'a long password'

let root: Session
let alice: Session

const world = openOneWorld(async () => {
  root = await signedIn(world)
  await world.asRoot(channelEndpoints.createChannels, {
    body: {
      type: 8,
      name: 'main',
      key: 'sk-1',
      base_url: world.upstream.baseUrl('main'),
      models: MODEL,
    },
  })
  world.upstream.script('main', answerChat())
  const body = { username: 'alice', display_name: 'alice', password: PASSWORD }
  const { data } = await world.asRoot(userEndpoints.createUser, { body })
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota: 1_000_000 } })
  alice = await signedIn(world, { username: 'alice', password: PASSWORD })
  for (const session of [alice, alice, root]) {
    const apiKey = await tokenOf(world, session, { name: 'web', remain_quota: 500_000 })
    const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
    await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
    })
  }
})

test('the texts are the same messages in both languages', () => expectTranslated(OWN_TEXTS))

const own = OWN_TEXTS.en

const table = (page: Page) => page.getByRole('table', { name: own.table })
const totals = (page: Page) => table(page).getByRole('row', { name: own.total })

async function open(session: Session, address = '/usage'): Promise<Page> {
  const page = await world.open({ session })
  await page.goto(address)
  await heading(page, TEXTS.en.pages.usage).waitFor()
  return page
}

test('an administrator explores a figure by a dimension, and reaches its requests in the log', async () => {
  const page = await open(root)
  await page.getByText(own.nothingBefore).waitFor()
  await page.getByLabel(own.metric, { exact: true }).selectOption({ label: own.requests })
  await page.getByLabel(own.by, { exact: true }).selectOption({ label: own.user })
  await page.waitForURL(/metric=requests&by=user/)
  await page.getByRole('button', { name: own.today, exact: true }).click()
  await totals(page).getByText('3', { exact: true }).waitFor()
  expect(await table(page).getByRole('columnheader', { name: own.requests }).count()).toBe(1)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const csv = await text(await download.createReadStream())
  expect(csv).toBe('User,Requests,Period before\r\nalice,2,0\r\nroot,1,0\r\n')
  await page.getByRole('button', { name: 'Only alice' }).press('Enter')
  await page.waitForURL(/by=model&range=today&user=\d+/)
  await totals(page).getByText('2', { exact: true }).waitFor()
  expect(await page.evaluate('document.activeElement === document.body')).toBe(false)
  await page.getByRole('link', { name: own.logOf(MODEL) }).click()
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
  await page.route('**/api/stat/explore?*', async (route) => {
    const { data, ...rest } = explored.parse(await (await route.fetch()).json())
    const rows = Array.from({ length: EXPLORED_ROWS_MAX }, (_, index) => {
      const key = String(9000 + index)
      return { ...data.rows[0], key, label: key, owner: undefined }
    })
    const buckets = data.buckets.map((bucket) => ({ ...bucket, key: '9000' }))
    const more = page.url().includes('range=90d')
    await route.fulfill({ json: { ...rest, data: { ...data, rows, buckets, more } } })
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
  await page.getByRole('link', { name: own.logOf('default') }).click()
  await page.waitForURL(/\/log\?type=2&range=custom&.*group=default/)
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(3)
  await page.goto('/log?group=vip')
  await page.getByText(own.noRows).waitFor()
})

test('a customer sees the own usage alone, from a link of the dashboard', async () => {
  const page = await open(alice, '/usage?metric=margin&by=user')
  await totals(page).waitFor()
  const names = await page.getByLabel(own.by, { exact: true }).getByRole('option').allInnerTexts()
  expect(names).not.toContain(own.user)
  await page.getByLabel(own.metric, { exact: true }).selectOption({ label: own.requests })
  await totals(page).getByText('2', { exact: true }).waitFor()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: own.explore }).click()
  await page.waitForURL('/usage')
})
