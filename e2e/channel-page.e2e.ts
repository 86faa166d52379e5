import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { answerAsAsked, type Behaviour } from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld, REFUSED, refuseKey } from './channel-world.ts'
import { heading, message, rowOf } from './steps.ts'

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
    await page.getByRole('button', { name: 'Test gpt-4o-mini' }).click()
    await message(page, /^main answered in/).waitFor()
    await page.getByText(/^gpt-4o-mini, chat: \d+ ms · /).waitFor()
    const [sent] = world().upstream.requestsOf('main').slice(-1)
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
      (await world().asRoot(channelEndpoints.getChannel, { params: { id } })).data.status
    await expect.poll(status).toBe(CHANNEL_STATUS.disabled)
    await page.getByText(/^Disabled by an administrator\. · since/).waitFor()
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
    await page.context().close()
  })

  test('of a channel that is not there says so', async () => {
    const page = await open()
    await page.goto('/channel/9999')
    await page.getByText('There is no such channel.').first().waitFor()
  })
})
