import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { intercept } from './intercept.ts'
import { expectGoodLook } from './look.ts'
import { openOneOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { SIGN_IN_TEXTS } from './sign-in-texts.ts'
import { CAPTCHA, codeIn, linkIn, openSignInWorld, PASSWORD } from './sign-in-world.ts'
import { clipboard, hasFocus, heading, message, signIn, watchQueries } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const LANGUAGES: readonly Language[] = ['en', 'zh']

const world = openOneOf(openSignInWorld)

afterEach(() =>
  world.set({
    RegisterEnabled: 'true',
    EmailVerificationEnabled: 'false',
    TurnstileCheckEnabled: 'false',
  }),
)

const userNamed = async (keyword: string) =>
  (await world.asRoot(userEndpoints.searchUsers, { query: { keyword } })).data[0]

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name, exact: true })

const texts = TEXTS.en
const own = SIGN_IN_TEXTS.en

const visitor = sharePage(() => world.open())

async function fillIn(page: Page, username: string, language: Language = 'en') {
  const [texts, own] = [TEXTS[language], SIGN_IN_TEXTS[language]]
  await page.getByLabel(texts.username).fill(username)
  await page.getByLabel(texts.password, { exact: true }).fill(PASSWORD)
  await page.getByLabel(own.again).fill(PASSWORD)
}

test.each(LANGUAGES)(
  'the CAPTCHA is shown before a registration, and each request needs its own, in %s',
  async (language) => {
    const own = SIGN_IN_TEXTS[language]
    await world.set({ TurnstileCheckEnabled: 'true' })
    const page = await world.open({ language })
    await world.answerHumanCheck(page)
    const calls = watchQueries(page, /\/api\/user\/register/)
    await page.goto('/register')
    await fillIn(page, 'root', language)
    const check = page.getByRole('button', { name: 'I am human' })
    await check.waitFor()
    const widget = check.locator('..')
    expect(await widget.getAttribute('data-size')).toBe('normal')
    expect((await widget.boundingBox())?.height).toBe(65)
    expect(await widget.getAttribute('data-language')).toBe(language === 'zh' ? 'zh-cn' : 'en')
    await button(page, own.register).click()
    await message(page, own.humanWait).waitFor()
    expect(calls).toEqual([])

    await check.click()
    await button(page, own.register).click()
    await page.getByRole('main').getByText('root').waitFor()
    expect(calls).toEqual([expect.stringMatching(/turnstile=site-key\+[a-z-]+\+1$/)])
    await fillIn(page, `human-${language}`, language)
    await check.click()
    await button(page, own.register).click()
    await message(page, own.registered).waitFor()
    expect(calls.at(-1)).toMatch(/turnstile=site-key\+[a-z-]+\+2$/)
  },
)

test('a forgotten password is replaced by a mailed link, one per half a minute', async () => {
  const email = `forgetful@example.com`
  await world.addUserWithEmail('forget', email)
  const page = await world.open()
  await page.clock.install()
  const calls = watchQueries(page, /\/api\/reset_password/)
  await page.goto('/reset')
  await button(page, own.sendReset).click()
  await page.getByText(own.emailError).waitFor()
  expect(calls).toEqual([])
  await page.getByLabel(own.email, { exact: true }).fill(email)
  await button(page, own.sendReset).click()
  await message(page, own.resetSent).first().waitFor()
  // The page's clock advanced while the mail was sent.
  const shown = new RegExp(own.resetAgain(0).replace('0', String.raw`(\d+)`))
  const waiting = page.getByRole('main').getByRole('button', { name: shown })
  const secondsLeft = async () => Number(shown.exec((await waiting.textContent()) ?? '')?.[1])
  expect(await waiting.getAttribute('aria-disabled')).toBe('true')
  const before = await secondsLeft()
  expect(before).toBeGreaterThan(12)
  expect(before).toBeLessThanOrEqual(30)
  await page.clock.runFor(12_000)
  await expect.poll(secondsLeft).toBeLessThanOrEqual(before - 12)
  await page.keyboard.press('Enter')
  await page.clock.runFor((await secondsLeft()) * 1000)
  await button(page, own.sendReset).waitFor()
  expect(calls).toHaveLength(1)

  const { page: fresh } = await visitor()
  await fresh.goto('/user/reset')
  await message(fresh, own.linkBroken).waitFor()
  await fresh.goto(linkIn(await world.mailTo(email, 1)))
  await button(fresh, own.resetTitle).click()
  await fresh.getByRole('button', { name: own.copyNewPassword }).click()
  await message(fresh, texts.copied).waitFor()
  const password = await clipboard(fresh)
  expect(await fresh.getByLabel(own.newPassword, { exact: true }).textContent()).toBe(password)
  await fresh.getByRole('link', { name: own.toLogin }).click()
  await signIn(fresh, texts, { username: 'forget', password })
})

