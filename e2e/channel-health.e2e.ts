import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { answerAsAsked } from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld, REFUSED, refuseKey } from './channel-world.ts'
import { message, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'

const { world, openBeside, addChannel, showList, openList } = openChannelWorld()

const names = (page: Page) => page.locator('tbody tr[data-row] td:nth-child(3)').allTextContents()

const testOf = (id: number) =>
  world.asRoot(channelEndpoints.testChannel, { params: { id }, query: {} }).catch(() => undefined)

const chip = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filter by health' }).getByRole('button', { name })

/** One channel each that is healthy, failing, untested and off. */
async function addMixed() {
  const healthy = await addChannel('well', answerAsAsked)
  await testOf(healthy)
  const failing = await addChannel('sick', refuseKey)
  await testOf(failing)
  await addChannel('new', answerAsAsked)
  const off = await addChannel('resting', answerAsAsked)
  const body = { id: off, status: CHANNEL_STATUS.disabled }
  await world.asRoot(channelEndpoints.updateChannel, { body })
  return failing
}

describe('the health of channels', () => {
  test('is on top as counts that filter, and the worst come first until the operator sorts', async () => {
    await addMixed()
    const page = await openList()
    expect(await names(page)).toEqual(['sick', 'new', 'well', 'resting'])
    await chip(page, 'All 4').waitFor()
    await chip(page, '1 failing').click()
    await expect.poll(() => names(page)).toEqual(['sick'])
    expect(new URL(page.url()).searchParams.get('health')).toBe('failing')
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['sick'])
    await chip(page, '1 failing').click()
    await expect.poll(() => names(page)).toHaveLength(4)
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await expect.poll(() => names(page)).toEqual(['new', 'resting', 'sick', 'well'])
  })

  test('has its reason and the button that helps in the row', async () => {
    await addMixed()
    const page = await openList()
    const sick = rowOf(page, 'sick')
    const reason = new RegExp(`^The last test failed: ${REFUSED} · since \\d\\d:\\d\\d$`)
    await sick.getByText(reason).waitFor()
    await sick.getByRole('button', { name: /^failing The last test/ }).focus()
    world.upstream.script('sick', answerAsAsked)
    await sick.getByRole('button', { name: 'Test sick', exact: true }).click()
    await sick.getByText('healthy').waitFor()
    await chip(page, '2 healthy').waitFor()
    await rowOf(page, 'resting').getByRole('button', { name: 'Enable resting' }).click()
    await rowOf(page, 'resting').getByText('untested', { exact: true }).first().waitFor()
    await chip(page, '2 untested').waitFor()
  })

  test('is on the start page once the first steps are hidden, and leads to the channels', async () => {
    await addMixed()
    const page = await openBeside({})
    await page.addInitScript("localStorage.setItem('prompt-first-steps', 'true')")
    await page.goto('/')
    await page.getByRole('link', { name: '1 healthy' }).waitFor()
    await page.getByRole('link', { name: '1 failing' }).click()
    await page.waitForURL('/channel?health=failing')
    await expect.poll(() => names(page)).toEqual(['sick'])
  })

  test('filters with group and model, and the search looks at models', async () => {
    await addMixed()
    const page = await openList()
    await page.getByRole('combobox', { name: 'Model' }).click()
    await page.getByRole('option', { name: 'gpt-4o-mini' }).click()
    await expect.poll(() => names(page)).toHaveLength(4)
    await chip(page, '1 off').click()
    await expect.poll(() => names(page)).toEqual(['resting'])
    await showList(page)
    const search = page.getByRole('search').getByRole('textbox')
    await search.fill('4O-MINI')
    await search.press('Enter')
    await expect.poll(() => names(page)).toHaveLength(4)
    await search.fill('claude')
    await search.press('Enter')
    await page.getByText('No results.').waitFor()
  })
})

