import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelEndpoints, tokenEndpoints } from '@tollgate/contract'
import { answerChat } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld, sessionOf } from './one-world.ts'

const HOUR_MS = 3_600_000

const world = openOneWorld(async () => {
  world.upstream.script('main', answerChat())
  const base_url = world.upstream.baseUrl('main')
  const channel = { type: 8, name: 'main', key: 'sk-1', base_url, models: 'gpt-4o' }
  await world.asRoot(channelEndpoints.createChannels, { body: channel })
  const token = { name: 'a, "quoted" key', unlimited_quota: true }
  const { data } = await world.asRoot(tokenEndpoints.createToken, { body: token })
  const answer = await fetch(`${world.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${data.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(answer.status).toBe(200)
})
const session = sessionOf(world)

const range = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Time range' }).getByRole('button', { name, exact: true })

const isChosen = (page: Page, name: string) => range(page, name).getAttribute('aria-pressed')

const requests = (page: Page) => page.getByRole('row').filter({ hasText: 'gpt-4o' })

test('the range of the log follows the back button', async () => {
  const page = await world.open({ session })
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
  const page = await world.open({ session })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
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

test.each([
  ['behind', -9 * HOUR_MS],
  ['ahead', 9 * HOUR_MS],
])('requests are found on a computer whose clock is hours %s', async (_, offset) => {
  const page = await world.open({ session })
  await page.clock.setSystemTime(Date.now() + offset)
  for (const path of ['/log', '/log?range=hour']) {
    await page.goto(path)
    await expect.poll(() => requests(page).count(), { message: path }).toBe(1)
  }
  await page.goto('/usage?metric=requests&range=today')
  await page.getByRole('table').getByText('gpt-4o').waitFor()
})

test('the filter of a token with quotes and a comma is shown, and can be sent again', async () => {
  const page = await world.open({ session })
  await page.goto('/log')
  await page.locator('summary', { hasText: 'Token' }).click()
  const value = page.getByRole('button', { name: 'a, "quoted" key' })
  await value.click()
  await expect.poll(() => value.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('combobox', { name: 'Search', exact: true }).click()
  await page.keyboard.press('Enter')
  await expect
    .poll(() => new URL(page.url()).searchParams.get('token_name'))
    .toBe('a, "quoted" key')
  await expect.poll(() => requests(page).count()).toBe(1)
})
