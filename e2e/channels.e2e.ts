import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import {
  answerAsAsked,
  answerError,
  answerJson,
  type Behaviour,
  neverAnswer,
} from '../server/testing/scripted-upstream.ts'
import {
  chooseAction,
  chooseType,
  hasFocus,
  heading,
  message,
  rowOf,
  signedIn,
  tabTo,
} from './steps.ts'
import { TEXTS } from './texts.ts'
import { openWorld, type Session, type World } from './world.ts'

const texts = TEXTS.en
const REFUSED = 'Incorrect API key provided.'
const refuseKey = answerError(401, { message: REFUSED, code: 'invalid_api_key' })

let browser: Browser
let world: World
let session: Session

beforeAll(async () => {
  browser = await chromium.connect(inject('browserAddress'))
  world = await openWorld(browser)
  session = await signedIn(world)
})

beforeEach(async () => {
  for (const { id } of await allChannels()) {
    await world.asRoot(channelEndpoints.deleteChannel, { params: { id } })
  }
})

afterAll(async () => {
  await world.close()
  await browser.close()
})

async function allChannels() {
  const { data } = await world.asRoot(channelEndpoints.listChannels, { query: { size: 100 } })
  return data
}

async function addChannel(name: string, script: Behaviour, parts: object = {}) {
  world.upstream.script(name, script)
  const body = {
    type: 8,
    name,
    key: 'sk-upstream',
    models: 'gpt-4o,gpt-4o-mini',
    base_url: world.upstream.baseUrl(name),
    ...parts,
  }
  const { data } = await world.asRoot(channelEndpoints.createChannels, { body })
  const id = data[0]?.id
  if (id === undefined) throw new Error('the channel was not created')
  return id
}

async function openList(address = '/channel') {
  const page = await world.open({ session })
  await page.goto(address)
  await page.getByRole('row').nth(1).waitFor()
  return page
}

const status = (id: number, to: 1 | 2) =>
  world.asRoot(channelEndpoints.updateChannel, { body: { id, status: to } })

const names = (page: Page) => page.locator('tbody tr[data-row] td:nth-child(2)').allTextContents()

/** Answers the calls of the page to a path with a refusal of the server's kind. */
async function refuse(page: Page, method: string, reason: string) {
  await page.route('**/api/channel/', async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await route.fulfill({ json: { success: false, message: reason } })
  })
}

