import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelEndpoints } from '@tollgate/contract'
import {
  answerAsAsked,
  answerError,
  answerJson,
  neverAnswer,
} from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from './channel-world.ts'
import { changeData } from './intercept.ts'
import { chooseType, clipboard, hasFocus, heading, message, rowOf, tabTo } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en

const { world, open, openBeside, allChannels, addChannel, openList } = openChannelWorld()

/** Rejects the page's calls of one method to the channel endpoint, as the server would. */
async function refuse(page: Page, method: string, reason: string) {
  await page.route('**/api/channel/', async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await route.fulfill({ json: { success: false, message: reason } })
  })
}

const openForm = async (address = '/channel/add') => {
  const page = await open()
  await page.goto(address)
  await page.getByLabel(texts.channelName, { exact: true }).waitFor()
  return page
}
const save = (page: Page) => page.getByRole('button', { name: texts.save }).click()
const models = (page: Page) => page.getByRole('combobox', { name: texts.channelModels })

test('all errors are shown at once, and the first field with one has the focus', async () => {
  const page = await openForm()
  await chooseType(page, texts, texts.customChannel)
  await page.getByLabel(texts.modelMapping).fill('{"gpt-4o": ')
  await save(page)
  await page.getByText(texts.mappingError).waitFor()
  await message(page, texts.nameAndKeyMissing).waitFor()
  expect(await page.getByText(texts.channelNameMissing).count()).toBe(1)
  expect(await page.getByText(texts.channelKeyMissing).count()).toBe(1)
  expect(await page.getByText(texts.modelsMissing).count()).toBe(1)
  expect(await page.getByText('Required for channels of this type.').count()).toBe(1)
  const name = page.getByLabel(texts.channelName, { exact: true })
  await expect.poll(() => hasFocus(page, name)).toBe(true)
})

test('pasted models are split and copied, and groups without a ratio are named', async () => {
  const page = await openForm()
  await models(page).fill('o3、o4-mini；gpt-4o')
  await page.getByRole('button', { name: 'Copy all models' }).click()
  await message(page, texts.copied).waitFor()
  expect(await clipboard(page)).toBe('o3,o4-mini,gpt-4o')
  await page.getByLabel(texts.modelMapping).fill('[]')
  await save(page)
  await page.getByText(texts.mappingError).waitFor()

  const groups = page.getByRole('combobox', { name: 'Groups' })
  const roomBelow = () =>
    groups.evaluate((field) => {
      const whole = field.closest('form > * > *')
      const part = whole?.firstElementChild
      if (!whole || !part) return null
      return whole.getBoundingClientRect().bottom - part.getBoundingClientRect().bottom
    })
  expect(await roomBelow()).toBe(0)
  await groups.fill('vip,vpi,')
  await page.getByText('There is no group vpi').waitFor()
})

test.each([
  [false, ['batch', 'batch']],
  [true, ['batch']],
] as const)('keys in lines, kept together: %s', async (isTogether, made) => {
  const page = await openForm()
  await page.getByLabel(texts.channelName, { exact: true }).fill('batch')
  await page.getByRole('switch', { name: 'Batch create' }).check()
  await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-1\nsk-2\n\nsk-1')
  await page.getByText('2 keys: 2 channels are created.').waitFor()
  if (isTogether) {
    await page.getByRole('switch', { name: 'All keys in one channel' }).check()
    await page.getByText('2 keys in one channel.').waitFor()
  }
  await models(page).fill('gpt-4o,')
  await save(page)
  await rowOf(page, 'batch').first().waitFor()
  expect((await allChannels()).map(({ name }) => name)).toEqual(made)
})

