import OpenAI from 'openai'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelEndpoints, optionEndpoints, tokenEndpoints } from '@tollgate/contract'
import { answerChat, answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import type { Language } from './texts.ts'

const MODEL = 'accounts/fireworks/models/deepseek-v3p1-terminus'
const CHANNEL = 'enterprise-emea-dedicated-capacity'
const TOKEN = 'evaluation of long documents'
const LANGUAGES: readonly Language[] = ['en', 'zh']

const world = openOneWorld(async () => {
  world.upstream.script('main', answerChat(), answerError(503, { message: 'overloaded' }))
  const body = { type: 8, name: CHANNEL, key: 'sk-1', models: MODEL }
  const base_url = world.upstream.baseUrl('main')
  await world.asRoot(channelEndpoints.createChannels, { body: { ...body, base_url } })
  const { data } = await world.asRoot(tokenEndpoints.createToken, {
    body: { name: TOKEN, unlimited_quota: true },
  })
  const apiKey = `sk-${data.key}`
  const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
  const ask = () =>
    client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'word '.repeat(20_000) }],
    })
  await ask()
  await expect(ask()).rejects.toThrow()
  await world.asRoot(optionEndpoints.updateOption, {
    body: { key: 'About', value: '# Who we are\n\nA gateway.' },
  })
})
const session = sessionOf(world)

const hiddenWidth = (place: Locator) =>
  place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)

const frameOf = (page: Page) =>
  page
    .getByRole('region')
    .filter({ has: page.getByRole('table') })
    .filter({ hasText: MODEL })

test.each(LANGUAGES)('the log shows its last column at 1440 pixels, in %s', async (language) => {
  const page = await world.open({ session, language })
  await page.goto('/log?type=2')
  await page.locator('tr[data-row]').nth(1).waitFor()
  await page
    .getByText(language === 'en' ? 'Outcome' : '结果', { exact: true })
    .first()
    .waitFor()
  await expect.poll(() => hiddenWidth(frameOf(page))).toBe(0)
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
