import { beforeEach, expect, test } from 'vitest'
import { billEndpoints, channelEndpoints } from '@tollgate/contract'
import { findViolations, overflowOf } from './accessibility.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { heading, message, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Look } from './world.ts'

const OWN = {
  en: {
    title: 'Bills',
    none: 'No sources yet',
    add: 'Add source',
    name: 'Name',
    channels: 'Channels on this bill',
    channelsError: 'Choose at least one channel.',
    file: 'Import file',
    amount: 'Amount',
    begin: 'Import',
    imported: 'Imported. New lines: 1. Known lines: 0.',
    compare: 'Compare',
    unrecorded: 'Billed but not recorded (1)',
    notRecorded: 'not recorded',
    rows: /^Log rows of gpt-6,/,
    noRows: 'The log has no such rows. Log rows may have been deleted.',
    refused: 'Nothing was imported. Correct these lines or the columns:',
    problem: 'Line 3, cost: not a number',
    failed: 'This section could not be loaded.',
  },
  zh: {
    title: '账单',
    none: '还没有来源',
    add: '添加来源',
    name: '名称',
    channels: '账单包含的渠道',
    channelsError: '请至少选择一个渠道。',
    file: '导入文件',
    amount: '金额',
    begin: '导入',
    imported: '导入完成：新增 1 行，已有 0 行。',
    compare: '比对',
    unrecorded: '有账单无记录（1）',
    notRecorded: '无记录',
    rows: /^gpt-6 的日志，/,
    noRows: '没有相关日志，可能已被删除。',
    refused: '未导入任何明细。请修正以下各行或列的对应：',
    problem: '第 3 行，cost：不是数字',
    failed: '此部分加载失败。',
  },
} as const

let channel: number

const world = openOneWorld(async () => {
  const body = { type: 8, name: 'main', key: 'sk-1', models: 'gpt-6', base_url: 'http://a.b' }
  await world.asRoot(channelEndpoints.createChannels, { body })
  const { data } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
  channel = data[0]?.id ?? 0
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

test('the texts are the same messages in both languages', () => expectTranslated(OWN))

const texts = TEXTS.en
const own = OWN.en

const open = async (look: Look = {}) => {
  const page = await world.open({ session, ...look })
  await page.goto('/bill')
  await heading(page, own.title).waitFor()
  return page
}

test('a source is added, its file imported and compared with the log', async () => {
  const page = await open()
  await page.getByText(own.none).waitFor()
  await page.getByRole('button', { name: own.add }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(own.name, { exact: true }).fill('OpenAI')
  await dialog.getByRole('button', { name: texts.save }).click()
  await dialog.getByText(own.channelsError).waitFor()
  await dialog.getByRole('combobox', { name: own.channels }).click()
  await page.getByRole('option', { name: /main/ }).click()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: texts.save }).click()

  await rowOf(page, 'OpenAI').getByRole('button', { name: own.file }).click()
  await dialog.locator('input[type=file]').setInputFiles(csv('1.25'))
  await rowOf(page, 'gpt-6').waitFor()
  expect(await dialog.getByLabel(own.amount, { exact: true }).inputValue()).toBe('cost')
  expect(await findViolations(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: own.begin, exact: true }).click()
  await message(page, own.imported).waitFor()

  await rowOf(page, 'OpenAI').getByText('+$1.25').waitFor()
  await rowOf(page, 'OpenAI').getByRole('button', { name: own.compare }).click()
  await page.getByRole('heading', { name: own.unrecorded }).waitFor()
  await rowOf(page, 'gpt-6').getByText(own.notRecorded).waitFor()
  expect(await findViolations(page, 'main')).toEqual([])
  await page.getByRole('button', { name: own.rows }).click()
  await page.getByRole('dialog').getByText(own.noRows).waitFor()
})

test('a file with a bad line says where, and imports nothing', async () => {
  const { data } = await addSource()
  const page = await open()
  await rowOf(page, 'OpenAI').getByRole('button', { name: own.file }).click()
  const dialog = page.getByRole('dialog')
  const bad = `${today}T00:20:00Z,gpt-6,1,1,ten\n`
  await dialog.locator('input[type=file]').setInputFiles(csv('1', bad))
  await dialog.getByText(own.refused).waitFor()
  await dialog.getByText(own.problem).waitFor()
  expect(await dialog.getByRole('button', { name: own.begin, exact: true }).isDisabled()).toBe(true)
  const [source] = (await world.asRoot(billEndpoints.listBillSources, {})).data
  expect(source).toMatchObject({ id: data.id, imports: [] })
})

test('on a phone the page does not scroll sideways, and a failure says why', async () => {
  await addSource()
  const page = await open({ isPhone: true })
  const compare = rowOf(page, 'OpenAI').getByRole('button', { name: own.compare })
  const box = await compare.boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  await compare.click()
  expect(await overflowOf(page)).toBe(0)
  await page.route('**/api/bill/source/**', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.reload()
  await page.getByRole('alert').getByText(own.failed).waitFor()
})
