import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { overflowOf } from './accessibility.ts'
import { changeData } from './intercept.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { fillWorld } from './realistic-world.ts'
import { SETTINGS_TEXTS } from './settings-texts.ts'
import { sharePage } from './shared-page.ts'
import { heading, openWithin, watchCalls } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

/** In pixels: the smallest tap target, and the font size below which a phone zooms into a field. */
const THUMB = 44
const LETTERS = 16
/** In quota units. */
const BILLION_DOLLARS = 500_000_000_000_000

const texts = TEXTS.en

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
})
const session = sessionOf(world)
const customer = sessionOf(world, { username: 'bob', password: 'a long password' })

const phone = sharePage(() => world.open({ session, isPhone: true }))

const inFields = (page: Page) =>
  page.evaluate<number[]>(`[...document.querySelectorAll('input, select, textarea')]
    .map((field) => parseFloat(getComputedStyle(field).fontSize))`)

const heights = (page: Page) =>
  page.evaluate<
    number[]
  >(`[...document.querySelectorAll('main form button:is([type=submit], [type=submit] ~ *)')]
    .map((button) => button.getBoundingClientRect().height)`)

test('forms can be filled in and saved with one thumb', async () => {
  const { page } = await phone()
  await page.goto('/token')
  for (const path of ['/token/add', '/channel/add', '/topup', '/user/add', '/redemption/add']) {
    await openWithin(page, path)
    await page.locator('main form').first().waitFor()
    expect(Math.min(...(await inFields(page))), path).toBeGreaterThanOrEqual(LETTERS)
    expect(Math.min(...(await heights(page))), path).toBeGreaterThanOrEqual(THUMB)
  }
})

/** Pixels by which tables overflow their visible width. */
const sidewaysOf = (page: Page, within: string) =>
  page.evaluate<number>(`Math.max(...[...document.querySelectorAll('${within} table')].map(
    ({ parentElement: frame }) => frame.scrollWidth - frame.clientWidth))`)

test('the most used pages are within reach of a thumb, by role', async () => {
  const { page } = await phone()
  await page.goto('/token')
  const bar = page.getByRole('navigation', { name: 'Most used pages' })
  await bar.waitFor()
  expect(await bar.getByRole('link').allTextContents()).toEqual([
    'Dashboard',
    'Channels',
    'Logs',
    'Users',
  ])
  for (const link of await bar.getByRole('link').all()) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB)
  }
  await bar.getByRole('link', { name: 'Logs', exact: true }).click()
  await page.waitForURL('/log')
  expect(await bar.locator('[aria-current=page]').allTextContents()).toEqual(['Logs'])
  await page.goto('/token/add')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const gap = async () => {
    const [button, frame] = [await save.boundingBox(), await bar.boundingBox()]
    return (frame?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)
  }
  await expect.poll(gap).toBeGreaterThanOrEqual(0)

  const own = await world.open({ session: customer, isPhone: true })
  await own.goto('/token')
  const links = own.getByRole('navigation', { name: 'Most used pages' }).getByRole('link')
  await expect
    .poll(() => links.allTextContents())
    .toEqual(['Dashboard', 'Play', 'Tokens', 'Logs', 'Top up'])
})

test('no list scrolls sideways', async () => {
  const { page } = await phone()
  const lists = ['/channel', '/token', '/user', '/log', '/usage', '/billing', '/channel/1']
  const user = ['/user/1?tab=requests', '/user/token', '/user/1?tab=ledger']
  for (const path of [...lists, ...user, '/dashboard', '/setting/prices', '/setting/operation']) {
    await page.goto(path)
    await page.locator('main tbody tr:not([aria-hidden])').first().waitFor()
    await settled(page)
    expect([path, await sidewaysOf(page, 'main')]).toEqual([path, 0])
  }
  await page.getByLabel('Ratio in the table').selectOption('Completion ratio')
  await page
    .getByLabel(/^Completion ratio of /)
    .first()
    .waitFor()
})

test('the error of a ratio is seen while its column is hidden', async () => {
  const { page } = await phone()
  await page.goto('/setting/operation')
  const shown = page.getByLabel('Ratio in the table')
  await shown.selectOption('Completion ratio')
  const ratio = page.getByLabel('Completion ratio of gpt-4o', { exact: true })
  await page.getByLabel(SETTINGS_TEXTS.en.searchModels).fill('gpt-4o')
  await ratio.fill('0.12345678901')
  await ratio.blur()
  await shown.selectOption('Model ratio')
  expect(await ratio.count()).toBe(0)
  const error = page.getByText('Completion ratio: gpt-4o: must have at most 9 decimals.')
  const box = await error.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
})

test('the list of channels asks for margins and traffic when a row is opened', async () => {
  const { page } = await phone()
  const calls = watchCalls(page, /\/api\/stat\//)
  await page.goto('/channel')
  const row = page.getByRole('row').filter({ hasText: 'openai-main' })
  await row.waitFor()
  await settled(page)
  expect(calls).toEqual([])
  await row.getByRole('button', { name: 'Open openai-main' }).click()
  await expect.poll(() => calls.toSorted()).toEqual(['/api/stat/channels', '/api/stat/costs'])
})

test('the history of the settings does not scroll sideways', async () => {
  await world.setOption('About', 'a text that is longer than a phone is wide, '.repeat(5))
  const { page } = await phone()
  await page.goto('/setting/operation')
  await page.getByRole('button', { name: SETTINGS_TEXTS.en.history }).tap()
  const row = page.getByRole('dialog').getByRole('row').filter({ hasText: 'About' })
  await row.getByText(/→ a text that is longer/).waitFor()
  expect(await sidewaysOf(page, '[role=dialog]')).toBe(0)
})

test('a balance of a billion dollars stays in one line', async () => {
  const { page } = await phone()
  const change = { role: ROLE.admin, quota: BILLION_DOLLARS }
  await changeData(page, '/api/user/self', (data) => ({ ...data, ...change }))
  await page.goto('/dashboard?scope=mine')
  const balance = page.locator('dl').getByText('$1,000,000,000.00', { exact: true })
  expect(await balance.evaluate((amount) => amount.getClientRects().length)).toBe(1)
  expect(await overflowOf(page)).toBe(0)
  await page.unroute('/api/user/self')
})

test('the open tab of the settings is visible', async () => {
  const { page } = await phone()
  await page.goto('/setting/other')
  await heading(page, texts.pages.settings).waitFor()
  const tab = page.locator('main nav [aria-current=page]')
  const isVisible = async () => {
    const box = await tab.boundingBox()
    return box !== null && box.x >= 0 && box.x + box.width <= 390
  }
  await expect.poll(isVisible).toBe(true)
})

test('a tap on a chart shows its values until something else is tapped', async () => {
  const { page } = await phone()
  await page.goto('/dashboard')
  const chart = page.getByRole('figure').first()
  const chartImage = chart.locator('svg[height="232"]')
  const total = chart.getByText('Total', { exact: true })
  // The chart moves while content above it loads, so the tap is repeated. The bar of the most used
  // pages would cover its lower end.
  await expect
    .poll(async () => {
      await chartImage.scrollIntoViewIfNeeded()
      const box = await chartImage.boundingBox()
      if (box) await page.touchscreen.tap(box.x + box.width - 30, box.y + 100)
      return total.count()
    })
    .toBe(1)
  await heading(page, texts.pages.dashboard).tap()
  await total.waitFor({ state: 'detached' })
})
