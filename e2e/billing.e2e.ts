import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import {
  channelEndpoints,
  optionEndpoints,
  topUpEndpoints,
  userEndpoints,
} from '@tollgate/contract'
import { type MailServerOfTests, openMailServer } from '../server/testing/fakes/mail-server.ts'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { heading, message, signedIn, tokenOf } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Session } from './world.ts'

const OWN_TEXTS = {
  en: {
    statements: 'Statements and billing',
    statement: 'Statement',
    byModel: 'Usage by model',
    byDay: 'Usage by day',
    credits: 'Top-ups and gifts',
    validUntil: /valid until 20\d\d-/,
    adjustment: 'Adjustment',
    topUp: 'Top-up',
    total: 'Total',
    csv: 'Download CSV',
    noServer: 'This site does not send email.',
    noEmail: 'Bind an email address in the settings',
    below: 'Balance below',
    isOn: 'Email me when my balance is low',
    stop: 'Stop these emails',
    stopped: 'These emails are off.',
    invalid: 'This link is not valid',
    printed: 'Statement of alice (account 2)',
  },
  zh: {
    statements: '账单与扣费明细',
    statement: '月度账单',
    byModel: '按模型统计',
    byDay: '按天统计',
    credits: '充值与赠送',
    validUntil: /有效期至 20\d\d-/,
    adjustment: '调整',
    topUp: '充值',
    total: '合计',
    csv: '下载 CSV',
    noServer: '本站未启用邮件发送。',
    noEmail: '在设置中绑定邮箱后',
    below: '余额低于',
    isOn: '余额不足时发送邮件',
    stop: '关闭提醒邮件',
    stopped: '提醒邮件已关闭。',
    invalid: '链接无效',
    printed: 'alice（账户 2）的账单',
  },
} as const

const LANGUAGES: readonly Language[] = ['en', 'zh']
const MODEL = 'gpt-4o'
const ALICE = { username: 'alice', password: 'a long password' }

let alice: Session
let mail: MailServerOfTests
let ask: () => Promise<unknown>

const world = openOneWorld(async () => {
  world.upstream.script('main', healthyProvider(usageOf(1204, 800, 312)))
  const channel = { type: 8, name: 'main', key: 'sk-1', models: MODEL }
  const base_url = world.upstream.baseUrl('main')
  await world.asRoot(channelEndpoints.createChannels, { body: { ...channel, base_url } })
  const { data } = await world.asRoot(userEndpoints.createUser, { body: ALICE })
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota: 1_000_000 } })
  const grant = { user_id: data.id, quota: 500_000, remark: 'invoice 7' }
  await world.asRoot(topUpEndpoints.grantQuota, { body: grant })
  alice = await signedIn(world, ALICE)
  const apiKey = await tokenOf(world, alice, { name: 'web', unlimited_quota: true })
  const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'word '.repeat(1200) }]
  ask = () => client.chat.completions.create({ model: MODEL, messages })
  await ask()
  mail = await openMailServer({ encryption: 'none' })
})

afterAll(() => mail.close())

test('the texts are the same messages in both languages', () =>
  expectTranslated(OWN_TEXTS, [OWN_TEXTS.en.printed]))

test.each(LANGUAGES)(
  'a statement adds up, is saved as CSV, and prints without the frame, in %s',
  async (language) => {
    const texts = TEXTS[language]
    const own = OWN_TEXTS[language]
    const page = await world.open({ language, session: alice })
    await page.goto('/topup')
    await page.getByRole('link', { name: own.statements }).click()
    await heading(page, texts.pages.billing).waitFor()

    const table = (name: string) => page.getByRole('table', { name })
    const total = (name: string) =>
      table(name).getByRole('row', { name: own.total }).getByRole('cell').allTextContents()
    await table(own.byModel).getByRole('row', { name: MODEL }).waitFor()
    const charged = await total(own.byModel)
    expect(charged).toEqual(['$0.00513', '1', '1,204', '312'])
    expect(await total(own.byDay)).toEqual(charged)
    const credits = table(own.credits).getByRole('row')
    expect(await credits.nth(1).textContent()).toContain(`${own.topUp}invoice 7$1.00`)
    await credits.nth(1).getByText(own.validUntil).waitFor()
    expect(await credits.nth(2).textContent()).toContain(`${own.adjustment}$2.00`)
    const sheet = page.getByRole('region', { name: own.statement, exact: true })
    expect(await sheet.locator('dd').allTextContents()).toEqual([
      '$0.00000',
      '$3.00000',
      '-$0.00513',
      '$2.99487',
    ])

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: own.csv }).click()
    const lines = (await text(await (await saving).createReadStream())).trimEnd().split('\r\n')
    const units = lines.slice(1).map((line) => Number(line.split(',').at(-1)))
    expect(units.reduce((sum, unit) => sum + unit, 0)).toBe(1_500_000 - 2565)

    await page.emulateMedia({ media: 'print' })
    await page.getByText(own.printed).waitFor()
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: own.csv }).isVisible()).toBe(false)
    expect(await table(own.byDay).isVisible()).toBe(true)
  },
)