test.each([
  [3, ['Endpoint', 'API version'], ''],
  [8, ['Base URL'], ''],
  [1002, ['Base URL'], ''],
  [15, ['Base URL'], 'APIKey|SecretKey'],
  [17, ['Plugin parameter'], ''],
  [18, [], 'APPID|APISecret|APIKey'],
  [21, ['Knowledge base ID'], ''],
  [22, ['Private deployment address'], 'APIKey-AppId'],
  [23, ['Base URL'], 'AppId|SecretId|SecretKey'],
] as const)('type %i has its own fields and shows the form of its key', async (type, own, key) => {
  const id = await addChannel('typed', answerAsAsked)
  const page = await open()
  // Older installations may have channels of types that are no longer supported.
  await changeData(page, `**/api/channel/${id}`, (data) => ({ ...data, type }))
  await page.goto(`/channel/edit/${id}`)
  for (const label of ['Name', 'Model mapping', 'Priority', 'Weight', ...own]) {
    await page.getByLabel(label, { exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Replace the key' }).click()
  const hints = await page.getByText(/Format: /).allTextContents()
  expect(hints.map((hint) => /Format: (\S+)\./.exec(hint)?.[1])).toEqual(key === '' ? [] : [key])
})

test('in Chinese no space separates two sentences of a hint', async () => {
  const page = await openBeside({ language: 'zh' })
  await page.goto('/channel/add')
  await page.getByRole('combobox', { name: TEXTS.zh.channelType }).fill('星火')
  await page.getByRole('option').first().click()
  await page.getByText('格式：APPID|APISecret|APIKey。加密保存，不会再次显示。').waitFor()
})

test('a preset fills in type, address and models, and keeps a name that was entered', async () => {
  const page = await openForm()
  const preset = page.getByRole('combobox', { name: 'Preset' })
  const choose = async (name: string) => {
    await preset.fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }
  const name = page.getByLabel(texts.channelName, { exact: true })
  await choose('DeepSeek (Anthropic API)')
  expect(await page.getByLabel('Base URL').inputValue()).toBe('https://api.deepseek.com/anthropic')
  expect(await name.inputValue()).toBe('DeepSeek (Anthropic API)')
  await page.getByRole('button', { name: 'Remove deepseek-v4-pro' }).waitFor()
  await name.fill('mine')
  await choose('xAI')
  expect(await page.getByRole('combobox', { name: texts.channelType }).inputValue()).toBe(
    texts.customChannel,
  )
  expect(await page.getByLabel('Base URL').inputValue()).toBe('https://api.x.ai')
  expect(await name.inputValue()).toBe('mine')
  expect(await page.getByRole('button', { name: 'Remove deepseek-v4-pro' }).count()).toBe(0)
})

test('an empty search result says so, and an unlisted model can be added', async () => {
  const page = await openForm()
  await page.getByRole('combobox', { name: texts.channelType }).fill('no such provider')
  await page.getByText('No results found.').waitFor()
  await models(page).fill('my-own')
  await page.getByRole('option', { name: 'Add my-own' }).click()
  await page.getByRole('button', { name: 'Remove my-own' }).waitFor()
  await models(page).fill('my-own')
  expect(await page.getByRole('option', { name: 'Add my-own' }).count()).toBe(0)
})

test('models are filled, searched, pasted, removed and cleared', async () => {
  const page = await openForm()
  const chosen = page.getByRole('list', { name: 'Chosen models' })
  await page.getByRole('button', { name: 'Add this provider’s models' }).click()
  await chosen.getByRole('button', { name: 'Remove gpt-4o', exact: true }).click()
  expect(await chosen.getByRole('button', { name: 'Remove gpt-4o', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Clear all models' }).click()
  await page.getByText('0 chosen').waitFor()

  const many = Array.from({ length: 1000 }, (_, index) => `model-${index}`)
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(many.join(', '))})`)
  await models(page).focus()
  await page.keyboard.press('Control+V')
  await page.getByText('1,000 chosen').waitFor()
  await models(page).pressSequentially('model-99')
  await expect.poll(() => chosen.getByRole('button').count()).toBe(11)
  await models(page).fill('')
  await models(page).fill('my-own')
  await models(page).press('Enter')
  await page.getByText('1,001 chosen').waitFor()
  const stored = await page.evaluate<string>("localStorage.getItem('channel_models')")
  expect(Object.keys(JSON.parse(stored))).toContain('1')
})

test('models are not fetched without a key, which is asked for', async () => {
  const page = await openForm()
  await page.getByRole('button', { name: 'Fetch models from provider' }).click()
  await page.getByText(texts.channelKeyMissing).waitFor()
  const key = page.getByLabel(texts.channelKey, { exact: true })
  await expect.poll(() => hasFocus(page, key)).toBe(true)
})

test('models are fetched from the provider, and those without a price are named', async () => {
  const id = await addChannel('asked', answerJson({ data: [{ id: 'gpt-4o' }, { id: 'new-one' }] }))
  const page = await openForm(`/channel/edit/${id}`)
  await page.getByRole('button', { name: 'Fetch models from provider' }).click()
  await page.getByText('The provider offers 2 models.').waitFor()
  await page.getByText('1 model has no price: new-one.').waitFor()
  await page.getByRole('button', { name: 'Remove new-one' }).click()
  await page.getByText('1 model has no price').waitFor({ state: 'detached' })
  world.upstream.script('asked', answerError(401, { message: 'no such key' }))
  await page.getByRole('button', { name: 'Fetch models from provider' }).click()
  await page.getByText('The models could not be fetched: no such key').waitFor()
})

test('a stored key can only be replaced, and a new address requires it again', async () => {
  const id = await addChannel('keyed', answerAsAsked)
  const page = await openForm(`/channel/edit/${id}`)
  const key = page.getByLabel(texts.channelKey, { exact: true })
  expect(await key.count()).toBe(0)
  await page.getByLabel(texts.baseUrl).fill('https://elsewhere.example')
  await page.getByText('The address has changed. Enter the key again').waitFor()
  await save(page)
  await expect.poll(() => hasFocus(page, key)).toBe(true)
  expect((await allChannels())[0]?.base_url).toBe(world.upstream.baseUrl('keyed'))
  await page.getByLabel(texts.baseUrl).fill(`${world.upstream.baseUrl('keyed')}/`)
  await page.getByRole('button', { name: 'Replace the key' }).click()
  await expect.poll(() => hasFocus(page, key)).toBe(true)
  await key.fill('sk-new')
  await save(page)
  await message(page, 'Channel updated.').waitFor()
  await world.asRoot(channelEndpoints.testChannel, { params: { id }, query: {} })
  const [asked] = world.upstream.requestsOf('keyed').slice(-1)
  expect(asked?.headers.authorization).toBe('Bearer sk-new')
})

test('leaving with changes opens a dialog; a refusal of the server keeps the input', async () => {
  const page = await openForm()
  await page.getByLabel(texts.channelName, { exact: true }).fill('kept')
  await page.getByRole('button', { name: texts.cancel, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: texts.cancel, exact: true }).click()
  await refuse(page, 'POST', 'No room for another channel.')
  await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-1')
  await models(page).fill('gpt-4o,')
  await save(page)
  await message(page, 'No room for another channel.').waitFor()
  expect(await page.getByLabel(texts.channelName, { exact: true }).inputValue()).toBe('kept')
})

test('a channel is created without a mouse', async () => {
  await addChannel('first', neverAnswer)
  const page = await openList()
  const { keyboard } = page
  await tabTo(page, page.getByRole('link', { name: texts.addChannel }))
  await keyboard.press('Enter')
  await heading(page, texts.pages.channelForm).waitFor()
  const type = page.getByRole('combobox', { name: texts.channelType })
  await tabTo(page, type)
  await keyboard.type('openrouter')
  await page.getByRole('option', { name: /OpenRouter/ }).waitFor()
  await keyboard.press('Enter')
  await expect.poll(() => type.inputValue()).toMatch(/OpenRouter/)
  await tabTo(page, page.getByLabel(texts.channelName, { exact: true }))
  await keyboard.type('by hand')
  await tabTo(page, models(page))
  await keyboard.type('my-model,')
  await page.getByRole('button', { name: 'Remove my-model' }).waitFor()
  await tabTo(page, page.getByLabel(texts.channelKey, { exact: true }))
  await keyboard.type('sk-by-hand')
  await keyboard.press('Control+Enter')
  await message(page, texts.channelCreated).waitFor()
  await rowOf(page, 'by hand').waitFor()
  expect((await allChannels())[0]).toMatchObject({ type: 20, models: 'my-model' })
})
