import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import {
  answerAsAsked,
  answerJson,
  type Behaviour,
} from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld, REFUSED, refuseKey } from './channel-world.ts'
import { chooseAction, heading, message, rowOf, watchCalls } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en

const { world, openBeside, allChannels, addChannel, showList, openList } = openChannelWorld()

const status = (id: number, to: 1 | 2) =>
  world.asRoot(channelEndpoints.updateChannel, { body: { id, status: to } })

const names = (page: Page) => page.locator('tbody tr[data-row] td:nth-child(3)').allTextContents()

describe('the rows', () => {
  test("a click on the response time tests; a failed test shows the provider's reason", async () => {
    await addChannel('good', answerAsAsked)
    await addChannel('bad', refuseKey)
    const page = await openList()
    const good = rowOf(page, 'good')
    await good.getByRole('button', { name: /^untested\./ }).click()
    await message(page, texts.tested('good')).waitFor()
    await good.getByRole('button', { name: /^[1-9]\d* ms\. fast: up to 1 s/ }).waitFor()

    await rowOf(page, 'bad')
      .getByRole('button', { name: /^untested\./ })
      .click()
    await message(page, REFUSED).waitFor()
    await rowOf(page, 'bad')
      .getByRole('button', { name: new RegExp(`^failed\\. .*${REFUSED}`) })
      .waitFor()
  })

  test('a test may use any model, and its outcome stays visible', async () => {
    await addChannel('good', answerAsAsked)
    const page = await openList()
    await chooseAction(page, texts, 'good', 'Test with a model')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Model' }).click()
    await page.getByRole('option', { name: 'gpt-4o-mini' }).click()
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    await dialog.getByText(/^gpt-4o-mini answered in \d+ ms at the Chat endpoint\.$/).waitFor()
    const [asked] = world.upstream.requestsOf('good').slice(-1)
    expect(asked?.body.toString()).toContain('"gpt-4o-mini"')

    await dialog.getByRole('combobox', { name: 'Endpoint' }).click()
    await page.getByRole('option', { name: 'Embeddings' }).click()
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    const paths = () => world.upstream.requestsOf('good').map(({ path }) => path)
    await expect.poll(() => paths().at(-1)).toBe('/v1/embeddings')

    world.upstream.script('good', refuseKey)
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    await dialog.getByText(REFUSED).waitFor()
    expect(await message(page, REFUSED).count()).toBe(0)
    await dialog.getByRole('link', { name: /^Replace key/ }).click()
    await page.waitForURL(/\/channel\/\d+\?tab=keys$/)
  })

  test('the outcome of a test whose dialog is closed is a message', async () => {
    await addChannel('slow', answerAsAsked)
    const page = await openList()
    const refusal = Promise.withResolvers<void>()
    world.upstream.script('slow', async (response, request) => {
      await refusal.promise
      return refuseKey(response, request)
    })
    await chooseAction(page, texts, 'slow', 'Test with a model')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Test', exact: true }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    refusal.resolve()
    await message(page, REFUSED).waitFor()
  })

  test('a toggle is shown at once and reverted with the reason when the server refuses', async () => {
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
    await row.getByText('off', { exact: true }).waitFor()
    await expect.poll(() => held.length).toBe(1)
    held[0]?.()
    await message(page, 'The database is resting.').waitFor()
    await row.getByText('untested', { exact: true }).first().waitFor()

    await page.unroute('**/api/channel/')
    await chooseAction(page, texts, 'toggled', texts.disable)
    await message(page, 'toggled gets no more requests.').waitFor()
    const { data } = await world.asRoot(channelEndpoints.getChannel, { params: { id } })
    expect(data.status).toBe(CHANNEL_STATUS.disabled)
  })

  test('hidden texts in a long list do not make the page taller', async () => {
    await addChannel('long', answerAsAsked)
    const page = await openList()
    const row = page.locator('tr[data-row]').first()
    const edges = [
      page.getByRole('columnheader', { name: 'Response' }).getByRole('button'),
      row.getByRole('button', { name: /^untested\./ }),
    ].map(async (place) => {
      const { x = 0, width = 0 } = (await place.boundingBox()) ?? {}
      return Math.round(x + width)
    })
    // The figure, not its line, is below the head of the column.
    expect(await edges[1]).toBe(await edges[0])
    const below = await page.evaluate<number>(`{
      const row = document.querySelector('tr[data-row]')
      for (let count = 0; count < 90; count += 1) {
        const copy = row.cloneNode(true)
        const hidden = document.createElement('span')
        hidden.style.position = 'absolute'
        copy.lastElementChild.append(hidden)
        row.parentElement.append(copy)
      }
      const { bottom } = document.querySelector('footer').getBoundingClientRect()
      document.documentElement.scrollHeight - window.scrollY - bottom
    }`)
    expect(below).toBeLessThan(100)
    // The table scrolls, and the page with its chips and its notice does not.
    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  })

  test('a channel disabled by hand or by a failed test can be enabled again', async () => {
    const manual = await addChannel('manual', answerAsAsked)
    const failed = await addChannel('refused', refuseKey)
    await status(manual, 2)
    await world.setOption('AutomaticDisableChannelEnabled', true)
    const page = await openList()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Test all channels' }).click()
    await page.getByText(/^Tested 2 of 2 channels/).waitFor()
    await world.setOption('AutomaticDisableChannelEnabled', false)
    const stored = async (id: number) =>
      (await world.asRoot(channelEndpoints.getChannel, { params: { id } })).data.status
    expect(await stored(failed)).toBe(CHANNEL_STATUS.autoDisabled)
    for (const [name, id] of [
      ['manual', manual],
      ['refused', failed],
    ] as const) {
      await chooseAction(page, texts, name, texts.enable)
      await expect.poll(() => stored(id)).toBe(CHANNEL_STATUS.enabled)
    }
  })

  test('priority and weight are saved in place; input during the save is not lost', async () => {
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

  test('a click on the balance queries the provider, whose refusal is shown', async () => {
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
      .getByRole('button', { name: /^—\. Refresh the balance/ })
      .click()
    await rowOf(page, 'rich')
      .getByRole('button', { name: /^\$10\.00\. .*last refreshed: \d{4}-/ })
      .waitFor()
    await rowOf(page, 'silent')
      .getByRole('button', { name: /^—\. Refresh the balance/ })
      .click()
    await message(page, REFUSED).waitFor()
  })

  test('a deletion names the channel and removes it from the list', async () => {
    await addChannel('gone', answerAsAsked)
    const page = await openList()
    await chooseAction(page, texts, 'gone', texts.delete)
    await page.getByRole('dialog', { name: 'Delete the channel gone?' }).waitFor()
    await page.getByRole('button', { name: 'Delete gone' }).click()
    await page.getByText(texts.noChannels).waitFor()
    expect(await allChannels()).toEqual([])
    await page.getByRole('button', { name: 'Import …' }).click()
    await page.getByRole('dialog', { name: 'Import channels' }).waitFor()
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
  test('status and type filter on the server, stay in the address and are cleared together', async () => {
    await addChannel('on', answerAsAsked)
    await status(await addChannel('off', answerAsAsked), 2)
    await status(await addChannel('router off', answerAsAsked, { type: 20 }), 2)
    const page = await openList()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'not enabled' }).click()
    await expect.poll(() => names(page)).toEqual(['router off', 'off'])
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.keyboard.type('openrouter')
    await page.getByRole('option', { name: /OpenRouter/ }).click()
    await expect.poll(() => names(page)).toEqual(['router off'])
    expect(new URL(page.url()).searchParams.get('type')).toBe('20')
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['router off'])

    const search = page.getByRole('search').getByRole('textbox')
    await search.fill('on')
    await search.press('Enter')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(() => names(page)).toEqual(['on', 'router off', 'off'])
  })

  test('a test of all shows its progress, also after a reload and in another tab', async () => {
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
    await page.reload()
    await page.getByText('Testing channels: 2 of 3 done').waitFor()

    const other = await showList(await openBeside())
    await start(other)
    await message(other, 'This is already running').waitFor()
    await other.getByText('Testing channels: 2 of 3 done').waitFor()

    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.()
    await page.getByText(/^Tested 3 of 3 channels in \d+ s, 1 failed\.$/).waitFor()
    const why = new RegExp(`^failed\\. ${REFUSED}`)
    await rowOf(page, 'bad').getByRole('button', { name: why }).waitFor()
    await rowOf(page, 'slow')
      .getByRole('button', { name: /^\d+\.\d\d s/ })
      .waitFor()
    const polls = watchCalls(page, /progress/)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await expect.poll(() => page.getByText(/^Tested 3 of 3/).count()).toBe(0)
    expect(polls).toEqual([])
    await page.reload()
    await rowOf(page, 'bad').getByRole('button', { name: why }).waitFor()
  })

  test('a test of the disabled channels skips the others, and refresh reloads the list', async () => {
    await addChannel('on', answerAsAsked)
    const id = await addChannel('off', answerAsAsked)
    await status(id, 2)
    const page = await openList()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Test disabled channels' }).click()
    await page.getByText(/^Tested 1 of 1 channels/).waitFor()
    expect(world.upstream.requestsOf('on')).toEqual([])

    await world.asRoot(channelEndpoints.updateChannel, { body: { id, name: 'renamed' } })
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await rowOf(page, 'renamed').waitFor()
  })

  test('deleting the disabled channels asks with their number', async () => {
    await addChannel('stays', answerAsAsked)
    await status(await addChannel('off 1', answerAsAsked), 2)
    const page = await openList()
    const ask = async () => {
      await page.getByRole('button', { name: 'More bulk actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete disabled channels' }).click()
    }
    await ask()
    const one = page.getByRole('dialog', { name: 'Delete the 1 disabled channel?' })
    await one.getByRole('button', { name: texts.cancel }).click()
    await status(await addChannel('off 2', answerAsAsked), 2)
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

  test('the notice about balances is dismissed permanently', async () => {
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
