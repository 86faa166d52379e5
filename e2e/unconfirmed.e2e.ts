import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { optionEndpoints, userEndpoints } from '@tollgate/contract'
import { overflowOf } from './accessibility.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { callAs, hasFocus, heading, message, tabTo, watchCalls } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const ADAM = { username: 'adam', password: 'adam is here' }
const NOTE = /^Changed by adam\. Until the super administrator confirms it/
const LONG = `https://${'long-name.'.repeat(20)}example`

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, { body: ADAM })
  const body = { username: ADAM.username, action: 'promote' } as const
  await world.asRoot(userEndpoints.manageUser, { body })
  await world.setOption('SMTPServer', 'smtp.example')
})
const root = sessionOf(world)
const adam = sessionOf(world, ADAM)

async function setAsAdam(options: Record<string, string>) {
  for (const [key, value] of Object.entries(options)) {
    await callAs(world, adam, optionEndpoints.updateOption, { key, value })
  }
}

afterEach(async () => {
  const { data } = await world.asRoot(optionEndpoints.listUnconfirmedOptions, {})
  const ids = data.map(({ id }) => id)
  if (ids.length > 0) await world.asRoot(optionEndpoints.confirmOptions, { body: { ids } })
  await world.setOption('SMTPToken', ' ')
  await world.setOption('SMTPServer', 'smtp.example')
})

const texts = TEXTS.en

const rootPage = sharePage(() => world.open({ session: root }))
const adamPage = sharePage(() => world.open({ session: adam }))

const notice = (page: Page) =>
  page.getByRole('region', { name: 'Changed settings need your confirmation' })

const open = async (path = '/token', title: string = texts.pages.tokens) => {
  const { page } = await rootPage()
  await page.goto(path)
  await heading(page, title).waitFor()
  return page
}

test('root is notified on every page, sees both values and confirms, by keyboard', async () => {
  await setAsAdam({ SMTPServer: 'smtp.elsewhere.example', SMTPToken: 'a-token-of-adam' })
  const page = await open()
  await notice(page).getByText('adam changed 2 settings that decide who gets into').waitFor()
  await tabTo(page, notice(page).getByRole('button', { name: 'Review 2 changes' }))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Confirm changed settings' })
  const server = dialog.getByRole('listitem', { name: 'SMTP server SMTPServer' })
  await server.getByText('smtp.example', { exact: true }).waitFor()
  await server.getByText('smtp.elsewhere.example', { exact: true }).waitFor()
  await dialog.getByText('A new value was entered. It is never shown.').waitFor()
  expect(await page.content()).not.toContain('a-token-of-adam')
  // Cancel has the focus first, so a repeated key press confirms nothing.
  const cancel = dialog.getByRole('button', { name: texts.cancel })
  await expect.poll(() => hasFocus(page, cancel)).toBe(true)
  await expectGoodLook(page)
  await tabTo(page, dialog.getByRole('button', { name: 'Confirm 2 changes' }))
  await page.keyboard.press('Enter')
  await message(page, '2 changes confirmed.').waitFor()
  await notice(page).waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page, page.getByRole('main'))).toBe(true)
  await page.goto('/setting/system')
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByText('confirmed by root').first().waitFor()
})

test('on a phone nothing is wider than the screen', async () => {
  await setAsAdam({ WeChatServerAddress: LONG })
  const page = await world.open({ session: root, isPhone: true })
  await page.goto('/token')
  await notice(page).getByText('adam changed a setting that decides').waitFor()
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
  await notice(page).getByRole('button').tap()
  const dialog = page.getByRole('dialog', { name: 'Confirm changed settings' })
  await dialog.getByText(LONG).waitFor()
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
  const { width = 0 } = (await dialog.getByText(LONG).boundingBox()) ?? {}
  expect(width).toBeLessThan(390)
  await expectGoodLook(page)
  await world.setOption('WeChatServerAddress', '')
})

test('an administrator sees pending changes at the field, and nowhere else', async () => {
  await setAsAdam({ SMTPServer: 'one.example' })
  const { page } = await adamPage()
  const calls = watchCalls(page)
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()
  await settled(page)
  expect(calls).not.toContain(optionEndpoints.listUnconfirmedOptions.path)
  await page.goto('/setting/system')
  const field = page.getByLabel('SMTP server', { exact: true })
  await page.getByText(NOTE).waitFor()
  const described = await field.getAttribute('aria-describedby')
  expect(described).not.toBeNull()
  expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(NOTE)
  expect(await notice(page).count()).toBe(0)
  expect(calls.filter((path) => path === optionEndpoints.listUnconfirmedOptions.path)).toEqual([
    optionEndpoints.listUnconfirmedOptions.path,
  ])
  await expectGoodLook(page)
})

test('a change made while root reads is not confirmed, and is shown then', async () => {
  await setAsAdam({ SMTPServer: 'one.example' })
  const page = await open()
  await notice(page).getByText('adam changed a setting that decides').waitFor()
  await notice(page).getByRole('button', { name: 'Review the change' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm changed settings' })
  await dialog.getByText('one.example', { exact: true }).waitFor()
  await setAsAdam({ SMTPServer: 'two.example' })
  await dialog.getByRole('button', { name: 'Confirm 1 change' }).click()
  await message(page, /has been changed again\. Nothing was confirmed/).waitFor()
  await dialog.getByText('two.example', { exact: true }).waitFor()
  const { data } = await world.asRoot(optionEndpoints.listUnconfirmedOptions, {})
  expect(data).toMatchObject([{ before: 'smtp.example', after: 'two.example' }])
  await dialog.getByRole('button', { name: 'Confirm 1 change' }).click()
  await notice(page).waitFor({ state: 'detached' })
})

test('a change leads to its field, where restoring the former value ends the notice', async () => {
  await setAsAdam({ SMTPServer: 'one.example' })
  const page = await open()
  await notice(page).getByRole('button').click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open the setting' }).click()
  await page.waitForURL('/setting/system#smtp')
  const section = page.getByRole('region', { name: 'Email (SMTP)', exact: true })
  await section.getByText(/^Changed by adam\. Until the super administrator confirms it/).waitFor()
  await section.getByLabel('SMTP server', { exact: true }).fill('smtp.example')
  await section.getByRole('button', { name: texts.save, exact: true }).click()
  await message(page, 'Settings saved.').waitFor()
  await notice(page).waitFor({ state: 'detached' })
  await section.getByText(NOTE).waitFor({ state: 'detached' })
})
