import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import {
  channelEndpoints,
  modelPriceEndpoints,
  optionEndpoints,
  priceEndpoints,
} from '@tollgate/contract'
import { portOf } from '../server/testing/harness/port-of.ts'
import { findViolations, overflowOf } from './accessibility.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { heading, message, rowOf, tabTo, tokenOf } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Look } from './world.ts'

const OWN = {
  en: {
    none: 'No feeds yet',
    add: 'Add feed',
    name: 'Name',
    kind: 'Kind',
    url: 'Address',
    urlError: 'Must be an address that begins with http:// or https://.',
    pull: 'Update now',
    changes: 'Show changes',
    agree: 'No changes: the feed and the prices in use agree.',
    chooseAll: 'Choose all',
    apply: (count: number) => `Apply ${count} changes`,
    applied: 'Applied prices: 2.',
    cheaper: 'price down',
    added: 'new',
    all: 'All',
    problems: '1 price of the feed is not used',
    failed: 'Last update failed: the server answered HTTP 503',
    unpriced: 'Every requested model has a price.',
    noPrice: 'no price',
    input: 'Input, dollars per million tokens',
    output: 'Output, dollars per million tokens',
    set: (model: string) => `Set price of ${model}`,
    saved: (model: string) => `Price of ${model} saved.`,
    edit: (model: string) => `Edit ${model}`,
    below: 'Sell below cost?',
    loss: /gpt-6\.2-sol for group default on channel \d+ main: a million input tokens is sold at \$0\.10* and costs \$[\d.]+\./,
    saveAnyway: 'Save anyway',
    shut: 'Shut down by the vendor: gpt-4',
    shutTwo: /The vendors have shut down 2 chosen models: gpt-4 .*, o1/,
    shutForm: /The vendor has shut down 1 chosen model: gpt-4 \(2026-10-23\)/,
  },
  zh: {
    none: '还没有价格源',
    add: '添加价格源',
    name: '名称',
    kind: '类型',
    url: '地址',
    urlError: '必须以 http:// 或 https:// 开头。',
    pull: '立即更新',
    changes: '查看变动',
    agree: '没有变动：价格源与当前价格一致。',
    chooseAll: '全选',
    apply: (count: number) => `应用 ${count} 项变动`,
    applied: '已应用 2 条价格。',
    cheaper: '降价',
    added: '新增',
    all: '全部',
    problems: '价格源中有 1 条价格未采用',
    failed: '上次更新失败：对方返回 HTTP 503',
    unpriced: '被请求过的模型均已定价。',
    noPrice: '未定价',
    input: '输入（美元 / 百万 token）',
    output: '输出（美元 / 百万 token）',
    set: (model: string) => `为 ${model} 定价`,
    saved: (model: string) => `已保存 ${model} 的价格。`,
    edit: (model: string) => `编辑 ${model}`,
    below: '售价低于成本，仍要保存吗？',
    loss: /渠道 \d+ main 的模型 gpt-6\.2-sol（分组 default）：每百万输入 token 售价 \$0\.10*，成本 \$[\d.]+。/,
    saveAnyway: '仍然保存',
    shut: '厂商已下线的模型：gpt-4',
    shutTwo: /所选模型中有 2 个已被厂商下线：gpt-4.*、o1/,
    shutForm: /所选模型中有 1 个已被厂商下线：gpt-4（?.*2026-10-23/,
  },
} as const

const LIST = {
  openai: {
    models: {
      'gpt-6.2-sol': { cost: { input: 1, output: 5 } },
      'gpt-9-sol': { cost: { input: 3, output: 12 } },
      'gpt-9-bad': { cost: { input: -1, output: 1 } },
    },
  },
}

let server: Server
let url: string
let status: number

const world = openOneWorld(async () => {
  const body = { type: 8, name: 'main', key: 'sk-1', models: 'gpt-6.2-sol,gpt-9-sol,gpt-4' }
  await world.asRoot(channelEndpoints.createChannels, { body: { ...body, base_url: 'http://a.b' } })
  const rejects = { key: 'DefaultModelRatio', value: 'null' }
  await world.asRoot(optionEndpoints.updateOption, { body: rejects })
})
const session = sessionOf(world)

