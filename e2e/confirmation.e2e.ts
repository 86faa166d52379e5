import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { selfEndpoints, userEndpoints } from '@tollgate/contract'
import { totpCode } from '../server/testing/worlds/totp-code.ts'
import { ROOT_PASSWORD } from './installation.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld } from './one-world.ts'
import { FACTOR_TEXTS } from './second-factor-texts.ts'
import {
  addAuthenticator,
  addUser,
  ageConfirmation,
  apiOf,
  codeField,
  expectForgotten,
  freshCode,
  logIn,
  openSettings,
  openWithApp,
  PASSWORD,
  plugInPasskeys,
  region,
  shownSecret,
} from './second-factor-world.ts'
import { SIGN_IN_TEXTS } from './sign-in-texts.ts'
import {
  chooseAction,
  clipboard,
  hasFocus,
  heading,
  message,
  rowOf,
  signedIn,
  signIn,
} from './steps.ts'
import { TEXTS } from './texts.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
// translations.ts proves the Chinese texts.
const texts = TEXTS.en
const own = FACTOR_TEXTS.en
const account = SIGN_IN_TEXTS.en

const world = openOneWorld()

const confirmation = (page: Page) => page.getByRole('dialog', { name: own.confirmTitle })

async function askForToken(page: Page) {
  await page.getByRole('button', { name: account.copyToken }).click()
  await page.getByRole('dialog').getByRole('button', { name: account.tokenVerb }).click()
}

test('a system token is copied after confirming the password, and the next one without', async () => {
  const username = 'token'
  const page = await openSettings(world, username)
  ageConfirmation(world, username)
  await askForToken(page)
  const dialog = confirmation(page)
  const field = dialog.getByLabel(texts.password, { exact: true })
  await field.waitFor()
  await expectGoodLook(page, '[role=dialog]')
  await field.fill('not this one')
  await page.keyboard.press('Enter')
  await message(page, own.passwordWrong).waitFor()
  await expect.poll(() => hasFocus(page, field)).toBe(true)
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await message(page, account.tokenCopied).waitFor()
  await dialog.waitFor({ state: 'detached' })
  const token = await clipboard(page)
  const headers = { authorization: token }
  const answer = await fetch(`${world.server.url}/api/user/self`, { headers })
  expect(await answer.text()).toContain(username)
  await expectForgotten(page, [PASSWORD], username)

  await message(page, account.tokenCopied).waitFor({ state: 'detached' })
  await askForToken(page)
  await message(page, account.tokenCopied).waitFor()
  expect(await dialog.count()).toBe(0)
})

test('a passkey confirms as well', async () => {
  const username = 'touch'
  const page = await openSettings(world, username)
  await plugInPasskeys(page)
  await region(page, own.passkeys).getByRole('button', { name: own.addPasskey }).click()
  await page.getByRole('dialog').getByRole('button', { name: own.create }).click()
  await page.getByLabel(own.saved).check()
  await page.getByRole('button', { name: own.done }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  ageConfirmation(world, username)
  await askForToken(page)
  await confirmation(page).getByRole('button', { name: own.passkeyUse }).waitFor()
  await expectGoodLook(page, '[role=dialog]')
  await confirmation(page).getByRole('button', { name: own.passkeyUse }).click()
  await message(page, account.tokenCopied).waitFor()
})

test('an administrator resets the second factor of a user who lost theirs', async () => {
  const username = 'lost'
  await addUser(world, username)
  await addAuthenticator(world, username)
  const page = await world.open({ session: await signedIn(world) })
  await page.goto(`/user?keyword=${username}`)
  const row = rowOf(page, username)
  await row.getByText(own.on, { exact: true }).waitFor()
  await chooseAction(page, texts, username, own.resetFactor)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: own.resetVerb(username) }).waitFor()
  await expectGoodLook(page, '[role=dialog]')
  await dialog.getByRole('button', { name: own.resetVerb(username) }).click()
  await row.getByText(own.off, { exact: true }).waitFor()
  const owner = await world.open()
  await signIn(owner, texts, { username, password: PASSWORD })
  await heading(owner, texts.pages.tokens).waitFor()
})
test('cancelling the dialog does nothing and shows nothing', async () => {
  const username = 'calm'
  const { page, secret } = await openWithApp(world, username)
  const opener = region(page, own.codes).getByRole('button', { name: own.newCodes })
  ageConfirmation(world, username)
  for (const leave of ['Escape', 'cancel'] as const) {
    await opener.click()
    await page.getByRole('dialog').getByRole('button', { name: own.makeNew, exact: true }).click()
    await codeField(page).waitFor()
    if (leave === 'Escape') await page.keyboard.press('Escape')
    else await confirmation(page).getByRole('button', { name: texts.cancel }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(page, opener)).toBe(true)
    expect(await page.getByRole('alert').count()).toBe(0)
  }
  await region(page, own.codes).getByText(own.left(10)).waitFor()

  await opener.click()
  await page.getByRole('dialog').getByRole('button', { name: own.makeNew, exact: true }).click()
  await codeField(page).fill(freshCode(world, username, secret))
  await page.getByRole('list', { name: own.codeList }).waitFor()
})

