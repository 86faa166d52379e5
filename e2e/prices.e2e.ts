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
import { overflowOf } from './accessibility.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { askModel, heading, message, rowOf, tabTo, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Look } from './world.ts'

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
let main: number

const world = openOneWorld(async () => {
  main = await world.addChannel('main', 'gpt-6.2-sol,gpt-9-sol,gpt-4')
  await world.setOption('DefaultModelRatio', null)
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
  for (const { id } of channels) {
    if (id !== main) await world.asRoot(channelEndpoints.deleteChannel, { params: { id } })
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
  await world.addChannel(model, model)
  return model
}

const LOSS =
  /for group default on channel \d+ main: a million input tokens is sold at \$0\.10* and costs \$[\d.]+\./
const texts = TEXTS.en

const open = async (look: Look = {}) => {
  const page = await world.open({ session, ...look })
  await page.goto('/setting/prices')
  await heading(page, texts.pages.settings).waitFor()
  return page
}

const priceOf = (page: Page, model: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: model, exact: true }) })

/** Fills in the dialog that is open. */
async function setPrice(page: Page) {
  const dialog = page.getByRole('dialog', { name: /^Set price of / })
  await dialog.getByLabel('Input, dollars per million tokens').fill('4')
  await dialog.getByLabel('Output, dollars per million tokens').fill('10')
  await dialog.getByRole('button', { name: texts.save }).click()
}

test('a feed is added and read, and its changes are chosen and applied by keyboard', async () => {
  const page = await open()
  await page.getByText('No feeds yet').waitFor()
  await page.getByText('Every requested model has a price.').waitFor()
  await page.getByRole('button', { name: 'Add feed' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('models.dev')
  await dialog.getByLabel('Kind').selectOption('models_dev')
  await dialog.getByLabel('Address', { exact: true }).fill('ftp://a')
  await dialog.getByRole('button', { name: texts.save }).click()
  await dialog.getByText('Must be an address that begins with http:// or https://.').waitFor()
  await dialog.getByLabel('Address', { exact: true }).fill(url)
  await dialog.getByRole('button', { name: texts.save }).click()
  await page.getByRole('button', { name: 'Update now' }).click()

  const show = page.getByRole('button', { name: 'Show changes' })
  await expect.poll(() => show.isEnabled()).toBe(true)
  await show.click()
  await priceOf(page, 'gpt-6.2-sol').getByText('price down').waitFor()
  await priceOf(page, 'gpt-9-sol').getByText('new', { exact: true }).waitFor()
  await page.getByText('1 price of the feed is not used').waitFor()
  await expectGoodLook(page)
  await tabTo(page, page.getByRole('checkbox', { name: 'Choose all' }))
  await page.keyboard.press('Space')
  await tabTo(page, page.getByRole('button', { name: 'Apply 2 changes' }))
  await page.keyboard.press('Enter')
  await message(page, 'Applied prices: 2.').waitFor()
  await page.getByText('No changes: the feed and the prices in use agree.').waitFor()
  expect(await ratios()).toMatchObject({ 'gpt-6.2-sol': 0.5, 'gpt-9-sol': 1.5 })
})

test('a feed that fails says why and keeps its list', async () => {
  await pulled()
  status = 503
  const page = await open()
  await page.getByRole('button', { name: 'Update now' }).click()
  await page.getByText('Last update failed: the server answered HTTP 503').waitFor()
  await page.getByRole('button', { name: 'Show changes' }).click()
  await priceOf(page, 'gpt-9-sol').getByText('new', { exact: true }).waitFor()
})

test('on a phone the page does not scroll sideways, and prices can be set', async () => {
  await pulled()
  await offerUnasked()
  const page = await open({ isPhone: true })
  await page.getByRole('button', { name: 'Show changes' }).click()
  await priceOf(page, 'gpt-9-sol').getByText('new', { exact: true }).waitFor()
  expect(await overflowOf(page)).toBe(0)
  const box = await page.getByRole('button', { name: 'Set price of unasked' }).boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
})

test('an unpriced model that was requested gets a price in one dialog', async () => {
  const model = 'odd'
  await world.addChannel(model, model)
  const { text } = await askModel(world, await tokenOf(world, session, model), model)
  expect(text).toContain('"code":"model_price_unset"')
  const listed = async () => (await world.asRoot(priceEndpoints.listUnpricedModels, {})).data
  await expect.poll(async () => (await listed()).length, { timeout: 10_000 }).toBe(1)
  const page = await open()
  await page
    .locator('#unpriced')
    .getByRole('button', { name: `Set price of ${model}` })
    .click()
  await setPrice(page)
  await page.getByText('Every requested model has a price.').waitFor()
  expect(await ratios()).toMatchObject({ [model]: 2 })
})

test('a model that a channel serves without a price is listed before any request for it', async () => {
  const model = await offerUnasked()
  const page = await open()
  const row = priceOf(page, model)
  await row.getByText('no price', { exact: true }).filter({ visible: true }).waitFor()
  await row.getByRole('button', { name: `Set price of ${model}` }).click()
  await setPrice(page)
  await message(page, `Price of ${model} saved.`).waitFor()
  await row.getByRole('button', { name: `Edit ${model}` }).waitFor()
  expect(await row.getByText('no price', { exact: true }).count()).toBe(0)
  expect(await ratios()).toMatchObject({ [model]: 2 })
})

test('a price below cost is saved only after a question with both amounts', async () => {
  const page = await open()
  const before = (await ratios())['gpt-6.2-sol']
  await page.getByRole('button', { name: 'Edit gpt-6.2-sol' }).click()
  await page.getByLabel('Input, dollars per million tokens').fill('0.1')
  const edited = page.getByRole('dialog', { name: 'Set price of gpt-6.2-sol' })
  const save = edited.getByRole('button', { name: texts.save, exact: true })
  await save.click()
  const question = page.getByRole('dialog', { name: 'Sell below cost?' })
  await question.getByText(LOSS).waitFor()
  await question.getByRole('button', { name: texts.cancel }).click()
  await question.waitFor({ state: 'hidden' })
  expect((await ratios())['gpt-6.2-sol']).toBe(before)
  await save.click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await message(page, 'Price of gpt-6.2-sol saved.').waitFor()
  expect((await ratios())['gpt-6.2-sol']).toBe(0.05)
})

test('channels with models that were shut down are marked', async () => {
  const page = await world.open({ session })
  await page.goto('/channel')
  await rowOf(page, 'main').getByText('Shut down by the vendor: gpt-4').waitFor()
  await page.goto(`/channel/edit/${main}`)
  await page.getByText('The vendor has shut down 1 chosen model: gpt-4 (2026-10-23)').waitFor()
  await page.getByRole('combobox', { name: texts.channelModels }).fill('o1,')
  await page.getByText(/The vendors have shut down 2 chosen models: gpt-4 .*, o1/).waitFor()
})
