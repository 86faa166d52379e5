import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { topUpEndpoints, userEndpoints } from '@tollgate/contract'
import { type MailServerOfTests, openMailServer } from '../server/testing/fakes/mail-server.ts'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { askModel, heading, message, saveFile, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const MODEL = 'gpt-4o'
const ALICE = { username: 'alice', password: 'a long password' }

let alice: Session
let mail: MailServerOfTests
let apiKey: string

const world = openOneWorld(async () => {
  await world.addChannel('main', MODEL, healthyProvider(usageOf(1204, 800, 312)))
  const { data } = await world.asRoot(userEndpoints.createUser, { body: ALICE })
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota: 1_000_000 } })
  const grant = { user_id: data.id, quota: 500_000, remark: 'invoice 7' }
  await world.asRoot(topUpEndpoints.grantQuota, { body: grant })
  alice = await signedIn(world, ALICE)
  apiKey = await tokenOf(world, alice, 'web')
  await ask()
  mail = await openMailServer({ encryption: 'none' })
})

afterAll(() => mail.close())

const ask = () => askModel(world, apiKey, MODEL, 'word '.repeat(1200))

test('a statement adds up, is saved as CSV, and prints without the frame', async () => {
  const page = await world.open({ session: alice })
  await page.goto('/topup')
  await page.getByRole('link', { name: 'Statements and billing' }).click()
  await heading(page, TEXTS.en.pages.billing).waitFor()

  const table = (name: string) => page.getByRole('table', { name })
  const total = (name: string) =>
    table(name).getByRole('row', { name: 'Total' }).getByRole('cell').allTextContents()
  await table('Usage by model').getByRole('row', { name: MODEL }).waitFor()
  const charged = await total('Usage by model')
  expect(charged).toEqual(['$0.00513', '1', '1,204', '312'])
  expect(await total('Usage by day')).toEqual(charged)
  const credits = table('Top-ups and gifts').getByRole('row')
  expect(await credits.nth(1).textContent()).toContain('Top-upinvoice 7$1.00')
  await credits.nth(1).getByText('valid until 20').waitFor()
  expect(await credits.nth(2).textContent()).toContain('Adjustment$2.00')
  const sheet = page.getByRole('region', { name: 'Statement', exact: true })
  expect(await sheet.locator('dd').allTextContents()).toEqual([
    '$0.00000',
    '$3.00000',
    '-$0.00513',
    '$2.99487',
  ])

  const { text } = await saveFile(page, page.getByRole('button', { name: 'Download CSV' }))
  const lines = text.trimEnd().split('\r\n')
  const units = lines.slice(1).map((line) => Number(line.split(',').at(-1)))
  expect(units.reduce((sum, unit) => sum + unit, 0)).toBe(1_500_000 - 2565)

  await page.emulateMedia({ media: 'print' })
  await page.getByText('Statement of alice (account 2)').waitFor()
  expect(await page.getByRole('banner').isVisible()).toBe(false)
  expect(await page.getByRole('button', { name: 'Download CSV' }).isVisible()).toBe(false)
  expect(await table('Usage by day').isVisible()).toBe(true)
})

test('the statement of root shows no billions', async () => {
  const page = await world.open({ session: await signedIn(world) })
  await page.goto('/billing')
  const sheet = page.getByRole('region', { name: 'Statement', exact: true })
  await sheet.getByRole('definition').getByText('unlimited', { exact: true }).first().waitFor()
  expect(await page.getByText(/^valid until|valid for/).count()).toBe(0)
  expect(await page.getByRole('main').innerText()).not.toContain('000,000')
})

test('a chosen month stays while it loads, and the month before cannot be saved', async () => {
  const page = await world.open({ session: alice })
  await page.goto('/billing?month=2020-02')
  const month = page.getByLabel('Month')
  const sheet = page.getByRole('region', { name: 'Statement', exact: true })
  const charged = sheet.locator('dd').nth(2)
  await expect.poll(() => charged.locator('[title]').getAttribute('title')).toBe('0')
  const answered = Promise.withResolvers<void>()
  await page.route('/api/user/statement?*', async (route) => {
    await answered.promise
    await route.continue()
  })
  const [current = ''] = await month.selectOption({ index: 0 })
  await page.waitForURL(`/billing?month=${current}`)
  const csv = page.getByRole('button', { name: 'Download CSV' })
  const print = page.getByRole('button', { name: 'Print', exact: true })
  await expect.poll(() => csv.isDisabled()).toBe(true)
  expect([await month.inputValue(), await print.isDisabled()]).toEqual([current, true])
  answered.resolve()
  await expect.poll(() => charged.textContent()).toBe('-$0.00513')
  expect([await csv.isEnabled(), await print.isEnabled()]).toEqual([true, true])
})

test('a customer gets an email below an own threshold, and stops it by its link', async () => {
  const texts = TEXTS.en
  const page = await world.open({ session: alice, isPhone: true })
  await page.goto('/billing')
  await page.getByText('This site does not send email.').waitFor()
  const options = {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gate@example.com',
    ServerAddress: world.server.url,
  }
  for (const [key, value] of Object.entries(options)) {
    await world.setOption(key, value)
  }
  await page.reload()
  await page.getByText('Bind an email address in the settings').waitFor()
  const database = new DatabaseSync(path.join(world.folder, 'tollgate.db'))
  database.exec("update users set email = 'alice@example.com' where username = 'alice'")
  database.close()
  await page.reload()
  const below = page.getByLabel('Balance below', { exact: true })
  await below.fill('0')
  const save = page.getByRole('button', { name: texts.save, exact: true })
  await save.click()
  await page.getByText('Enter an amount above 0.').waitFor()
  await below.fill('2.99')
  await save.click()
  await message(page, 'Reminder saved.').waitFor()
  await page.reload()
  expect(await below.inputValue()).toBe('$2.99')
  const isOn = page.getByRole('switch', { name: 'Email me when my balance is low' })
  expect(await isOn.isChecked()).toBe(true)

  await ask()
  await expect.poll(() => mail.mails.length, { timeout: 10_000 }).toBe(1)
  const [got] = mail.mails
  expect(got?.receivers).toEqual(['alice@example.com'])
  const link = /https?:\S+\/reminder\/stop\?\S+/.exec(got?.text ?? '')?.[0] ?? ''
  const visitor = await world.open()
  await visitor.goto(`${link}x`)
  await visitor.getByRole('button', { name: 'Stop these emails' }).click()
  await message(visitor, 'This link is not valid').waitFor()
  await visitor.goto(link)
  await visitor.getByRole('button', { name: 'Stop these emails' }).click()
  await visitor.getByText('These emails are off.').waitFor()
  await page.reload()
  await isOn.waitFor()
  expect([await isOn.isChecked(), await below.count()]).toEqual([false, 0])
})
