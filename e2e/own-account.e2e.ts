import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { openOneOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { SIGN_IN_TEXTS } from './sign-in-texts.ts'
import { codeIn, openSignInWorld, PASSWORD } from './sign-in-world.ts'
import {
  clipboard,
  heading,
  keepMessages,
  keptMessages,
  message,
  signedIn,
  watchCalls,
} from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const world = openOneOf(openSignInWorld, async () => {
  await world.offerAll()
})

async function actsAs(token: string): Promise<string> {
  const headers = { authorization: token }
  const answer = await fetch(`${world.server.url}/api/user/self`, { headers })
  return answer.text()
}

const texts = TEXTS.en
const own = SIGN_IN_TEXTS.en
const username = 'owner'
let session: Session

beforeAll(async () => {
  await world.asRoot(userEndpoints.createUser, { body: { username, password: PASSWORD } })
  session = await signedIn(world, { username, password: PASSWORD })
})

const owner = sharePage(() => world.open({ session }))

async function openSettings() {
  const { page } = await owner()
  await page.goto('/setting')
  await heading(page, texts.pages.settings).waitFor()
  return page
}

const bindButton = (page: Page, name: string) =>
  page.getByRole('button', { name: own.bind(name), exact: true })

test('a dialog that cannot be loaded says so, and the page stays', async () => {
  const page = await openSettings()
  await page.route(/\/static\/js\/bind-email-dialog[^/]*\.js/, (route) => route.abort())
  await bindButton(page, own.email).click()
  await message(page, own.email).waitFor()
  await bindButton(page, own.email).waitFor()
})

test('root reads that only a password or passkey logs in, and may bind an address', async () => {
  const page = await world.open({ session: await signedIn(world) })
  await page.goto('/setting')
  await page.getByText(own.rootHint).waitFor()
  await bindButton(page, own.email).waitFor()
  expect(await bindButton(page, own.names.github).count()).toBe(0)
})

test('an email address is bound by the mailed code', async () => {
  const email = 'owner@example.com'
  const page = await openSettings()
  await bindButton(page, own.email).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: own.emailTitle }).click()
  await dialog.getByText(own.emailError).waitFor()
  await dialog.getByText(own.required).waitFor()
  await dialog.getByLabel(own.emailNew, { exact: true }).fill(email)
  await dialog.getByRole('button', { name: own.sendCode }).click()
  await dialog.getByRole('button', { name: own.resend }).waitFor()
  const code = codeIn(await world.mailTo(email))
  await dialog.getByLabel(own.code, { exact: true }).fill(code)
  await page.keyboard.press('Enter')
  await message(page, own.emailBound).waitFor()
  await page.getByRole('main').getByText(email).waitFor()
  await dialog.waitFor({ state: 'detached' })
})

test('external accounts are bound and shown', async () => {
  const page = await openSettings()
  await keepMessages(page)
  const id = '7100'
  for (const name of ['github', 'oidc', 'lark'] as const) {
    await world.allowAs(page, name, { id })
    await bindButton(page, own.names[name]).click()
    await page.getByRole('link', { name: 'Allow' }).click()
    // The console reloads, which takes long on a busy machine.
    await expect.poll(() => keptMessages(page), { timeout: 45_000 }).toContain(own.bound)
    await heading(page, texts.pages.settings).waitFor()
    await page.evaluate(`sessionStorage.removeItem('messages')`)
  }
  const shown = page.getByRole('definition').filter({ hasText: new RegExp(`(?:^|#)${id}`) })
  await expect.poll(() => shown.count()).toBe(3)
  await bindButton(page, own.names.wechat).click()
  const dialog = page.getByRole('dialog')
  const calls = watchCalls(page, /\/api\/oauth\/wechat/)
  await dialog.getByRole('button', { name: own.bind(own.names.wechat) }).click()
  await dialog.getByText(own.required).waitFor()
  expect(calls).toEqual([])
  const code = world.wechat.tellCode('follower')
  await dialog.getByLabel(own.weChatCode, { exact: true }).fill(code)
  await dialog.getByRole('button', { name: own.bind(own.names.wechat) }).click()
  await message(page, own.weChatBound).waitFor()
  await page.getByText('follower').waitFor()
})

test('a system token is copied after a warning, and replaces the old one', async () => {
  const page = await openSettings()
  const tokens: string[] = []
  for (let made = 0; made < 2; made += 1) {
    await page.getByRole('button', { name: own.copyToken }).click()
    await page.getByRole('dialog').getByText(own.tokenWarning).waitFor()
    await page.getByRole('button', { name: own.tokenVerb }).click()
    await message(page, own.tokenCopied).first().waitFor()
    await expect.poll(() => clipboard(page)).not.toBe(tokens[0] ?? '')
    tokens.push(await clipboard(page))
  }
  expect(await actsAs(tokens[0] ?? '')).not.toContain(username)
  expect(await actsAs(tokens[1] ?? '')).toContain(username)
  await page
    .getByRole('main')
    .getByText(tokens[1] ?? '')
    .waitFor()
})

test("the invite link leads to the registration with the user's code", async () => {
  const page = await openSettings()
  await page.getByRole('button', { name: own.copyInvite }).click()
  await message(page, own.inviteCopied).waitFor()
  const { data } = await world.asRoot(userEndpoints.searchUsers, { query: { keyword: username } })
  expect(await clipboard(page)).toBe(`${world.server.url}/register?aff=${data[0]?.aff_code}`)
})

test('an account is deleted after typing its name, and is logged out', async () => {
  const name = 'leaver'
  await world.asRoot(userEndpoints.createUser, { body: { username: name, password: PASSWORD } })
  const leaving = await signedIn(world, { username: name, password: PASSWORD })
  const page = await world.open({ session: leaving })
  await page.goto('/setting')
  await page.getByRole('button', { name: own.deleteAccount, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('somebody')
  await dialog.getByRole('button', { name: own.deleteVerb(name), exact: true }).click()
  await dialog.getByText(own.deleteMismatch).waitFor()
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: own.deleteVerb(name), exact: true }).click()
  await message(page, own.deleted).waitFor()
  await page.waitForURL('/login')
  expect(await page.evaluate<string | null>("localStorage.getItem('user')")).toBeNull()
  const { data } = await world.asRoot(userEndpoints.searchUsers, { query: { keyword: name } })
  expect(data).toEqual([])
})