test('the login page leads to registration and reset, and hides ways that are off', async () => {
  const { page } = await visitor()
  const scripts = watchQueries(page, /other-ways|wechat-dialog|challenges\.cloudflare/)
  await page.goto('/login')
  await settled(page)
  expect(await page.getByRole('button', { name: /GitHub|OIDC/ }).count()).toBe(0)
  expect(scripts).toEqual([])
  expect(await page.getByRole('banner').locator('a[aria-current=page]').count()).toBe(1)
  await page.getByRole('main').getByRole('link', { name: own.register }).click()
  await heading(page, own.register).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: own.resetTitle }).click()
  await heading(page, own.resetTitle).waitFor()
})

test('an invite link is stored until the registration, which names the inviter', async () => {
  const root = await userNamed('root')
  const { page } = await visitor()
  // The form of New API's links; those of One API are the page itself.
  await page.goto(`/sign-up?aff=${root?.aff_code}`)
  await heading(page, own.register).waitFor()
  await page.goto('/register')
  for (const hint of [own.usernameHint, own.passwordHint]) await page.getByText(hint).waitFor()
  await fillIn(page, 'guest')
  await page.keyboard.press('Enter')
  await message(page, own.registered).waitFor()
  await page.waitForURL('/')
  await page.getByRole('button', { name: 'guest' }).waitFor()
  expect(await page.evaluate<string>("localStorage.getItem('aff')")).toBe(root?.aff_code)
  expect(await userNamed('guest')).toMatchObject({ inviter_id: root?.id, email: '' })
})

test('with verification on, an address is verified by the mailed code', async () => {
  await world.set({ EmailVerificationEnabled: 'true' })
  const email = `verified@example.com`
  const { page } = await visitor()
  const calls = watchQueries(page, /\/api\/verification/)
  await page.goto('/register')
  await fillIn(page, 'verified')
  await button(page, own.sendCode).click()
  await page.getByText(own.required).waitFor()
  await page.getByLabel(own.email, { exact: true }).fill('nobody')
  await button(page, own.sendCode).click()
  await page.getByText(own.emailError).waitFor()
  expect(calls).toEqual([])

  await page.getByLabel(own.email, { exact: true }).fill(email)
  await button(page, own.sendCode).click()
  await message(page, own.codeSent).waitFor()
  const resend = button(page, own.resend)
  expect(await resend.getAttribute('aria-disabled')).toBe('true')
  await resend.click({ force: true })
  expect(calls).toHaveLength(1)

  await page.getByLabel(own.code, { exact: true }).fill(codeIn(await world.mailTo(email)))
  await button(page, own.register).click()
  await message(page, own.registered).waitFor()
  expect(await userNamed('verified')).toMatchObject({ email })
})

test('a CAPTCHA that was switched on while a form was open asks for a reload', async () => {
  await world.set({ TurnstileCheckEnabled: 'false' })
  const { page } = await visitor()
  await world.answerHumanCheck(page)
  await page.goto('/register')
  await fillIn(page, 'late')
  await world.set({ TurnstileCheckEnabled: 'true' })
  await button(page, own.register).click()
  // The content security policy was fixed when the page loaded.
  await page.getByText(own.humanFailed).waitFor()
  await page.reload()
  await fillIn(page, 'late')
  await page.getByRole('button', { name: 'I am human' }).click()
  await button(page, own.register).click()
  await message(page, own.registered).waitFor()
})

test('a CAPTCHA that cannot be loaded says so and can be retried', async () => {
  await world.set({ TurnstileCheckEnabled: 'true' })
  const page = await world.open({ viewport: { width: 300, height: 800 } })
  const release = await intercept(page, CAPTCHA, () => null)
  await page.goto('/reset')
  await page.getByText(own.humanFailed).waitFor()
  await release()
  await world.answerHumanCheck(page)
  await button(page, own.tryAgain).click()
  const widget = page.getByRole('button', { name: 'I am human' }).locator('..')
  expect(await widget.getAttribute('data-size')).toBe('compact')
  expect((await widget.boundingBox())?.height).toBe(120)
})

test('a closed registration says so', async () => {
  await world.set({ RegisterEnabled: 'false' })
  const { page } = await visitor()
  await page.goto('/register')
  await page.getByText(own.closed).waitFor()
  expect(await page.getByLabel(texts.username).count()).toBe(0)
})

