import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { optionEndpoints, userEndpoints } from '@tollgate/contract'
import { findViolations, overflowOf } from './accessibility.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { callAs, hasFocus, heading, message, tabTo } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import { expectTranslated } from './translations.ts'

const LANGUAGES: readonly Language[] = ['en', 'zh']
const ADAM = { username: 'adam', password: 'adam is here' }
const LONG = `https://${'long-name.'.repeat(20)}example`

const OWN = {
  en: {
    notice: 'Changed settings need your confirmation',
    said: /^adam changed 2 settings that decide who gets into accounts\./,
    saidOne: /^adam changed a setting that decides/,
    review: 'Review 2 changes',
    reviewOne: 'Review the change',
    title: 'Confirm changed settings',
    server: 'SMTP server SMTPServer',
    secret: 'A new value was entered. It is never shown.',
    open: 'Open the setting',
    confirm: 'Confirm 2 changes',
    confirmOne: 'Confirm 1 change',
    done: '2 changes confirmed.',
    again: /has been changed again\. Nothing was confirmed/,
    note: /^Changed by adam\. Until the super administrator confirms it/,
    history: 'History',
    confirmedBy: 'confirmed by root',
    mail: 'Email (SMTP)',
    smtpServer: 'SMTP server',
    saved: 'Settings saved.',
  },
  zh: {
    notice: '有设置修改等待你确认',
    said: /^adam 修改了 2 项决定账户登录的设置。/,
    saidOne: /^adam 修改了 1 项决定账户登录的设置。/,
    review: '核对 2 项修改',
    reviewOne: '核对 1 项修改',
    title: '确认设置修改',
    server: 'SMTP 服务器地址 SMTPServer',
    secret: '已填写新值，不予显示。',
    open: '打开该设置',
    confirm: '确认 2 项修改',
    confirmOne: '确认 1 项修改',
    done: '已确认 2 项修改。',
    again: /本次未确认任何修改/,
    note: /^已被 adam 修改，待超级管理员确认/,
    history: '修改记录',
    confirmedBy: '由 root 确认',
    mail: '邮件（SMTP）',
    smtpServer: 'SMTP 服务器地址',
    saved: '设置已保存！',
  },
} as const

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, { body: ADAM })
  const body = { username: ADAM.username, action: 'promote' } as const
  await world.asRoot(userEndpoints.manageUser, { body })
  await setAsRoot('SMTPServer', 'smtp.example')
})
const root = sessionOf(world)
const adam = sessionOf(world, ADAM)

const setAsRoot = (key: string, value: string) =>
  world.asRoot(optionEndpoints.updateOption, { body: { key, value } })

async function setAsAdam(options: Record<string, string>) {
  for (const [key, value] of Object.entries(options)) {
    await callAs(world, adam, optionEndpoints.updateOption, { key, value })
  }
}

afterEach(async () => {
  const { data } = await world.asRoot(optionEndpoints.listUnconfirmedOptions, {})
  const ids = data.map(({ id }) => id)
  if (ids.length > 0) await world.asRoot(optionEndpoints.confirmOptions, { body: { ids } })
  await setAsRoot('SMTPToken', ' ')
  await setAsRoot('SMTPServer', 'smtp.example')
})

test('the texts are the same messages in both languages', () =>
  expectTranslated(OWN, [String(OWN.en.said), String(OWN.en.saidOne), OWN.en.server]))

