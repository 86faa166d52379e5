import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tokenEndpoints, userEndpoints } from '@tollgate/contract'
import { BAD_DAY_TEXTS } from './bad-days-texts.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { chooseAction, heading, message, ROOT, rowOf, sendLogin, signIn } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'

const ALICE = { username: 'anna', password: 'anna is here' }

const world = openOneWorld(async () => {
  for (const name of ['web shop', 'support bot']) {
    await world.asRoot(tokenEndpoints.createToken, { body: { name, unlimited_quota: true } })
  }
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
})
const session = sessionOf(world)

const second = (page: Page) => page.context().newPage()

async function logOut(page: Page, language: Language = 'en') {
  const own = BAD_DAY_TEXTS[language]
  await page.getByRole('button', { name: own.account('root') }).click()
  await page.getByRole('menuitem', { name: own.logOut }).click()
  await heading(page, TEXTS[language].pages.login).waitFor()
}

/** Ends the session without the page noticing, saves, and logs in again. */
async function saveAfterSession(page: Page) {
  await page.context().clearCookies()
  await page.getByRole('button', { name: texts.save }).click()
  await page.waitForURL('/login?expired=true')
  await page.getByText(texts.loginExpired).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await sendLogin(page, texts, ROOT)
}

const texts = TEXTS.en
const own = BAD_DAY_TEXTS.en

test('a row that was deleted meanwhile is named and removed', async () => {
  const name = 'gone'
  const { data: token } = await world.asRoot(tokenEndpoints.createToken, {
    body: { name, unlimited_quota: true },
  })
  const page = await world.open({ session })
  await page.goto('/token')
  await rowOf(page, name).waitFor()
  await world.asRoot(tokenEndpoints.deleteToken, { params: { id: token.id } })
  await chooseAction(page, texts, name, texts.disable)
  await message(page, own.gone).waitFor()
  await rowOf(page, name).waitFor({ state: 'detached' })

  await page.goto(`/token/edit/${token.id}`)
  await page.getByRole('main').getByText(own.gone).waitFor()
  await page.getByRole('button', { name: texts.tryAgain }).waitFor()
})

test('a different user in another tab finds nothing of the first user in this one', async () => {
  const page = await world.open()
  await signIn(page, texts, ROOT)
  await page.goto('/token/add')
  await page.getByLabel(texts.tokenName, { exact: true }).fill('typed by root')
  const changes: string[] = []
  page.on('request', (request) => request.method() === 'POST' && changes.push(request.url()))

  const other = await second(page)
  await other.goto('/setting')
  await heading(other, texts.pages.settings).waitFor()
  await logOut(other)
  await message(page, own.ended).waitFor()
  await heading(page, texts.pages.login).waitFor()
  await signIn(other, texts, ALICE)

  await message(page, own.otherUser(ALICE.username)).waitFor()
  await page.goBack().catch(() => null)
  await page.goto('/token/add')
  const name = page.getByLabel(texts.tokenName, { exact: true })
  expect(await name.inputValue()).toBe('')
  expect(changes).toEqual([])
  await page.goto('/channel')
  await message(page, texts.notAllowed).waitFor()
})

test('a tab whose user changed shows the rows of the new one, without a reload', async () => {
  const page = await world.open()
  await signIn(page, texts, ROOT)
  await rowOf(page, 'web shop').waitFor()
  await chooseAction(page, texts, 'web shop', texts.delete)
  await page.getByRole('dialog').waitFor()

  const other = await second(page)
  await signIn(other, texts, ALICE)
  await message(page, own.otherUser(ALICE.username)).waitFor()
  await rowOf(page, 'default').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByText('web shop').count()).toBe(0)
  await page.getByRole('button', { name: own.account(ALICE.username) }).waitFor()
})

test('text typed before the session expired is restored after logging in again', async () => {
  const page = await world.open()
  await signIn(page, texts, ROOT)
  // The last call of the frame; a later call would find the session ended.
  const lastCall = page.waitForResponse(/\/api\/option\/unconfirmed/)
  await page.goto('/token/add')
  await lastCall
  const name = page.getByLabel(texts.tokenName, { exact: true })
  await name.fill('half done')
  await saveAfterSession(page)
  await page.waitForURL('/token/add')
  await message(page, own.restored).waitFor()
  expect(await name.inputValue()).toBe('half done')
  await page.getByRole('link', { name: texts.menu.logs, exact: true }).first().click()
  await page.getByRole('dialog').waitFor()
})

test('an amount that is restored is shown in place of an unlimited quota', async () => {
  const page = await world.open()
  await signIn(page, texts, ROOT)
  const lastCall = page.waitForResponse(/\/api\/option\/unconfirmed/)
  await page.goto('/user/edit/1')
  await lastCall
  const unlimited = page.getByRole('switch', { name: 'Unlimited quota' })
  await unlimited.click()
  const quota = page.getByLabel(texts.remainingQuota, { exact: true })
  await quota.fill('5')
  await saveAfterSession(page)
  await page.waitForURL('/user/edit/1')
  await message(page, own.restored).waitFor()
  expect([await unlimited.isChecked(), await quota.inputValue()]).toEqual([false, '$5'])
})

test.each([
  ['QuotaExceededError', 'en'],
  ['SecurityError', 'zh'],
] as const)(
  'a browser that answers storage with %s works, and only forgets',
  async (error, language) => {
    const texts = TEXTS[language]
    const page = await world.open({ language })
    const errors: string[] = []
    page.on('pageerror', ({ message: text }) => errors.push(text))
    await page.addInitScript(refuseStorage, error)
    await signIn(page, texts, ROOT)
    await heading(page, texts.pages.tokens).waitFor()
    await page.getByRole('link', { name: texts.menu.channels, exact: true }).first().click()
    await heading(page, texts.pages.channels).waitFor()
    await logOut(page, language)
    expect(errors).toEqual([])
  },
)

/** Runs in the page: full storage rejects writes, forbidden storage rejects any access. */
function refuseStorage(error: string) {
  const refuse = () => {
    throw new DOMException('refused by the test', error)
  }
  if (error === 'SecurityError') {
    Object.defineProperty(globalThis, 'localStorage', { get: refuse })
  } else {
    Reflect.set(Reflect.get(globalThis, 'Storage').prototype, 'setItem', refuse)
  }
}

test("a bulk action ends with its user's session", async () => {
  const page = await world.open()
  await signIn(page, texts, ROOT)
  await rowOf(page, 'web shop').waitFor()
  const asked: (() => void)[] = []
  await page.route(/status_only/, async (route) => {
    await new Promise<void>((resolve) => asked.push(resolve))
    await route.continue()
  })
  await page.getByRole('checkbox', { name: texts.selectAll }).click()
  const bar = page.getByRole('group', { name: texts.selectionBar })
  await bar.getByRole('button', { name: texts.disable }).click()
  await expect.poll(() => asked.length).toBe(1)

  const other = await second(page)
  await signIn(other, texts, ALICE)
  await message(page, own.otherUser(ALICE.username)).waitFor()
  asked[0]?.()
  await message(page, /^0 done, \d+ unchanged\.$/).waitFor()
  expect(asked).toHaveLength(1)
})