describe('with everything on', () => {
  const VISITS: { path: string; prepare?: (page: Page) => Promise<void> }[] = [
    { path: '/login' },
    {
      path: '/login',
      prepare: async (page) => {
        await page.getByRole('button', { name: own.by(own.names.wechat) }).click()
        await page.getByRole('dialog').getByRole('textbox').waitFor()
      },
    },
    {
      path: '/register',
      prepare: async (page) => {
        await button(page, own.register).click()
        await page.locator('[aria-invalid=true]').first().waitFor()
      },
    },
    { path: '/reset' },
    { path: '/user/reset' },
    { path: '/user/reset?email=a@example.com&token=made-up' },
    {
      path: '/oauth/github?code=made-up&state=made-up',
      prepare: (page) => page.getByText(own.retry(1)).waitFor(),
    },
  ]

  beforeAll(() => world.offerAll())

  test.each(VISITS)('$path is accessible', async ({ path, prepare }) => {
    await world.set({ EmailVerificationEnabled: 'true', TurnstileCheckEnabled: 'true' })
    const { page } = await visitor()
    await world.answerHumanCheck(page)
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await prepare?.(page)
    // The human-check widget is third-party content.
    await expectGoodLook(page, { exclude: '[data-language]' })
  })
})

describe('external logins', () => {
  beforeAll(() => world.offerAll())

  test('a login that was refused there is not attempted', async () => {
    const { page } = await visitor()
    const calls = watchQueries(page, /\/api\/oauth\/oidc/)
    await page.goto('/oauth/oidc?error=access_denied&state=x')
    await message(page, own.cancelled).waitFor()
    await heading(page, texts.pages.login).waitFor()
    expect(calls).toEqual([])
  })

  test('without the code of the other ways, the password remains', async () => {
    const { page } = await visitor()
    await page.route(/\/static\/js\/other-ways[^/]*\.js/, (route) => route.abort())
    await page.goto('/login')
    await message(page, 'other-ways').waitFor()
    await page.getByLabel(texts.password, { exact: true }).fill(PASSWORD)
    await button(page, texts.logIn).waitFor()
  })

  test.each(['github', 'oidc', 'lark'] as const)('a user logs in by %s', async (name) => {
    const { page } = await visitor()
    await world.allowAs(page, name, { id: '41' })
    await page.goto('/login')
    await page.getByRole('button', { name: own.by(own.names[name]) }).click()
    await page.getByRole('link', { name: 'Allow' }).click()
    await message(page, own.loggedIn).waitFor()
    await heading(page, texts.pages.tokens).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('a user logs in by the code of the WeChat account', async () => {
    await world.set({ WeChatAccountQRCodeImageURL: `${world.server.url}/logo.svg` })
    const { page } = await visitor()
    const calls = watchQueries(page, /\/api\/oauth\/wechat/)
    await page.goto('/login')
    const opener = page.getByRole('button', { name: own.by(own.names.wechat) })
    await opener.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(own.weChatMinutes).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(page, opener)).toBe(true)
    await page.keyboard.press('Enter')
    await dialog.getByRole('img', { name: own.qrcode }).waitFor()
    await dialog.getByRole('button', { name: own.by(own.names.wechat) }).click()
    await dialog.getByText(own.required).waitFor()
    expect(calls).toEqual([])
    await dialog.getByLabel(own.weChatCode, { exact: true }).fill(world.wechat.tellCode('w'))
    await page.keyboard.press('Enter')
    await message(page, own.loggedIn).waitFor()
    await page.waitForURL((url) => url.pathname === '/')
  })

  test('an exchange that fails once is retried after two seconds', async () => {
    const { page } = await visitor()
    await world.allowAs(page, 'github', { id: '43' })
    const path = '/login/oauth/access_token'
    world.github.route(path, { status: 500, body: {} })
    await page.goto('/login')
    await page.getByRole('button', { name: own.by('GitHub') }).click()
    await page.getByRole('link', { name: 'Allow' }).click()
    await page.getByText(own.retry(1)).waitFor()
    world.github.restore()
    await message(page, own.loggedIn).waitFor()
    await page.waitForURL((url) => url.pathname === '/token')
  })

  test('an exchange that keeps failing is retried three times, then leads to the login', async () => {
    const page = await world.open()
    await page.clock.install()
    const calls = watchQueries(page, /\/api\/oauth\/github/)
    await page.goto('/oauth/github?code=made-up&state=made-up')
    for (const [attempt, seconds] of [2, 4, 6].entries()) {
      await page.getByText(own.retry(attempt + 1)).waitFor()
      expect(calls).toHaveLength(attempt + 1)
      await page.clock.runFor(seconds * 500)
      expect(calls).toHaveLength(attempt + 1)
      await page.clock.runFor(seconds * 500)
    }
    await message(page, own.failed).waitFor()
    await heading(page, texts.pages.login).waitFor()
    expect(calls).toHaveLength(4)
  })
})