describe('the rows', () => {
  test('a click on the response time tests; a failed test tells the reason of the provider', async () => {
    await addChannel('good', answerAsAsked)
    await addChannel('bad', refuseKey)
    const page = await openList()
    const good = rowOf(page, 'good')
    await good.getByRole('button', { name: /^untested/ }).click()
    await message(page, texts.tested('good')).waitFor()
    await good.getByRole('button', { name: /^\d+\.\d\d s\. fast: up to 1 s/ }).waitFor()

    await rowOf(page, 'bad')
      .getByRole('button', { name: /^untested/ })
      .click()
    await message(page, REFUSED).waitFor()
    await rowOf(page, 'bad')
      .getByRole('button', { name: new RegExp(`^failed\\. .*${REFUSED}`) })
      .waitFor()
  })

  test('a test may name its model, and its outcome stays in view', async () => {
    await addChannel('good', answerAsAsked)
    const page = await openList()
    await chooseAction(page, texts, 'good', 'Test with a model')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Model' }).click()
    await page.getByRole('option', { name: 'gpt-4o-mini' }).click()
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    await dialog.getByText(/^gpt-4o-mini answered in/).waitFor()
    const [asked] = world.upstream.requestsOf('good').slice(-1)
    expect(asked?.body.toString()).toContain('"gpt-4o-mini"')

    world.upstream.script('good', refuseKey)
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    await dialog.getByText(REFUSED).waitFor()
  })

  test('a toggle shows at once and is put back with the reason when the server refuses', async () => {
    const id = await addChannel('toggled', answerAsAsked)
    const page = await openList()
    const row = rowOf(page, 'toggled')
    const held: (() => void)[] = []
    await page.route('**/api/channel/', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      await new Promise<void>((resolve) => held.push(resolve))
      await route.fulfill({ json: { success: false, message: 'The database is resting.' } })
    })
    await chooseAction(page, texts, 'toggled', texts.disable)
    await row.getByText('disabled').waitFor()
    await expect.poll(() => held.length).toBe(1)
    held[0]?.()
    await message(page, 'The database is resting.').waitFor()
    await row.getByText('enabled').waitFor()

    await page.unroute('**/api/channel/')
    await chooseAction(page, texts, 'toggled', texts.disable)
    await message(page, texts.done).waitFor()
    const { data } = await world.asRoot(channelEndpoints.getChannel, { params: { id } })
    expect(data.status).toBe(CHANNEL_STATUS.disabled)
  })

  test('priority and weight are saved in place; what is typed meanwhile is not lost', async () => {
    const id = await addChannel('ordered', answerAsAsked, { priority: 3 })
    const page = await openList()
    const priority = page.getByLabel('Priority of ordered')
    const weight = page.getByLabel('Weight of ordered')
    const saved: string[] = []
    const held: (() => void)[] = []
    await page.route('**/api/channel/', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      saved.push(route.request().postData() ?? '')
      if (saved.length === 1) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await priority.fill('')
    await priority.press('Enter')
    expect(await priority.inputValue()).toBe('3')
    await priority.fill('7')
    await priority.press('Enter')
    await expect.poll(() => held.length).toBe(1)
    await weight.fill('-5')
    held[0]?.()
    await page.waitForResponse((response) => response.url().includes('/api/channel/?'))
    expect(await weight.inputValue()).toBe('-5')
    await weight.fill('4')
    await weight.press('Enter')
    await expect.poll(() => saved.length).toBe(2)
    await weight.fill('-5')
    await weight.press('Enter')
    await expect.poll(() => weight.inputValue()).toBe('0')
    await expect
      .poll(() => saved)
      .toEqual([
        JSON.stringify({ id, priority: 7 }),
        JSON.stringify({ id, weight: 4 }),
        JSON.stringify({ id, weight: 0 }),
      ])
    await expect.poll(() => priority.inputValue()).toBe('7')
  })

  test('a click on the balance asks the provider, whose refusal is told', async () => {
    const billing: Behaviour = (response, request) =>
      answerJson(
        request.path.includes('usage')
          ? { total_usage: 250 }
          : { hard_limit_usd: 12.5, has_payment_method: false },
      )(response, request)
    await addChannel('rich', billing)
    await addChannel('silent', refuseKey)
    await addChannel('groq', answerAsAsked, { type: 29 })
    const page = await openList()
    await rowOf(page, 'groq').getByText('not supported').waitFor()
    await rowOf(page, 'rich')
      .getByRole('button', { name: /^—\. Ask for the balance/ })
      .click()
    await rowOf(page, 'rich')
      .getByRole('button', { name: /^\$10\.00\. .*last asked: \d{4}-/ })
      .waitFor()
    await rowOf(page, 'silent')
      .getByRole('button', { name: /^—\. Ask for the balance/ })
      .click()
    await message(page, REFUSED).waitFor()
  })

  test('a deletion names the channel and takes it out of the list', async () => {
    await addChannel('gone', answerAsAsked)
    const page = await openList()
    await chooseAction(page, texts, 'gone', texts.delete)
    await page.getByRole('dialog', { name: 'Delete the channel gone?' }).waitFor()
    await page.getByRole('button', { name: 'Delete gone' }).click()
    await page.getByText(texts.noChannels).waitFor()
    expect(await allChannels()).toEqual([])
  })

  test('a copy has everything but the key', async () => {
    await addChannel('original', answerAsAsked, { priority: 9 })
    const page = await openList()
    await chooseAction(page, texts, 'original', 'Duplicate')
    await heading(page, texts.pages.channelForm).waitFor()
    await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-other')
    await page.getByRole('button', { name: texts.save }).click()
    await message(page, texts.channelCreated).waitFor()
    const [copy, original] = await allChannels()
    expect(copy).toMatchObject({ name: 'original copy', priority: 9, models: original?.models })
  })
})

