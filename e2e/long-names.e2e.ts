import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tokenEndpoints } from '@tollgate/contract'
import { answerChat, answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { changeText } from './intercept.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { SETTINGS_TEXTS } from './settings-texts.ts'
import { addCustomer, askModel } from './steps.ts'
import type { Language } from './texts.ts'

const MODEL = 'accounts/fireworks/models/deepseek-v3p1-terminus'
const CHANNEL = 'enterprise-emea-dedicated-capacity'
const TOKEN = 'evaluation of long documents'
const LANGUAGES: readonly Language[] = ['en', 'zh']

const world = openOneWorld(async () => {
  world.upstream.script(CHANNEL, answerChat(), answerError(503, { message: 'overloaded' }))
  await world.addChannel(CHANNEL, MODEL)
  const body = { name: TOKEN, unlimited_quota: true }
  const { data } = await world.asRoot(tokenEndpoints.createToken, { body })
  const ask = () => askModel(world, `sk-${data.key}`, MODEL, 'word '.repeat(20_000))
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 503])
  await world.setOption('About', '# Who we are\n\nA gateway.')
})
const session = sessionOf(world)

const hiddenWidth = (place: Locator) =>
  place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)

const hiddenHeight = (place: Locator) =>
  place.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)

const frameOf = (page: Page) =>
  page
    .getByRole('region')
    .filter({ has: page.getByRole('table') })
    .filter({ hasText: MODEL })

test.each(LANGUAGES)('the log fits windows of 1440 and 1280 pixels, in %s', async (language) => {
  const page = await world.open({ session, language })
  await changeText(page, /\/api\/log\/\?/, (text) =>
    text
      .replaceAll('"username":"root"', '"username":"commonwealth"')
      .replaceAll(/"(prompt|completion)_tokens":\d+/g, '"$1_tokens":1234567'),
  )
  await page.goto('/log?type=2')
  await page.getByText('1,234,567').first().waitFor()
  await page.locator('tr[data-row]').nth(1).waitFor()
  await page
    .getByText(language === 'en' ? 'Outcome' : '结果', { exact: true })
    .first()
    .waitFor()
  await page.locator('main details').first().waitFor()
  for (const width of [1440, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(() => hiddenWidth(frameOf(page))).toBe(0)
  }
})

test('long names of channels and tokens leave the room of a model', async () => {
  const model = 'gemini-2.5-flash'
  const page = await world.open({ session })
  await page.setViewportSize({ width: 1280, height: 900 })
  await changeText(page, /\/api\/log\/\?/, (text) => text.replaceAll(MODEL, model))
  await page.goto('/log?type=2')
  const cell = page.locator('tr[data-row]').getByTitle(model, { exact: true }).first()
  await cell.waitFor()
  expect([await hiddenWidth(cell), await hiddenHeight(cell)]).toEqual([0, 0])
  const channel = page.locator('tr[data-row]').getByText(CHANNEL, { exact: true }).first()
  expect(await channel.getAttribute('title')).toBe(CHANNEL)
})

test.each(LANGUAGES)(
  'the ratios of models fit a window of 1440 pixels, in %s',
  async (language) => {
    const page = await world.open({ session, language })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/setting/operation')
    const frame = page.locator('[role=region]:has(> table[aria-rowcount])')
    await frame.locator('tbody input').first().waitFor()
    expect(await hiddenWidth(frame)).toBe(0)
    // A ratio has up to nine decimals.
    const field = frame.locator('tbody input').first()
    await field.fill('1.142857143')
    expect(await hiddenWidth(field)).toBe(0)
  },
)

test('the name of a model that its row cannot show whole is in a hint', async () => {
  const lengths = [66, 67, 91, 99]
  for (const width of [1280, 390]) {
    const page = await world.open({ session, viewport: { width, height: 900 } })
    await page.goto('/setting/operation')
    const search = page.getByLabel(SETTINGS_TEXTS.en.searchModels)
    for (const name of lengths.map((length) => 'a'.repeat(length))) {
      await search.fill(name)
      await page.getByRole('button', { name: `Add ${name}`, exact: true }).click()
    }
    await search.fill('aaa')
    const names = page.locator('tbody th[scope=row] > *')
    await expect.poll(() => names.count()).toBe(lengths.length)
    for (const name of await names.all()) {
      const hint = await name.getAttribute('data-hint')
      if (hint === null) expect([width, await hiddenHeight(name)]).toEqual([width, 0])
    }
  }
})

test('the log shows a whole username where it has room', async () => {
  const username = '十二个汉字的用户名真长啊'
  await addCustomer(world, username, 1)
  const page = await world.open({ session })
  await page.goto(`/log?username=${username}`)
  const cell = page.locator('tr[data-row]').getByTitle(username, { exact: true }).first()
  await cell.waitFor()
  expect([await hiddenWidth(cell), await hiddenHeight(cell)]).toEqual([0, 0])
})

test.each(LANGUAGES)('a statement has room for all its columns, in %s', async (language) => {
  const page = await world.open({ session, language })
  await page.goto('/billing')
  const frame = frameOf(page).first()
  await frame.waitFor()
  // Long numbers leave less room for the name.
  await frame.locator('td').evaluateAll((cells) => {
    for (const cell of cells) cell.textContent = '1,234,567.12'
  })
  expect(await hiddenWidth(frame)).toBe(0)
})

test('a phone shows the whole name of a model without a price', async () => {
  const page = await world.open({ session, isPhone: true })
  await page.goto('/dashboard')
  const link = page.getByRole('link', { name: `Set the price of ${MODEL}` })
  await link.waitFor()
  for (const part of await link.locator('span').all()) expect(await hiddenWidth(part)).toBe(0)
  const box = await link.boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  const middles = await link.evaluate((outer) =>
    [outer, outer.querySelector('span span')].map((part) => {
      const { top, bottom } = part?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
      return Math.round(top + bottom)
    }),
  )
  expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 9))).toBeLessThanOrEqual(2)
})

test('a heading of the operator is not larger than the title of its page', async () => {
  const page = await world.open({ session })
  await page.goto('/about')
  await page.getByRole('heading', { name: 'Who we are' }).waitFor()
  const sizes = await page.evaluate<string[]>(`
    [...document.querySelectorAll('main h1')].map((heading) => getComputedStyle(heading).fontSize)
  `)
  expect(sizes).toEqual(['20px', '20px'])
})