describe('several channels', () => {
  test('are edited at once after a preview of what changes where', async () => {
    await addChannel('first', answerAsAsked, { priority: 3 })
    await addChannel('second', answerAsAsked, { priority: 7 })
    const page = await openList()
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByRole('button', { name: 'Edit …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 2 channels' })
    await dialog.getByText('Nothing changes yet.').waitFor()
    await page.keyboard.press('Escape')
    const opener = page.locator('button:focus').filter({ hasText: 'Edit …' })
    await opener.click()
    await dialog.getByLabel('Priority').fill('7')
    await dialog.getByText('first Priority: 3 → 7').waitFor()
    expect(await dialog.getByRole('listitem').count()).toBe(1)
    await dialog.getByLabel('Remove models').fill('gpt-4o, gpt-4o-mini')
    await dialog.getByText('These channels would have no model or no group').waitFor()
    await dialog.getByLabel('Remove models').fill('gpt-4o')
    await dialog.getByText('second Models: 2 → 1').waitFor()
    await dialog.getByLabel('Replace the model mapping').check()
    const mapping = dialog.getByLabel('Model mapping', { exact: true })
    await mapping.fill('{"gpt-4o-mini"')
    await dialog.getByText('Enter a JSON object of model names').waitFor()
    await mapping.fill('{"gpt-4o-mini":"mini"}')
    await dialog.getByText('Model mapping: — → {"gpt-4o-mini":"mini"}').first().waitFor()
    await dialog.getByRole('button', { name: 'Change 2 channels' }).click()
    const stored = async () => {
      const { data } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
      return data.map((row) => [row.priority, row.models, row.model_mapping])
    }
    await expect.poll(stored).toEqual([
      [7, 'gpt-4o-mini', '{"gpt-4o-mini":"mini"}'],
      [7, 'gpt-4o-mini', '{"gpt-4o-mini":"mini"}'],
    ])
  })

  test('have a tag, by which they are found, and which is set and removed for several', async () => {
    const id = await addChannel('tagged', answerAsAsked)
    await addChannel('plain', answerAsAsked)
    const page = await openList()
    await chip(page, 'All 2').waitFor()
    const field = page.getByRole('combobox', { name: 'Tag', exact: true })
    expect(await field.count()).toBe(0)

    await page.goto(`/channel/edit/${id}`)
    await field.fill(' eu west ')
    await page.getByRole('button', { name: TEXTS.en.save }).click()
    await message(page, 'Channel updated.').waitFor()
    await rowOf(page, 'tagged').waitFor()
    await field.click()
    await page.getByRole('option', { name: 'eu west', exact: true }).click()
    await expect.poll(() => names(page)).toEqual(['tagged'])
    expect(new URL(page.url()).searchParams.get('tag')).toBe('eu west')
    await chip(page, 'All 1').waitFor()
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['tagged'])
    await page.goto(`/channel/${id}`)
    await page.getByText('eu west', { exact: true }).waitFor()

    const tags = async () => {
      const { data } = await world.asRoot(channelEndpoints.listChannels, { query: { sort: 'id' } })
      return data.map(({ name, tag }) => [name, tag])
    }
    await showList(page)
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Tag', exact: true }).check()
    await page.keyboard.press('Escape')
    await rowOf(page, 'tagged').getByRole('cell', { name: 'eu west', exact: true }).waitFor()
    const head = page.getByRole('columnheader', { name: 'Tag' }).getByRole('button')
    await head.click()
    await expect.poll(() => names(page)).toEqual(['plain', 'tagged'])
    await head.click()
    await expect.poll(() => names(page)).toEqual(['tagged', 'plain'])

    const dialog = page.getByRole('dialog', { name: 'Edit 2 channels' })
    const openDialog = async () => {
      await page.getByRole('checkbox', { name: 'Select all' }).check()
      await page.getByRole('button', { name: 'Edit …' }).click()
      await dialog.getByText('Nothing changes yet.').waitFor()
      await dialog.getByRole('checkbox', { name: 'Set the tag' }).check()
    }
    await openDialog()
    await dialog.getByText('tagged Tag: eu west → —').waitFor()
    expect(await dialog.getByRole('listitem').count()).toBe(1)
    await dialog.getByRole('combobox', { name: 'Tag', exact: true }).click()
    await page.getByRole('option', { name: 'eu west', exact: true }).click()
    await dialog.getByText('plain Tag: — → eu west').waitFor()
    await dialog.getByRole('button', { name: 'Change 1 channel' }).click()
    await expect.poll(tags).toEqual([
      ['plain', 'eu west'],
      ['tagged', 'eu west'],
    ])
    await showList(page)
    await openDialog()
    await dialog.getByRole('button', { name: 'Change 2 channels' }).click()
    await expect.poll(tags).toEqual([
      ['plain', ''],
      ['tagged', ''],
    ])
  })
})
