import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tokenEndpoints } from '@tollgate/contract'
import { sharedBrowser } from './browser.ts'
import { healthyProvider, usageOf, WEATHER_CALL } from './provider.ts'
import {
  chooseAction,
  chooseType,
  copyKey,
  createToken,
  heading,
  message,
  rowOf,
  signIn,
} from './steps.ts'
import { type Texts, TEXTS } from './texts.ts'
import { openWorld, type World } from './world.ts'

/** US dollars per million tokens, from the providers' price lists. */
const PRICES = { prompt: 2.5, cached: 1.25, completion: 10, embedding: 0.02 }
const UNITS_PER_DOLLAR = 500_000

const PROMPT = 1204
const CACHED = 800
const COMPLETION = 312

const units = (dollarsPerMillion: number) =>
  Math.ceil((dollarsPerMillion * UNITS_PER_DOLLAR) / 1_000_000)

const CHAT_COST = units(
  (PROMPT - CACHED) * PRICES.prompt + CACHED * PRICES.cached + COMPLETION * PRICES.completion,
)
const EMBEDDING_COST = units(PROMPT * PRICES.embedding)
const TOTAL = 3 * CHAT_COST + EMBEDDING_COST

const grouped = (value: number) => value.toLocaleString('en-US')

// translations.ts proves the Chinese texts.
const texts = TEXTS.en
let world: World

beforeEach(async () => {
  world = await openWorld(await sharedBrowser(), { INITIAL_ROOT_PASSWORD: '123456' })
  world.upstream.script('openai', healthyProvider(usageOf(PROMPT, CACHED, COMPLETION)))
})

afterEach(() => world.close())

test('from an empty folder to the first answers and their exact price', async () => {
  const page = await world.open()
  await signIn(page, texts, { username: 'root', password: '123456' })
  await page.waitForURL('/user/edit')
  await message(page, texts.changePassword).waitFor()

  await page.goto('/setting')
  const before = await unitsBeside(page, texts.remainingQuota)

  await addChannel(page, texts, world.upstream.baseUrl('openai'))
  await chooseAction(page, texts, 'openai', new RegExp(`^${texts.test}$`))
  await message(page, texts.tested('openai')).waitFor()

  await createToken(page, texts, 'laptop')
  const apiKey = await copyKey(page, texts, 'laptop')
  expect(apiKey).toMatch(/^sk-[0-9A-Za-z]{48}$/)
  await callEverything(new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 }))

  await page.getByRole('navigation').getByRole('link', { name: texts.menu.logs }).click()
  await heading(page, texts.pages.logs).waitFor()
  const rows = page.getByRole('row').filter({ hasText: 'laptop' })
  await expect.poll(() => rows.count()).toBe(4)
  const chatRows = rows.filter({ hasText: 'gpt-4o' })
  expect(await chatRows.count()).toBe(3)
  expect(await chatRows.getByTitle(grouped(CHAT_COST), { exact: true }).count()).toBe(3)
  const embeddingRow = rows.filter({ hasText: 'text-embedding-3-small' })
  expect(await embeddingRow.getByTitle(grouped(EMBEDDING_COST), { exact: true }).count()).toBe(1)
  await checkReceipt(page, texts)

  await page.goto('/setting')
  expect(await unitsBeside(page, texts.remainingQuota)).toBe(before - TOTAL)
  expect(await unitsBeside(page, texts.usedQuota)).toBe(TOTAL)
  await page.goto('/user')
  await rowOf(page, 'root').getByTitle(grouped(TOTAL), { exact: true }).waitFor()
  await page.goto('/token')
  await rowOf(page, 'laptop').getByTitle(grouped(TOTAL), { exact: true }).waitFor()
  // The node returns its lease when no requests come, and then the remaining quota is exact.
  const tokens = () => world.asRoot(tokenEndpoints.searchTokens, { query: { keyword: 'laptop' } })
  await expect
    .poll(async () => (await tokens()).data[0])
    .toMatchObject({ remain_quota: 500_000 - TOTAL, quota_leased: 0 })
  await page.reload()
  await rowOf(page, 'laptop')
    .getByTitle(grouped(500_000 - TOTAL), { exact: true })
    .waitFor()
})

async function addChannel(page: Page, texts: Texts, baseUrl: string) {
  await page.getByRole('navigation').getByRole('link', { name: texts.menu.channels }).click()
  await page.getByRole('main').getByRole('link', { name: texts.addChannel }).first().click()
  await chooseType(page, texts, texts.customChannel)
  await page.getByLabel(texts.channelName, { exact: true }).fill('openai')
  const models = page.getByRole('combobox', { name: texts.channelModels })
  for (const model of ['gpt-4o', 'text-embedding-3-small']) {
    await models.fill(model)
    await models.press('Enter')
  }
  await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-upstream')
  await page.getByLabel(texts.baseUrl).fill(baseUrl)
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, texts.channelCreated).waitFor()
}

/** Some 1200 tokens, as the provider reports them. */
const QUESTION = `${'The report says: it rained. '.repeat(170)}What is the weather in Basel?`

/** One JSON answer, one stream, one tool call and one embedding. */
async function callEverything(client: OpenAI) {
  const question = {
    model: 'gpt-4o',
    messages: [{ role: 'user' as const, content: QUESTION }],
  }
  const whole = await client.chat.completions.create(question)
  expect(whole.choices[0]?.message.content).toBe('Hello there')
  expect(whole.usage?.prompt_tokens).toBe(PROMPT)

  const words: string[] = []
  for await (const part of await client.chat.completions.create({ ...question, stream: true })) {
    words.push(part.choices[0]?.delta.content ?? '')
  }
  expect(words.join('')).toBe('Hello there')

  const withTool = await client.chat.completions.create({
    ...question,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: {} } }],
  })
  expect(withTool.choices[0]?.finish_reason).toBe('tool_calls')
  expect(withTool.choices[0]?.message.tool_calls).toEqual([WEATHER_CALL])

  const embedding = await client.embeddings.create({
    model: 'text-embedding-3-small',
    input: QUESTION,
    encoding_format: 'float',
  })
  expect(embedding.data[0]?.embedding).toEqual([0.25, -0.5, 0.125])
}

/** The exact units of an amount that is shown in dollars. */
async function unitsBeside(page: Page, name: string): Promise<number> {
  const definition = page.getByRole('term').filter({ hasText: name }).locator('+ dd')
  const title = await definition.locator('[title]').getAttribute('title')
  return Number(title?.replaceAll(',', ''))
}

async function checkReceipt(page: Page, texts: Texts) {
  const row = page.getByRole('row').filter({ hasText: 'gpt-4o' }).last()
  await row.getByRole('button', { expanded: false }).click()
  const lines = page.getByRole('table', { name: texts.receipt }).getByRole('row')
  await lines.first().waitFor()
  expect(await lines.allInnerTexts()).toEqual(texts.receiptLines.map((cells) => cells.join('\t')))
}