describe('the list', () => {
  test('status and type narrow it on the server, stay in the address and are cleared together', async () => {
    await addChannel('on', answerAsAsked)
    await status(await addChannel('off', answerAsAsked), 2)
    await status(await addChannel('router off', answerAsAsked, { type: 20 }), 2)
    const page = await openList()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'not enabled' }).click()
    await expect.poll(() => names(page)).toEqual(['router off', 'off'])
    await page.getByRole('combobox', { name: 'Type' }).fill('openrouter')
    await page.getByRole('option', { name: /OpenRouter/ }).click()
    await expect.poll(() => names(page)).toEqual(['router off'])
    expect(new URL(page.url()).searchParams.get('type')).toBe('20')
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['router off'])

    const search = page.getByRole('search').getByRole('textbox')
    await search.fill('on')
    await search.press('Enter')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(() => names(page)).toEqual(['router off', 'off', 'on'])
  })

  test('opening it makes two calls beside status and self, and none repeats', async () => {
    await addChannel('one', answerAsAsked)
    const page = await world.open({ session })
    // The checklist of the first start asks for more, until it is put away.
    await page.addInitScript("localStorage.setItem('prompt-first-steps', 'true')")
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) calls.push(pathname)
    })
    await page.goto('/channel')
    await rowOf(page, 'one').waitFor()
    await page.waitForLoadState('networkidle')
    const own = calls.filter((path) => !['/api/status', '/api/user/self'].includes(path))
    expect(own.toSorted()).toEqual(['/api/channel/', '/api/stat/channels'])
  })

  test('a test of all shows its progress, is found again, and another tab learns of it', async () => {
    await addChannel('good', answerAsAsked)
    await addChannel('bad', refuseKey)
    const waiting: (() => void)[] = []
    await addChannel('slow', async (response, request) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return answerAsAsked(response, request)
    })
    const page = await openList()
    const start = async (tab: Page) => {
      await tab.getByRole('button', { name: 'Test', exact: true }).click()
      await tab.getByRole('menuitem', { name: 'Test all channels' }).click()
    }
    await start(page)
    await page.getByText('Testing channels: 2 of 3 done, 1 failed.').waitFor()
    const menu = page.getByRole('navigation', { name: texts.mainMenu })
    await menu.getByRole('link', { name: texts.menu.logs, exact: true }).click()
    await heading(page, texts.pages.logs).waitFor()
    await menu.getByRole('link', { name: texts.menu.channels, exact: true }).click()
    await page.getByText('Testing channels: 2 of 3 done').waitFor()

    const other = await openList()
    await start(other)
    await message(other, 'This is running already').waitFor()
    await other.getByText('Testing channels: 2 of 3 done').waitFor()

    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.()
    await page.getByText(/^Tested 3 of 3 channels in \d+ s, 1 failed\.$/).waitFor()
    await rowOf(page, 'slow')
      .getByRole('button', { name: /^\d+\.\d\d s/ })
      .waitFor()
    const polls: string[] = []
    page.on('request', (request) => polls.push(request.url()))
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    expect(await page.getByText(/^Tested 3 of 3/).count()).toBe(0)
    expect(polls.filter((url) => url.includes('progress'))).toEqual([])
  })

  test('deleting the disabled ones asks with their number', async () => {
    await addChannel('stays', answerAsAsked)
    await status(await addChannel('off 1', answerAsAsked), 2)
    await status(await addChannel('off 2', answerAsAsked), 2)
    const page = await openList()
    const ask = async () => {
      await page.getByRole('button', { name: 'More for all channels' }).click()
      await page.getByRole('menuitem', { name: 'Delete disabled channels' }).click()
    }
    await ask()
    const dialog = page.getByRole('dialog', { name: 'Delete the 2 disabled channels?' })
    const verb = dialog.getByRole('button', { name: 'Delete disabled channels (2)' })
    await verb.click()
    await dialog.getByText('Please type the number').waitFor()
    expect(await allChannels()).toHaveLength(3)
    await dialog.getByLabel('Type 2 to confirm').fill('2')
    await verb.click()
    await message(page, 'Disabled channels deleted: 2.').waitFor()
    await expect.poll(() => names(page)).toEqual(['stays'])
    await ask()
    await message(page, 'No channel is disabled.').waitFor()
  })

  test('the notice about balances is dismissed for good', async () => {
    await addChannel('one', answerAsAsked)
    const page = await openList()
    await page.getByRole('button', { name: 'Do not show this again' }).click()
    await page.reload()
    await rowOf(page, 'one').waitFor()
    expect(await page.getByRole('note').count()).toBe(0)
    expect(await page.evaluate<string>("localStorage.getItem('prompt-channel-balance')")).toBe(
      'true',
    )
  })
})

