import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import {
  answerAsAsked,
  answerError,
  type Behaviour,
} from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld, REFUSED, refuseKey } from './channel-world.ts'
import { changeRows } from './intercept.ts'
import { expectGoodLook } from './look.ts'
import { heading, message, rowOf, saveFile } from './steps.ts'

const { world, open, openBeside, addChannel, openList } = openChannelWorld()

const SECOND = 'sk-second-0123456789-0123456789'

/** Refuses the second key. */
const byKey: Behaviour = (response, request) =>
  (request.headers.authorization === `Bearer ${SECOND}` ? refuseKey : answerAsAsked)(
    response,
    request,
  )

describe('the page of a channel', () => {
  test('opens from its row, and tests a model by its button', async () => {
    await addChannel('main', answerAsAsked)
    const page = await openList()
    await rowOf(page, 'main').getByRole('cell', { name: 'main', exact: true }).click()
    await heading(page, 'main').waitFor()
    await page.getByText('No requests in 24 hours, and never tested.').waitFor()
    const model = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })
    await model.getByText('no requests', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Test gpt-4o-mini' }).click()
    await message(page, /^main answered in/).waitFor()
    await page.getByText(/^gpt-4o-mini, Chat: \d+ ms · /).waitFor()
    await model.getByText(/^\d+ ms$/).waitFor()
    world.upstream.script('main', answerError(500, { message: 'The engine is off.' }))
    await page.getByRole('button', { name: 'Test gpt-4o-mini' }).click()
    await model.getByRole('button', { name: /^failed.*The engine is off\.$/s }).waitFor()
    await page.route('**/api/channel/test/*', (route) => route.abort())
    await page.getByRole('button', { name: 'Test gpt-4o-mini' }).click()
    await model.getByRole('button', { name: /^failed.*cannot reach the server$/s }).waitFor()
    const [sent] = world.upstream.requestsOf('main').slice(-1)
    expect(sent?.body.toString()).toContain('"gpt-4o-mini"')
    await page.getByRole('link', { name: 'Requests' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await heading(page, 'Edit channel main').waitFor()
  })

  test('switches the channel', async () => {
    const id = await addChannel('switched', answerAsAsked)
    const page = await open()
    await page.goto(`/channel/${id}`)
    await page.getByRole('switch', { name: 'enabled' }).click()
    const status = async () =>
      (await world.asRoot(channelEndpoints.getChannel, { params: { id } })).data.status
    await expect.poll(status).toBe(CHANNEL_STATUS.disabled)
    await page.getByText(/^Disabled by an administrator\. · since/).waitFor()
    const model = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })
    await model.getByText('disabled', { exact: true }).waitFor()
  })

  test('lists keys masked, and adds, tests, disables and removes them one by one', async () => {
    const id = await addChannel('keyed', byKey)
    const page = await open()
    await page.goto(`/channel/${id}?tab=keys`)
    await page.getByLabel('Add keys').fill(SECOND)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await message(page, 'Keys saved.').waitFor()
    const second = page.getByRole('row').filter({ hasText: 'sk-…6789' })
    await second.getByRole('button', { name: /^Test / }).click()
    await message(page, REFUSED).waitFor()
    await second.getByRole('button', { name: /^failed/ }).waitFor()
    const first = page.getByRole('row').filter({ hasText: 'passed in' })
    await page
      .getByRole('button', { name: /^Test / })
      .first()
      .click()
    await first.waitFor()
    await page.reload()
    await second.getByRole('button', { name: /^failed/ }).waitFor()
    await first.waitFor()
    await second.getByRole('button', { name: /^Disable / }).click()
    await second.getByText('disabled').waitFor()
    expect(await page.content()).not.toContain(SECOND)

    await second.getByRole('button', { name: /^Remove / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click()
    await expect.poll(() => second.count()).toBe(0)
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click()
    await message(page, /^This is the last enabled key/).waitFor()
  })

  test('says so if nothing failed, and fits on a phone', async () => {
    const id = await addChannel('quiet', answerAsAsked)
    const page = await openBeside({ viewport: { width: 390, height: 844 } })
    await page.goto(`/channel/${id}?tab=errors`)
    await page.getByText('No failed attempts in the last seven days.').waitFor()
    await page.getByText('No attempts in the last seven days.').waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBe(390)

    const error = { last_error: 'Too many requests', last_error_time: 1_700_000_000 }
    await changeRows(page, '**/api/channel/keys/*', (rows) =>
      rows.map((key) => ({ ...key, ...error })),
    )
    await page.goto(`/channel/${id}?tab=keys`)
    const named = page.getByRole('rowheader').filter({ hasText: error.last_error })
    await named.locator('time').waitFor()
  })

  test.each([
    ['channel', 'There is no such channel.', 'Channels'],
    ['user', 'There is no such user.', 'Users'],
  ])('of a %s that is not there leads back to the list', async (kind, reason, list) => {
    const page = await open()
    for (const path of [`/${kind}/9999`, `/${kind}/edit/9999`]) {
      await page.goto(path)
      await page.getByText(reason).first().waitFor()
      await page.getByRole('link', { name: `Back to ${list}` }).click()
      await heading(page, list).waitFor()
    }
    // The page has said it already.
    expect(await page.locator('.Toastify__toast').count()).toBe(0)
  })
})

describe('files of channels', () => {
  test('an export with keys is imported after a preview of what it changes', async () => {
    const id = await addChannel('carried', answerAsAsked)
    const page = await openList()
    const openDialog = async (item: 'Export …' | 'Import …') => {
      await page.getByRole('button', { name: 'More bulk actions' }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByRole('dialog').waitFor()
    }
    await openDialog('Export …')
    await page.getByLabel('Include keys and passwords').check()
    const save = page.getByRole('button', { name: 'Download', exact: true })
    const { name, text } = await saveFile(page, save)
    expect(name).toMatch(/^channels-\d{4}-\d\d-\d\d\.json$/)
    expect(text).toContain('"key": "sk-upstream"')

    await openDialog('Import …')
    const choose = (content: string) =>
      page
        .getByRole('dialog')
        .locator('input[type=file]')
        .setInputFiles({
          name: 'channels.json',
          mimeType: 'application/json',
          buffer: Buffer.from(content),
        })
    await choose('not JSON')
    await page.getByText('The file is not JSON. Choose a JSON file.').waitFor()
    // Otherwise the browser would not report the same file, once it is corrected.
    expect(await page.locator('[role=dialog] input[type=file]').inputValue()).toBe('')
    const file = z.object({ channels: z.array(z.record(z.string(), z.unknown())) }).loose()
    const given = file.parse(JSON.parse(text))
    const [own] = given.channels
    const channels = [
      { ...own, priority: 9, models: 'gpt-4o,gpt-4.1' },
      { ...own, name: 'copied' },
      { ...own, name: 'broken', type: 9999 },
    ]
    const reads: string[] = []
    page.on('request', (sent) => sent.method() === 'GET' && reads.push(sent.url()))
    await choose(JSON.stringify({ ...given, channels }))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('priority 0 → 9').waitFor()
    await dialog.getByText('models added: gpt-4.1 · removed: gpt-4o-mini').waitFor()
    await dialog.getByRole('heading', { name: 'Not importable (1)' }).waitFor()
    expect(reads.filter((url) => url.includes('/api/'))).toEqual([])
    await expectGoodLook(page, '[role=dialog]')
    await dialog.getByRole('button', { name: 'Import: 1 new, 1 changed' }).click()
    await message(page, 'Imported: 1 new, 1 changed.').waitFor()
    await rowOf(page, 'copied').waitFor()
    const { data } = await world.asRoot(channelEndpoints.getChannel, { params: { id } })
    expect(data).toMatchObject({ priority: 9, models: 'gpt-4o,gpt-4.1' })
  })
})
