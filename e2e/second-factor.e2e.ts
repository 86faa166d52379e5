import { beforeAll, describe, expect, test } from 'vitest'
import { totpCode } from '../server/testing/worlds/totp-code.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld } from './one-world.ts'
import { FACTOR_TEXTS } from './second-factor-texts.ts'
import {
  addAuthenticator,
  addUser,
  codeField,
  expectForgotten,
  expireSignIns,
  type Factors,
  freshCode,
  logIn,
  openSettings,
  openWithApp,
  PASSWORD,
  plugInPasskeys,
  region,
  shownSecret,
} from './second-factor-world.ts'
import { clipboard, hasFocus, heading, message, saveFile, tabTo } from './steps.ts'
import { TEXTS } from './texts.ts'

const WRONG_CODE = '000000'
// translations.ts proves the Chinese texts.
const texts = TEXTS.en
const own = FACTOR_TEXTS.en

const world = openOneWorld()

test('an authenticator app is set up by its first code, and recovery codes are shown once', async () => {
  const username = 'setup'
  const page = await openSettings(world, username)
  await region(page, own.app).getByText(own.off, { exact: true }).waitFor()
  const opener = page.getByRole('button', { name: own.setUp })
  const dialog = page.getByRole('dialog')
  await tabTo(page, opener)
  await page.keyboard.press('Enter')
  await dialog.getByRole('img', { name: own.qrcode }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page, opener)).toBe(true)
  await page.keyboard.press('Enter')
  const shown = (await dialog.getByLabel(own.key, { exact: true }).textContent()) ?? ''
  const secret = shown.replaceAll(' ', '')
  await expect.poll(() => hasFocus(page, codeField(page))).toBe(true)
  await expectGoodLook(page, '[role=dialog]')

  await page.keyboard.press('Enter')
  await dialog.getByText(own.codeMissing).waitFor()
  await codeField(page).pressSequentially(WRONG_CODE)
  await message(page, own.codeWrong).waitFor()
  await expect.poll(() => hasFocus(page, codeField(page))).toBe(true)
  expect(await codeField(page).inputValue()).toBe('')

  const code = totpCode(secret)
  const pasted = `${code.slice(0, 3)} ${code.slice(3)}`
  const shownMessage = message(page, own.appEnabled).waitFor()
  await page.evaluate(`navigator.clipboard.writeText('${pasted}')`)
  await page.keyboard.press('Control+v')
  const list = dialog.getByRole('list', { name: own.codeList })
  await expect.poll(() => list.getByRole('listitem').count()).toBe(10)
  const codes = await list.getByRole('listitem').allTextContents()
  await shownMessage
  await expectGoodLook(page, '[role=dialog]')

  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: own.done }).click()
  await dialog.getByText(own.saveFirst).waitFor()
  await dialog.getByRole('button', { name: own.copy, exact: true }).click()
  await message(page, texts.copied).waitFor()
  expect(await clipboard(page)).toBe(codes.join('\n'))
  const { name, text } = await saveFile(page, dialog.getByRole('button', { name: own.download }))
  expect(name).toBe(`${username}-recovery-codes.txt`)
  expect(codes.filter((each) => text.includes(each))).toHaveLength(10)
  expect(text).toContain(username)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(false)
  // Printing hides the surrounding elements, so the list has no accessible role there.
  expect(await page.locator('li', { hasText: codes[9] ?? '' }).isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen' })

  await tabTo(page, dialog.getByLabel(own.saved))
  await page.keyboard.press('Space')
  await tabTo(page, dialog.getByRole('button', { name: own.done }))
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const again = page.getByRole('button', { name: own.setUpAgain })
  await expect.poll(() => hasFocus(page, again)).toBe(true)
  await region(page, own.app).getByText(own.on, { exact: true }).waitFor()
  await region(page, own.codes).getByText(own.left(10)).waitFor()
  await expectForgotten(page, [secret, shown, ...codes], username)
  await expectGoodLook(page)
})