beforeAll(async () => {
  server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(LIST)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${portOf(server)}/api.json`
})
afterAll(() => server.close())

/** Tests may run again in the same world. */
beforeEach(async () => {
  status = 200
  const { data: channels } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
  for (const { id, name } of channels) {
    if (name !== 'main') await world.asRoot(channelEndpoints.deleteChannel, { params: { id } })
  }
  for (const model of ['gpt-6.2-sol', 'odd', 'unasked']) {
    await world.asRoot(modelPriceEndpoints.resetModelPrice, { body: { model } })
  }
  for (const { id } of (await world.asRoot(priceEndpoints.listPriceFeeds, {})).data) {
    await world.asRoot(priceEndpoints.deletePriceFeed, { params: { id } })
  }
})

const ratios = async (): Promise<Record<string, number>> => {
  const { data } = await world.asRoot(optionEndpoints.listOptions, {})
  const { value = '' } = data.find(({ key }) => key === 'ModelRatio') ?? {}
  return z.record(z.string(), z.number()).parse(JSON.parse(value))
}

async function pulled() {
  const draft = { name: 'models.dev', kind: 'models_dev', url } as const
  const { data } = await world.asRoot(priceEndpoints.createPriceFeed, { body: draft })
  const { id } = data
  await world.asRoot(priceEndpoints.pullPriceFeed, { body: { id } })
}

/** A channel serves a model that has no price and that was never requested. */
async function offerUnasked() {
  const model = 'unasked'
  const body = { type: 8, name: model, key: 'sk-1', models: model, base_url: 'http://a.b' }
  await world.asRoot(channelEndpoints.createChannels, { body })
  return model
}

const LANGUAGES: readonly Language[] = ['en', 'zh']

test('the texts are the same messages in both languages', () => {
  const { shut, shutTwo, shutForm } = OWN.en
  return expectTranslated(OWN, [shut, String(shutTwo), String(shutForm)])
})

const texts = TEXTS.en
const own = OWN.en

const open = async (look: Look = {}) => {
  const page = await world.open({ session, ...look })
  await page.goto('/setting/prices')
  await heading(page, texts.pages.settings).waitFor()
  return page
}

const priceOf = (page: Page, model: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: model, exact: true }) })

test('a feed is added and read, and its changes are chosen and applied by keyboard', async () => {
  const page = await open()
  await page.getByText(own.none).waitFor()
  await page.getByText(own.unpriced).waitFor()
  await page.getByRole('button', { name: own.add }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(own.name, { exact: true }).fill('models.dev')
  await dialog.getByLabel(own.kind).selectOption('models_dev')
  await dialog.getByLabel(own.url, { exact: true }).fill('ftp://a')
  await dialog.getByRole('button', { name: texts.save }).click()
  await dialog.getByText(own.urlError).waitFor()
  await dialog.getByLabel(own.url, { exact: true }).fill(url)
  await dialog.getByRole('button', { name: texts.save }).click()
  await page.getByRole('button', { name: own.pull }).click()

  const show = page.getByRole('button', { name: own.changes })
  await expect.poll(() => show.isEnabled()).toBe(true)
  await show.click()
  await priceOf(page, 'gpt-6.2-sol').getByText(own.cheaper).waitFor()
  await priceOf(page, 'gpt-9-sol').getByText(own.added, { exact: true }).waitFor()
  await page.getByText(own.problems).waitFor()
  expect(await findViolations(page, 'main')).toEqual([])
  await tabTo(page, page.getByRole('checkbox', { name: own.chooseAll }))
  await page.keyboard.press('Space')
  await tabTo(page, page.getByRole('button', { name: own.apply(2) }))
  await page.keyboard.press('Enter')
  await message(page, own.applied).waitFor()
  await page.getByText(own.agree).waitFor()
  expect(await ratios()).toMatchObject({ 'gpt-6.2-sol': 0.5, 'gpt-9-sol': 1.5 })
})

test('a feed that fails says why and keeps its list', async () => {
  await pulled()
  status = 503
  const page = await open()
  await page.getByRole('button', { name: own.pull }).click()
  await page.getByText(own.failed).waitFor()
  await page.getByRole('button', { name: own.changes }).click()
  await priceOf(page, 'gpt-9-sol').getByText(own.added, { exact: true }).waitFor()
})

test('on a phone the page does not scroll sideways, and prices can be set', async () => {
  await pulled()
  await offerUnasked()
  const page = await open({ isPhone: true })
  await page.getByRole('button', { name: own.changes }).click()
  await priceOf(page, 'gpt-9-sol').getByText(own.added, { exact: true }).waitFor()
  expect(await overflowOf(page)).toBe(0)
  const box = await page.getByRole('button', { name: own.set('unasked') }).boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
})

test('an unpriced model that was requested gets a price in one dialog', async () => {
  const model = 'odd'
  const body = { type: 8, name: model, key: 'sk-1', models: model, base_url: 'http://a.b' }
  await world.asRoot(channelEndpoints.createChannels, { body })
  const request = { model, messages: [{ role: 'user', content: 'hi' }] }
  const key = await tokenOf(world, session, { name: model, unlimited_quota: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${world.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  })
  expect(await answer.json()).toMatchObject({ error: { code: 'model_price_unset' } })
  const listed = async () => (await world.asRoot(priceEndpoints.listUnpricedModels, {})).data
  await expect.poll(async () => (await listed()).length, { timeout: 10_000 }).toBe(1)
  const page = await open()
  await page
    .locator('#unpriced')
    .getByRole('button', { name: own.set(model) })
    .click()
  await page.getByLabel(own.input).fill('4')
  await page.getByLabel(own.output).fill('10')
  await page.getByRole('dialog').getByRole('button', { name: texts.save }).click()
  await page.getByText(own.unpriced).waitFor()
  expect(await ratios()).toMatchObject({ [model]: 2 })
})

test('a model that a channel serves without a price is listed before any request for it', async () => {
  const model = await offerUnasked()
  const page = await open()
  const row = priceOf(page, model)
  await row.getByText(own.noPrice, { exact: true }).filter({ visible: true }).waitFor()
  await row.getByRole('button', { name: own.set(model) }).click()
  const dialog = page.getByRole('dialog', { name: own.set(model) })
  await dialog.getByLabel(own.input).fill('4')
  await dialog.getByLabel(own.output).fill('10')
  await dialog.getByRole('button', { name: texts.save }).click()
  await message(page, own.saved(model)).waitFor()
  await row.getByRole('button', { name: own.edit(model) }).waitFor()
  expect(await row.getByText(own.noPrice, { exact: true }).count()).toBe(0)
  expect(await ratios()).toMatchObject({ [model]: 2 })
})

test('a price below cost is saved only after a question with both amounts', async () => {
  const page = await open()
  const before = (await ratios())['gpt-6.2-sol']
  await page.getByRole('button', { name: own.edit('gpt-6.2-sol') }).click()
  await page.getByLabel(own.input).fill('0.1')
  const edited = page.getByRole('dialog', { name: own.set('gpt-6.2-sol') })
  const save = edited.getByRole('button', { name: texts.save, exact: true })
  await save.click()
  const question = page.getByRole('dialog', { name: own.below })
  await question.getByText(own.loss).waitFor()
  await question.getByRole('button', { name: texts.cancel }).click()
  await question.waitFor({ state: 'hidden' })
  expect((await ratios())['gpt-6.2-sol']).toBe(before)
  await save.click()
  await question.getByRole('button', { name: own.saveAnyway }).click()
  await message(page, own.saved('gpt-6.2-sol')).waitFor()
  expect((await ratios())['gpt-6.2-sol']).toBe(0.05)
})

test.each(LANGUAGES)(
  'channels with models that were shut down are marked, in %s',
  async (language) => {
    const own = OWN[language]
    const page = await world.open({ language, session })
    await page.goto('/channel')
    await rowOf(page, 'main').getByText(own.shut).waitFor()
    const { data } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
    const id = data.find(({ name }) => name === 'main')?.id
    await page.goto(`/channel/edit/${id}`)
    await page.getByText(own.shutForm).waitFor()
    const models = page.getByRole('combobox', { name: TEXTS[language].channelModels })
    await models.fill('o1,')
    await page.getByText(own.shutTwo).waitFor()
  },
)
