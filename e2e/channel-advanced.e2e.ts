import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelEndpoints } from '@tollgate/contract'
import { answerAsAsked } from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from './channel-world.ts'
import { expectGoodLook } from './look.ts'
import { hasFocus, message, tabTo } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en

const { world, open, allChannels, addChannel } = openChannelWorld()

const openForm = async (id: number) => {
  const page = await open()
  await page.goto(`/channel/edit/${id}`)
  await advanced(page).waitFor()
  return page
}
const advanced = (page: Page) => page.locator('summary', { hasText: /^Advanced$/ })
const save = (page: Page) => page.getByRole('button', { name: texts.save }).click()
const configs = async () => (await allChannels()).map(({ config }) => JSON.parse(config || '{}'))

test('advanced settings are entered without a mouse, stored and applied', async () => {
  const id = await addChannel('tuned', answerAsAsked)
  const page = await openForm(id)
  const { keyboard } = page
  const name = page.getByLabel('Header 1: name')
  expect(await name.count()).toBe(0)
  await tabTo(page, advanced(page))
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Add a header' }))
  await keyboard.press('Enter')
  await expect.poll(() => hasFocus(page, name)).toBe(true)
  await keyboard.type('X-Team')
  await tabTo(page, page.getByLabel('Header 1: value'))
  await keyboard.type('search')
  await tabTo(page, page.getByLabel('Parameters to set'))
  await keyboard.type('{"temperature": 0.6}')
  await tabTo(page, page.getByRole('combobox', { name: 'Parameters to remove' }))
  await keyboard.type('seed')
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('checkbox', { name: 'Chat Completions' }))
  await keyboard.press('Space')
  await tabTo(page, page.getByLabel('Model facts'))
  await keyboard.type('{"gpt-4o": {"limits": {"output": 9}}}')
  await keyboard.press('Control+Enter')
  await message(page, 'Channel updated.').waitFor()
  expect(await configs()).toEqual([
    {
      headers: { 'X-Team': '***' },
      set_parameters: { temperature: 0.6 },
      remove_parameters: ['seed'],
      apis: ['chat'],
      card: { 'gpt-4o': { limits: { output: 9 } } },
    },
  ])
  await world.asRoot(channelEndpoints.testChannel, { params: { id }, query: {} })
  const [asked] = world.upstream.requestsOf('tuned').slice(-1)
  expect(asked?.headers['x-team']).toBe('search')
  expect(JSON.parse(asked?.body.toString() ?? '')).toMatchObject({ temperature: 0.6 })
})

const CONFIG = JSON.stringify({ region: 'eu', headers: { 'X-Team': 'search', 'X-Gone': 'x' } })

async function addTuned() {
  const id = await addChannel('tuned', answerAsAsked)
  await world.asRoot(channelEndpoints.updateChannel, { body: { id, config: CONFIG } })
  return id
}

test('stored values are masked and kept, and a removed header is gone', async () => {
  const id = await addTuned()
  const page = await openForm(id)
  expect(await page.getByLabel('Header 1: value').inputValue()).toBe('***')
  await page.getByRole('button', { name: 'Remove header 2' }).click()
  await save(page)
  await message(page, 'Channel updated.').waitFor()
  expect(await configs()).toEqual([{ region: 'eu', headers: { 'X-Team': '***' } }])
  await world.asRoot(channelEndpoints.testChannel, { params: { id }, query: {} })
  const [asked] = world.upstream.requestsOf('tuned').slice(-1)
  expect(asked?.headers).toMatchObject({ 'x-team': 'search' })
  expect(asked?.headers).not.toHaveProperty('x-gone')
})

test('a copy and another address ask for the values of headers', async () => {
  const id = await addTuned()
  const page = await openForm(id)
  await page.getByLabel(texts.baseUrl).fill('https://elsewhere.example')
  await save(page)
  await page.getByText('The address has changed. Enter the value again.').first().waitFor()
  await page.goto(`/channel/add?from=${id}`)
  await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-2')
  await save(page)
  await page.getByText('Enter the value.').first().waitFor()
  expect(await page.getByLabel('Header 1: value').inputValue()).toBe('')
  for (const number of [1, 2]) await page.getByLabel(`Header ${number}: value`).fill('mine')
  await save(page)
  await message(page, texts.channelCreated).waitFor()
  expect(await configs()).toHaveLength(2)
})

test('what is wrong is said at its field, and a closed section opens for it', async () => {
  const id = await addChannel('tuned', answerAsAsked)
  const page = await openForm(id)
  await advanced(page).click()
  const set = page.getByLabel('Parameters to set')
  await set.fill('{"max_tokens": 5}')
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Header 1: name').fill('Host')
  await page.getByLabel('Header 1: value').fill('x')
  await page.getByLabel('Model facts').fill('{"m": {"limit": {}}}')
  await advanced(page).click()
  await expect.poll(() => set.isVisible()).toBe(false)
  await save(page)
  await page
    .getByText('max_tokens: must leave "max_tokens" alone, because a request is charged by it')
    .waitFor()
  await page.getByText('is a header that the gateway sets itself').waitFor()
  await page.getByText('m: has an unknown member "limit"').waitFor()
  await expect.poll(() => hasFocus(page, page.getByLabel('Header 1: name'))).toBe(true)
  expect(await configs()).toEqual([{}])
  await page.getByRole('button', { name: 'Remove header 1' }).click()
  await page.getByLabel('Model facts').fill('')
  await advanced(page).click()
  await save(page)
  await expect.poll(() => hasFocus(page, set)).toBe(true)
  await set.fill('{"seed": 5}')
  await save(page)
  await message(page, 'Channel updated.').waitFor()
  expect(await configs()).toEqual([{ set_parameters: { seed: 5 } }])
})

test('the advanced settings look good', async () => {
  const page = await openForm(await addTuned())
  await page.getByLabel('Header 2: name').waitFor()
  await expectGoodLook(page)
})