describe('the form', () => {
  const openForm = async (address = '/channel/add') => {
    const page = await world.open({ session })
    await page.goto(address)
    await page.getByLabel(texts.channelName, { exact: true }).waitFor()
    return page
  }
  const save = (page: Page) => page.getByRole('button', { name: texts.save }).click()
  const models = (page: Page) => page.getByRole('combobox', { name: texts.channelModels })

  test('all that is wrong is told in one go, and the first of it has the focus', async () => {
    const page = await openForm()
    await chooseType(page, texts, texts.customChannel)
    await page.getByLabel(texts.modelMapping).fill('{"gpt-4o": ')
    await save(page)
    await page.getByText(texts.mappingError).waitFor()
    expect(await page.getByText(texts.nameAndKeyMissing).count()).toBe(2)
    expect(await page.getByText(texts.modelsMissing).count()).toBe(1)
    expect(await page.getByText('Channels of this type need this.').count()).toBe(1)
    const name = page.getByLabel(texts.channelName, { exact: true })
    await expect.poll(() => hasFocus(page, name)).toBe(true)
  })

  test.each([
    [false, ['batch', 'batch']],
    [true, ['batch']],
  ] as const)('keys in lines, kept together: %s', async (isTogether, made) => {
    const page = await openForm()
    await page.getByLabel(texts.channelName, { exact: true }).fill('batch')
    await models(page).fill('gpt-4o,')
    await page.getByRole('switch', { name: 'Batch create' }).check()
    await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-1\nsk-2\n\nsk-1')
    await page.getByText('2 keys: 2 channels are created.').waitFor()
    if (isTogether) {
      await page.getByRole('switch', { name: 'All keys in one channel' }).check()
      await page.getByText('2 keys in one channel.').waitFor()
    }
    await save(page)
    await rowOf(page, 'batch').first().waitFor()
    expect((await allChannels()).map(({ name }) => name)).toEqual(made)
  })

  test('models are filled, searched, pasted, taken out and cleared', async () => {
    const page = await openForm()
    const chosen = page.getByRole('list', { name: 'Chosen models' })
    await page.getByRole('button', { name: 'Fill related models' }).click()
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

  test('a stored key is only replaced, and a new address says that it is needed again', async () => {
    const id = await addChannel('keyed', answerAsAsked)
    const page = await openForm(`/channel/edit/${id}`)
    const key = page.getByLabel(texts.channelKey, { exact: true })
    expect(await key.count()).toBe(0)
    await page.getByLabel(texts.baseUrl).fill('https://elsewhere.example')
    await page.getByText('The address changes, so the key is needed again').waitFor()
    await save(page)
    await expect.poll(() => key.getAttribute('aria-invalid')).toBe('true')
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

  test('leaving with changes asks; a refusal of the server keeps what was typed', async () => {
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
})