describe.each(LANGUAGES)('in %s', (language) => {
  const texts = TEXTS[language]
  const own = OWN[language]

  const rootPage = sharePage(() => world.open({ language, session: root }))
  const adamPage = sharePage(() => world.open({ language, session: adam }))

  const notice = (page: Page) => page.getByRole('region', { name: own.notice })

  const open = async (path = '/token', title: string = texts.pages.tokens) => {
    const { page } = await rootPage()
    await page.goto(path)
    await heading(page, title).waitFor()
    return page
  }

  test('root is notified on every page, sees both values and confirms, by keyboard', async () => {
    await setAsAdam({ SMTPServer: 'smtp.elsewhere.example', SMTPToken: 'a-token-of-adam' })
    const page = await open()
    await notice(page).getByText(own.said).waitFor()
    await tabTo(page, notice(page).getByRole('button', { name: own.review }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: own.title })
    const server = dialog.getByRole('listitem', { name: own.server })
    await server.getByText('smtp.example', { exact: true }).waitFor()
    await server.getByText('smtp.elsewhere.example', { exact: true }).waitFor()
    await dialog.getByText(own.secret).waitFor()
    expect(await page.content()).not.toContain('a-token-of-adam')
    expect(await findViolations(page)).toEqual([])
    // Cancel has the focus first, so a repeated key press confirms nothing.
    await expect
      .poll(() => hasFocus(page, dialog.getByRole('button', { name: texts.cancel })))
      .toBe(true)
    await tabTo(page, dialog.getByRole('button', { name: own.confirm }))
    await page.keyboard.press('Enter')
    await message(page, own.done).waitFor()
    await notice(page).waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(page, page.getByRole('main'))).toBe(true)
    await page.goto('/setting/system')
    await page.getByRole('button', { name: own.history }).click()
    await page.getByText(own.confirmedBy).first().waitFor()
  })

  test('on a phone nothing is wider than the screen', async () => {
    await setAsAdam({ WeChatServerAddress: LONG })
    const page = await world.open({ language, session: root, isPhone: true })
    await page.goto('/token')
    await notice(page).getByText(own.saidOne).waitFor()
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    await notice(page).getByRole('button').tap()
    const dialog = page.getByRole('dialog', { name: own.title })
    await dialog.getByText(LONG).waitFor()
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    const { width = 0 } = (await dialog.getByText(LONG).boundingBox()) ?? {}
    expect(width).toBeLessThan(390)
    expect(await findViolations(page)).toEqual([])
    await page.context().close()
    await setAsRoot('WeChatServerAddress', '')
  })

  // The rest follows the same paths in Chinese; translations.ts proves its texts.
  if (language === 'zh') return

  test('an administrator sees pending changes at the field, and nowhere else', async () => {
    await setAsAdam({ SMTPServer: 'one.example' })
    const { page } = await adamPage()
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    await page.goto('/token')
    await heading(page, texts.pages.tokens).waitFor()
    await settled(page)
    expect(calls).not.toContain(optionEndpoints.listUnconfirmedOptions.path)
    await page.goto('/setting/system')
    const field = page.getByLabel(own.smtpServer, { exact: true })
    await page.getByText(own.note).waitFor()
    const described = await field.getAttribute('aria-describedby')
    expect(described).not.toBeNull()
    expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(own.note)
    expect(await notice(page).count()).toBe(0)
    expect(await findViolations(page)).toEqual([])
    expect(calls.filter((path) => path === optionEndpoints.listUnconfirmedOptions.path)).toEqual([
      optionEndpoints.listUnconfirmedOptions.path,
    ])
  })

  test('a change made while root reads is not confirmed, and is shown then', async () => {
    await setAsAdam({ SMTPServer: 'one.example' })
    const page = await open()
    await notice(page).getByText(own.saidOne).waitFor()
    await notice(page).getByRole('button', { name: own.reviewOne }).click()
    const dialog = page.getByRole('dialog', { name: own.title })
    await dialog.getByText('one.example', { exact: true }).waitFor()
    await setAsAdam({ SMTPServer: 'two.example' })
    await dialog.getByRole('button', { name: own.confirmOne }).click()
    await message(page, own.again).waitFor()
    await dialog.getByText('two.example', { exact: true }).waitFor()
    const { data } = await world.asRoot(optionEndpoints.listUnconfirmedOptions, {})
    expect(data).toMatchObject([{ before: 'smtp.example', after: 'two.example' }])
    await dialog.getByRole('button', { name: own.confirmOne }).click()
    await notice(page).waitFor({ state: 'detached' })
  })

  test('a change leads to its field, where restoring the former value ends the notice', async () => {
    await setAsAdam({ SMTPServer: 'one.example' })
    const page = await open()
    await notice(page).getByRole('button').click()
    await page.getByRole('dialog').getByRole('link', { name: own.open }).click()
    await page.waitForURL('/setting/system#smtp')
    const section = page.getByRole('region', { name: own.mail, exact: true })
    await section.getByText(own.note).waitFor()
    await section.getByLabel(own.smtpServer, { exact: true }).fill('smtp.example')
    await section.getByRole('button', { name: texts.save, exact: true }).click()
    await message(page, own.saved).waitFor()
    await notice(page).waitFor({ state: 'detached' })
    await section.getByText(own.note).waitFor({ state: 'detached' })
  })
})
