import { readFile } from 'node:fs/promises'
import { type Locator, type Page, request } from 'playwright-core'
import { z } from 'zod'
import { sessionEndpoints, tokenEndpoints, userEndpoints } from '@tollgate/contract'
import { ROOT_PASSWORD } from './installation.ts'
import type { Texts } from './texts.ts'
import type { Session, World } from './world.ts'

type Credentials = { username: string; password: string }

/** Steps of a user. Elements are found by role and label. */
export async function signIn(page: Page, texts: Texts, credentials: Credentials) {
  await page.goto('/login')
  await sendLogin(page, texts, credentials)
  await page.waitForURL((url) => url.pathname !== '/login')
}

/** Fills in the login form that is open, and sends it. */
export async function sendLogin(page: Page, texts: Texts, { username, password }: Credentials) {
  await page.getByLabel(texts.username).fill(username)
  await page.getByLabel(texts.password, { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: texts.logIn, exact: true }).click()
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name })

/** Toasts and inline errors both have the role alert. */
export const message = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text })

/** Keeps the text of every alert from the next page load on, as toasts disappear by themselves. */
export const keepMessages = (page: Page) =>
  page.addInitScript(`
    new MutationObserver(() => {
      const kept = sessionStorage.getItem('messages') ?? ''
      const shown = [...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent)
      const fresh = shown.filter((text) => !kept.includes(text))
      if (fresh.length > 0) sessionStorage.setItem('messages', [kept, ...fresh].join('\\n'))
    }).observe(document, { childList: true, subtree: true, characterData: true })
  `)

/**
 * Leads the loaded console to a path, as a link would. Loading the page again takes five times as
 * long.
 */
export const goWithin = (page: Page, path: string) =>
  page.evaluate(`{
    const index = (history.state?.index ?? 0) + 1
    history.pushState({ key: 'test ' + index, index }, '', '${path}')
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  }`)

/** The same, until another page is shown. */
export async function openWithin(page: Page, path: string) {
  await page.evaluate("document.querySelector('h1')?.setAttribute('data-former', '')")
  await goWithin(page, path)
  await page.locator('h1:not([data-former])').waitFor()
}

/** What alerts have said on a page whose messages are kept. */
export const keptMessages = (page: Page) =>
  page.evaluate<string>(`sessionStorage.getItem('messages') ?? ''`)

export const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })

export async function chooseAction(page: Page, texts: Texts, row: string, action: string | RegExp) {
  await page.getByRole('button', { name: texts.actionsOf(row) }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

export async function createToken(page: Page, texts: Texts, name: string) {
  await page.goto('/token/add')
  await page.getByLabel(texts.tokenName, { exact: true }).fill(name)
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, texts.tokenCreated).waitFor()
  await page.getByRole('link', { name: texts.connected, exact: true }).click()
  await heading(page, texts.pages.tokens).waitFor()
}

export async function copyKey(page: Page, texts: Texts, token: string): Promise<string> {
  await page.getByRole('button', { name: texts.keyForms(token) }).click()
  await page.getByRole('menuitem', { name: texts.key, exact: true }).click()
  await message(page, texts.copied).waitFor()
  return clipboard(page)
}

export const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

/** Presses a button and reads the file that it saves. */
export async function saveFile(
  page: Page,
  button: Locator,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), 'utf8'),
  }
}

/** Paths of the requests of a page whose address matches, as they are made. */
export const watchCalls = (page: Page, pattern = /\/api\//) =>
  watchRequests(page, pattern, ({ pathname }) => pathname)

/** The same with the queries. */
export const watchQueries = (page: Page, pattern = /\/api\//) =>
  watchRequests(page, pattern, ({ pathname, search }) => pathname + search)

function watchRequests(page: Page, pattern: RegExp, partOf: (url: URL) => string): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (pattern.test(request.url())) asked.push(partOf(new URL(request.url())))
  })
  return asked
}

const TABS_MAX = 80

/** Presses Tab until the element has the focus, as a keyboard user would. */
export async function tabTo(page: Page, target: Locator) {
  await target.waitFor()
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await hasFocus(page, target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${TABS_MAX} times Tab did not reach ${target.toString()}`)
}

export async function hasFocus(page: Page, target: Locator): Promise<boolean> {
  return (await target.and(page.locator(':focus')).count()) === 1
}

export async function openFirstLog(page: Page) {
  await page.getByRole('row').nth(1).getByRole('button', { expanded: false }).click()
  await page.getByRole('term').first().waitFor()
}

export const ROOT: Credentials = { username: 'root', password: ROOT_PASSWORD }

/** What a login through the form leaves in a browser. `byName` as for the pages of a world. */
export async function signedIn(
  world: Pick<World, 'server'>,
  credentials = ROOT,
  { byName = false } = {},
): Promise<Session> {
  const { url } = world.server
  const origin = byName ? url.replace('127.0.0.1', 'localhost') : url
  const client = await request.newContext({ baseURL: origin })
  const { path, parts } = sessionEndpoints.login
  const answer = await client.post(path, { data: credentials })
  const { data: user } = z.object({ data: parts.data }).parse(await answer.json())
  const { cookies } = await client.storageState()
  await client.dispose()
  return {
    cookies,
    origins: [{ origin, localStorage: [{ name: 'user', value: JSON.stringify(user) }] }],
  }
}

/** Creates a token, unlimited by default, with the session of its user; returns its key. */
export async function tokenOf(
  world: World,
  session: Session,
  name: string,
  limit: { unlimited_quota: true } | { remain_quota: number } = { unlimited_quota: true },
): Promise<string> {
  const { data } = await callAs(world, session, tokenEndpoints.createToken, { name, ...limit })
  return `sk-${tokenEndpoints.createToken.parts.data.parse(data).key}`
}

/** Asks a model through the relay, and waits for the whole answer. */
export async function askModel({ server }: World, key: string, model: string, content = 'Hello') {
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Creates a user with a balance; returns the session. */
export async function addCustomer(world: World, username: string, quota: number) {
  const password = 'a long password'
  const { data } = await addUser(world, username, password)
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota } })
  return signedIn(world, { username, password })
}

/** Creates a user, in place of the user of this name whom a failed try has left. */
export async function addUser({ asRoot }: World, username: string, password: string) {
  const { data } = await asRoot(userEndpoints.searchUsers, { query: { keyword: username } })
  const former = data.find((user) => user.username === username)
  if (former) await asRoot(userEndpoints.deleteUser, { params: { id: former.id } })
  return asRoot(userEndpoints.createUser, { body: { username, password } })
}

const answerOf = z.object({ success: z.literal(true), data: z.unknown().optional() })

/** Calls the API with the cookies of a session, without a page. */
export async function callAs(
  { server }: World,
  session: Session,
  { method, path }: { method: string; path: string },
  data: object,
): Promise<{ data?: unknown }> {
  const client = await request.newContext({ baseURL: server.url, storageState: session })
  const answer = await client.fetch(path, { method, data })
  const body = answerOf.parse(await answer.json())
  await client.dispose()
  return body
}

export async function chooseType(page: Page, texts: Texts, type: string) {
  await page.getByRole('combobox', { name: texts.channelType }).fill(type)
  await page.getByRole('option', { name: type, exact: true }).click()
}