test('the statement of root shows no billions', async () => {
  const page = await world.open({ session: await signedIn(world) })
  await page.goto('/billing')
  const sheet = page.getByRole('region', { name: OWN_TEXTS.en.statement, exact: true })
  await sheet.getByRole('definition').getByText('unlimited', { exact: true }).first().waitFor()
  expect(await page.getByText(/^valid until|valid for/).count()).toBe(0)
  expect(await page.getByRole('main').innerText()).not.toContain('000,000')
})

test('a chosen month stays while it loads, and the month before cannot be saved', async () => {
  const own = OWN_TEXTS.en
  const page = await world.open({ session: alice })
  await page.goto('/billing?month=2020-02')
  const month = page.getByLabel('Month')
  const sheet = page.getByRole('region', { name: own.statement, exact: true })
  const charged = sheet.locator('dd').nth(2)
  await expect.poll(() => charged.locator('[title]').getAttribute('title')).toBe('0')
  const answered = Promise.withResolvers<void>()
  await page.route('/api/user/statement?*', async (route) => {
    await answered.promise
    await route.continue()
  })
  const [current = ''] = await month.selectOption({ index: 0 })
  await page.waitForURL(`/billing?month=${current}`)
  const csv = page.getByRole('button', { name: own.csv })
  const print = page.getByRole('button', { name: 'Print', exact: true })
  await expect.poll(() => csv.isDisabled()).toBe(true)
  expect([await month.inputValue(), await print.isDisabled()]).toEqual([current, true])
  answered.resolve()
  await expect.poll(() => charged.textContent()).toBe('-$0.00513')
  expect([await csv.isEnabled(), await print.isEnabled()]).toEqual([true, true])
})

test('a customer gets an email below an own threshold, and stops it by its link', async () => {
  const own = OWN_TEXTS.en
  const texts = TEXTS.en
  const page = await world.open({ session: alice, isPhone: true })
  await page.goto('/billing')
  await page.getByText(own.noServer).waitFor()
  const options = {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gate@example.com',
    ServerAddress: world.server.url,
  }
  for (const [key, value] of Object.entries(options)) {
    await world.asRoot(optionEndpoints.updateOption, { body: { key, value } })
  }
  await page.reload()
  await page.getByText(own.noEmail).waitFor()
  const database = new DatabaseSync(path.join(world.folder, 'tollgate.db'))
  database.exec("update users set email = 'alice@example.com' where username = 'alice'")
  database.close()
  await page.reload()
  const below = page.getByLabel(own.below, { exact: true })
  await below.fill('0')
  const save = page.getByRole('button', { name: texts.save, exact: true })
  await save.click()
  await page.getByText('Enter an amount above 0.').waitFor()
  await below.fill('2.99')
  await save.click()
  await message(page, 'Reminder saved.').waitFor()
  await page.reload()
  expect(await below.inputValue()).toBe('$2.99')
  const isOn = page.getByRole('switch', { name: own.isOn })
  expect(await isOn.isChecked()).toBe(true)

  await ask()
  await expect.poll(() => mail.mails.length, { timeout: 10_000 }).toBe(1)
  const [got] = mail.mails
  expect(got?.receivers).toEqual(['alice@example.com'])
  const link = /https?:\S+\/reminder\/stop\?\S+/.exec(got?.text ?? '')?.[0] ?? ''
  const visitor = await world.open()
  await visitor.goto(`${link}x`)
  await visitor.getByRole('button', { name: own.stop }).click()
  await message(visitor, own.invalid).waitFor()
  await visitor.goto(link)
  await visitor.getByRole('button', { name: own.stop }).click()
  await visitor.getByText(own.stopped).waitFor()
  await page.reload()
  await isOn.waitFor()
  expect([await isOn.isChecked(), await below.count()]).toEqual([false, 0])
})