test('above another dialog, Escape closes the confirmation only', async () => {
  const username = 'stack'
  const page = await openSettings(world, username)
  ageConfirmation(world, username)
  await page.getByRole('button', { name: account.bind(account.email), exact: true }).click()
  const below = page.getByRole('dialog', { name: account.emailTitle })
  await below.getByLabel(account.emailNew, { exact: true }).fill(`${username}@example.com`)
  await below.getByLabel(account.code, { exact: true }).fill('abcdef')
  await page.keyboard.press('Enter')
  await confirmation(page).waitFor()
  await expect.poll(() => hasFocus(page, page.getByLabel(texts.password))).toBe(true)
  await page.keyboard.press('Escape')
  await confirmation(page).waitFor({ state: 'detached' })
  expect(await below.getByLabel(account.code, { exact: true }).inputValue()).toBe('abcdef')
  await page.keyboard.press('Escape')
  await below.waitFor({ state: 'detached' })
})

test('sessions name their browser, and end one by one or all at once', async () => {
  const username = 'many'
  const page = await openSettings(world, username)
  const session = await signedIn(world, { username, password: PASSWORD })
  const other = await world.open({ session })
  const call = await apiOf(world, username, PASSWORD, FIREFOX)
  await page.reload()
  const sessions = region(page, own.sessions)
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(3)
  const first = sessions.getByRole('listitem').first()
  await first.getByText(own.thisBrowser).waitFor()
  expect(await first.getByRole('button').count()).toBe(0)
  const firefox = own.signOut('Firefox on Windows')
  await sessions.getByRole('button', { name: firefox }).click()
  await message(page, own.signedOut).waitFor()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
  await expect(call(selfEndpoints.getSelf, {})).rejects.toThrow()
  await message(page, own.signedOut).waitFor({ state: 'detached' })

  await sessions.getByRole('button', { name: own.signOutOthers }).click()
  await page.getByRole('dialog').getByRole('button', { name: own.signOutOthers }).click()
  await message(page, own.signedOut).waitFor()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
  expect(await sessions.getByRole('button').count()).toBe(0)
  await other.goto('/log')
  await message(other, texts.loginExpired).waitFor()
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()
})

describe('while administrators need a second factor', () => {
  test('the administrator who requires one needs one first', async () => {
    const page = await world.open({ session: await signedIn(world) })
    await page.goto('/setting/system')
    const flip = page.getByRole('switch', { name: own.required })
    await flip.click({ force: true })
    await message(page, own.ownFirst).waitFor()
    await expect.poll(() => flip.isChecked()).toBe(false)
    await addAuthenticator(world, 'root', ROOT_PASSWORD)
    await world.setOption('SecondFactorRequired', true)
    const users = await world.asRoot(userEndpoints.searchUsers, { query: { keyword: 'root' } })
    expect(users.data[0]?.second_factor).toBe(true)
  })

  test('an administrator must set one up first', async () => {
    const username = 'deputy'
    await world.setOption('SecondFactorRequired', false)
    await addUser(world, username)
    const body = { username, action: 'promote' as const }
    await world.asRoot(userEndpoints.manageUser, { body })
    await world.setOption('SecondFactorRequired', true)
    const page = await world.open()
    await logIn(page, texts, username)
    await message(page, own.neededTitle).waitFor()
    expect(new URL(page.url()).pathname).toBe('/setting')
    await expectGoodLook(page)

    const menu = page.getByRole('navigation', { name: texts.mainMenu })
    await menu.getByRole('link', { name: texts.menu.channels, exact: true }).click()
    await heading(page, own.neededTitle).waitFor()
    await expectGoodLook(page)
    const main = page.getByRole('main')
    expect(await main.getByRole('link').count()).toBe(1)
    await page.goto('/')
    await page.waitForURL(/\/setting$/)
    await menu.getByRole('link', { name: texts.menu.logs, exact: true }).click()
    await main.getByRole('link', { name: own.toSettings }).click()

    await page.getByRole('button', { name: own.setUp }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(own.code, { exact: true }).fill(totpCode(await shownSecret(page)))
    await dialog.getByLabel(own.saved).check()
    await page.getByText(own.neededTitle).waitFor()
    await dialog.getByRole('button', { name: own.done }).click()
    await page.getByText(own.neededTitle).waitFor({ state: 'detached' })
    await page.getByText(texts.remainingQuota, { exact: true }).waitFor()
    await menu.getByRole('link', { name: texts.menu.channels, exact: true }).click()
    await heading(page, texts.pages.channels).waitFor()
  })
})