test('the app moves to a new phone without being removed', async () => {
  const username = 'move'
  const { page, secret: old } = await openWithApp(world, username)
  await page.getByRole('button', { name: own.setUpAgain }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(own.replaces).waitFor()
  await expectGoodLook(page, '[role=dialog]')
  const secret = await shownSecret(page)
  expect(secret).not.toBe(old)
  await codeField(page).fill(totpCode(secret))
  await message(page, own.appEnabled).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await region(page, own.app).getByText(own.on, { exact: true }).waitFor()

  const again = await world.open()
  await logIn(again, texts, username)
  await codeField(again).fill(freshCode(world, username, old))
  await message(again, own.codeWrong).waitFor()
  await codeField(again).fill(freshCode(world, username, secret))
  await heading(again, texts.pages.tokens).waitFor()
})

describe('logging in with an app', () => {
  const username = 'app'
  let factors: Factors

  beforeAll(async () => {
    await addUser(world, username)
    factors = await addAuthenticator(world, username)
  })

  async function openSecondStep() {
    const page = await world.open()
    await logIn(page, texts, username)
    await page.getByRole('heading', { level: 2, name: own.step }).waitFor()
    return page
  }

  test('a wrong code keeps the second step, and the right one leads to the previous page', async () => {
    const page = await world.open()
    await page.goto('/log')
    await heading(page, texts.pages.login).waitFor()
    await expect.poll(() => hasFocus(page, page.getByLabel(texts.username))).toBe(true)
    await page.keyboard.type(username)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: own.step }).waitFor()
    await expect.poll(() => hasFocus(page, codeField(page))).toBe(true)
    expect(new URL(page.url()).pathname).toBe('/login')
    await expectGoodLook(page)
    await codeField(page).fill(WRONG_CODE)
    await message(page, own.codeWrong).waitFor()
    await expect.poll(() => hasFocus(page, codeField(page))).toBe(true)
    const greeted = message(page, own.loggedIn).waitFor()
    await page.keyboard.type(freshCode(world, username, factors.secret))
    await heading(page, texts.pages.logs).waitFor()
    await greeted
    await expectForgotten(page, [PASSWORD], username)
  })

  test('a recovery code opens the account once', async () => {
    const [code = ''] = factors.codes
    const page = await openSecondStep()
    await page.getByRole('button', { name: own.recoveryInstead }).click()
    await expectGoodLook(page)
    const field = page.getByLabel(own.recovery, { exact: true })
    await expect.poll(() => hasFocus(page, field)).toBe(true)
    await page.keyboard.type(` ${code.toLowerCase().replaceAll('-', ' ')}`)
    await page.keyboard.press('Enter')
    await heading(page, texts.pages.tokens).waitFor()
    await page.goto('/setting')
    await region(page, own.codes).getByText(own.left(9)).waitFor()

    const again = await openSecondStep()
    await tabTo(again, again.getByRole('button', { name: own.recoveryInstead }))
    await again.keyboard.press('Enter')
    const second = again.getByLabel(own.recovery, { exact: true })
    await expect.poll(() => hasFocus(again, second)).toBe(true)
    await again.keyboard.type(code)
    await again.keyboard.press('Enter')
    await message(again, own.codeWrong).waitFor()
    await tabTo(again, again.getByRole('button', { name: own.appInstead }))
    await again.keyboard.press('Enter')
    await expect.poll(() => hasFocus(again, codeField(again))).toBe(true)
    await again.keyboard.type(freshCode(world, username, factors.secret))
    await heading(again, texts.pages.tokens).waitFor()
  })

  test('the way back leads to the first step, with the name and without the password', async () => {
    const page = await openSecondStep()
    await page.getByRole('button', { name: own.back }).click()
    const password = page.getByLabel(texts.password, { exact: true })
    await expect.poll(() => hasFocus(page, password)).toBe(true)
    expect(await page.getByLabel(texts.username).inputValue()).toBe(username)
    expect(await password.inputValue()).toBe('')
  })

  test('a login that took too long starts again and says why', async () => {
    const page = await openSecondStep()
    expireSignIns(world, username)
    await codeField(page).fill(freshCode(world, username, factors.secret))
    await message(page, own.signInExpired).waitFor()
    await page.getByLabel(texts.password, { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await codeField(page).fill(freshCode(world, username, factors.secret))
    await heading(page, texts.pages.tokens).waitFor()
  })
})

test('a passkey is added, renamed, logs in without a name, and is removed', async () => {
  const username = 'pass'
  const page = await openSettings(world, username)
  await plugInPasskeys(page)
  const passkeys = region(page, own.passkeys)
  await passkeys.getByRole('button', { name: own.addPasskey }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByLabel(own.passkeyName, { exact: true })
  expect(await name.inputValue()).toBe(own.ownName)
  await expectGoodLook(page, '[role=dialog]')
  const shownMessage = message(page, own.passkeyAdded).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByRole('list', { name: own.codeList }).waitFor()
  await shownMessage
  await dialog.getByLabel(own.saved).check()
  await dialog.getByRole('button', { name: own.done }).click()
  await passkeys.getByText(own.unused).waitFor()

  await passkeys.getByRole('button', { name: own.rename(own.ownName) }).click()
  await name.fill('blue key')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await passkeys.getByText('blue key').waitFor()
  await expectGoodLook(page)

  await passkeys.getByRole('button', { name: own.addPasskey }).click()
  await dialog.getByRole('button', { name: own.create }).click()
  await message(page, own.passkeyKnown).waitFor()
  await page.keyboard.press('Escape')

  await page.context().clearCookies()
  await page.evaluate('localStorage.removeItem("user")')
  await page.goto('/login')
  const greeted = message(page, own.loggedIn).waitFor()
  await page.getByRole('button', { name: own.passkeyLogIn }).click()
  await heading(page, texts.pages.tokens).waitFor()
  await greeted

  await page.context().clearCookies()
  await logIn(page, texts, username)
  await page.getByRole('heading', { level: 2, name: own.step }).waitFor()
  await expectGoodLook(page)
  await page.getByRole('button', { name: own.passkeyUse }).click()
  await heading(page, texts.pages.tokens).waitFor()

  await page.goto('/setting')
  await passkeys.getByText(own.used).waitFor()
  await passkeys.getByRole('button', { name: own.removePasskey('blue key') }).click()
  await dialog.getByRole('button', { name: own.removePasskey('blue key') }).click()
  await message(page, own.passkeyRemoved).waitFor()
  await passkeys.getByText('blue key').waitFor({ state: 'detached' })
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('BODY')
})
test('new recovery codes replace the old ones, and removing the app opens a dialog', async () => {
  const username = 'renew'
  const { page, codes } = await openWithApp(world, username)
  await region(page, own.codes).getByRole('button', { name: own.newCodes }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: own.makeNew, exact: true }).click()
  const list = dialog.getByRole('list', { name: own.codeList })
  await list.waitFor()
  const renewed = await list.getByRole('listitem').allTextContents()
  expect(renewed.filter((code) => codes.includes(code))).toEqual([])
  await dialog.getByLabel(own.saved).check()
  await dialog.getByRole('button', { name: own.done }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: own.removeApp }).click()
  await dialog.getByText(own.removeAppLast).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await region(page, own.app).getByText(own.on, { exact: true }).waitFor()
  const remove = page.getByRole('button', { name: own.removeApp })
  await expect.poll(() => hasFocus(page, remove)).toBe(true)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: own.removeApp }).click()
  await message(page, own.appRemoved).waitFor()
  await region(page, own.app).getByText(own.off, { exact: true }).waitFor()
  await expectForgotten(page, renewed, username)
})

test("dismissing the browser's dialog returns to the form, without a message", async () => {
  const page = await world.open({ byName: true })
  await page.addInitScript(`
    navigator.credentials.get = async () => { throw new DOMException('no', 'NotAllowedError') }
  `)
  await page.goto('/login')
  const button = page.getByRole('button', { name: own.passkeyLogIn })
  const begun = page.waitForResponse(/passkey\/options/)
  await button.click()
  await begun
  await expect.poll(() => button.getAttribute('data-loading')).toBe(null)
  expect(await page.getByRole('alert').count()).toBe(0)
  await heading(page, texts.pages.login).waitFor()
})

test('browsers without passkeys are offered none', async () => {
  const page = await world.open()
  await page.addInitScript('delete window.PublicKeyCredential')
  await page.goto('/login')
  await page.getByLabel(texts.username).waitFor()
  expect(await page.getByRole('button', { name: own.passkeyLogIn }).count()).toBe(0)
})
