import { beforeEach, expect, test } from 'vitest'
import { billEndpoints } from '@tollgate/contract'
import { findViolations, overflowOf } from './accessibility.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { heading, message, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Look } from './world.ts'

let channel: number

const world = openOneWorld(async () => {
  channel = await world.addChannel('main', 'gpt-6')
})
const session = sessionOf(world)

beforeEach(async () => {
  for (const { id } of (await world.asRoot(billEndpoints.listBillSources, {})).data) {
    await world.asRoot(billEndpoints.deleteBillSource, { params: { id } })
  }
})

const today = new Date().toISOString().slice(0, 10)

const csv = (cost: string, more = '') => ({
  name: 'bill.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    `time,model,input,output,cost\n${today}T00:10:00Z,gpt-6,100,10,${cost}\n${more}`,
  ),
})

const addSource = () =>
  world.asRoot(billEndpoints.createBillSource, {
    body: { name: 'OpenAI', kind: 'csv', channels: [channel] },
  })

const texts = TEXTS.en

const open = async (look: Look = {}) => {
  const page = await world.open({ session, ...look })
  await page.goto('/bill')
  await heading(page, 'Bills').waitFor()
  return page
}

test('a source is added, its file imported and compared with the log', async () => {
  const page = await open()
  await page.getByText('No sources yet').waitFor()
  await page.getByRole('button', { name: 'Add source' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('OpenAI')
  await dialog.getByRole('button', { name: texts.save }).click()
  await dialog.getByText('Choose at least one channel.').waitFor()
  await dialog.getByRole('combobox', { name: 'Channels on this bill' }).click()
  await page.getByRole('option', { name: /main/ }).click()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: texts.save }).click()

  await rowOf(page, 'OpenAI').getByRole('button', { name: 'Import file' }).click()
  await dialog.locator('input[type=file]').setInputFiles(csv('1.25'))
  await rowOf(page, 'gpt-6').waitFor()
  expect(await dialog.getByLabel('Amount', { exact: true }).inputValue()).toBe('cost')
  expect(await findViolations(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await message(page, 'Imported. New lines: 1. Known lines: 0.').waitFor()

  await rowOf(page, 'OpenAI').getByText('+$1.25').waitFor()
  await rowOf(page, 'OpenAI').getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('heading', { name: 'Billed but not recorded (1)' }).waitFor()
  await rowOf(page, 'gpt-6').getByText('not recorded').waitFor()
  await expectGoodLook(page)
  await page.getByRole('button', { name: /^Log rows of gpt-6,/ }).click()
  await page
    .getByRole('dialog')
    .getByText('The log has no such rows. Log rows may have been deleted.')
    .waitFor()
})

test('a file with a bad line says where, and imports nothing', async () => {
  const { data } = await addSource()
  const page = await open()
  await rowOf(page, 'OpenAI').getByRole('button', { name: 'Import file' }).click()
  const dialog = page.getByRole('dialog')
  const bad = `${today}T00:20:00Z,gpt-6,1,1,ten\n`
  await dialog.locator('input[type=file]').setInputFiles(csv('1', bad))
  await dialog.getByText('Nothing was imported. Correct these lines or the columns:').waitFor()
  await dialog.getByText('Line 3, cost: not a number').waitFor()
  expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
  const [source] = (await world.asRoot(billEndpoints.listBillSources, {})).data
  expect(source).toMatchObject({ id: data.id, imports: [] })
})

test('on a phone the page does not scroll sideways', async () => {
  await addSource()
  const page = await open({ isPhone: true })
  const compare = rowOf(page, 'OpenAI').getByRole('button', { name: 'Compare' })
  const box = await compare.boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  await compare.click()
  expect(await overflowOf(page)).toBe(0)
})
