import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import {
  type Endpoint,
  type EndpointCall,
  secondFactorEndpoints,
  sessionEndpoints,
} from '@tollgate/contract'
import { type CallParts, callWith } from '../console/src/lib/call.ts'
import { totpCode } from '../server/testing/worlds/totp-code.ts'
import { FACTOR_TEXTS } from './second-factor-texts.ts'
import { addUser as addUserAgain, heading, sendLogin, signedIn } from './steps.ts'
import { type Texts, TEXTS } from './texts.ts'
import type { World } from './world.ts'

export const PASSWORD = 'a good password'

export type Factors = { secret: string; codes: string[] }

/** Writes to the database file what otherwise only time or another machine would change. */
function changeStored(world: World, statement: string, ...values: (string | number)[]) {
  const database = new DatabaseSync(path.join(world.folder, 'tollgate.db'))
  try {
    database.exec('pragma busy_timeout = 5000')
    database.prepare(statement).run(...values)
  } finally {
    database.close()
  }
}

const OF_USER = '(select id from users where username = ?)'

/** Makes the current code valid again, because each code works once. */
export const freshCode = (world: World, username: string, secret: string) => {
  changeStored(
    world,
    `update second_factors set totp_step = 0 where user_id = ${OF_USER}`,
    username,
  )
  return totpCode(secret)
}

/** Moves the last confirmation an hour into the past. */
export const ageConfirmation = (world: World, username: string) =>
  changeStored(
    world,
    `update sessions set confirmed_at = confirmed_at - 3600 where user_id = ${OF_USER}`,
    username,
  )

export const expireSignIns = (world: World, username: string) =>
  changeStored(world, `update auth_tickets set expires_at = 1 where user_id = ${OF_USER}`, username)

export const addUser = (world: World, username: string) => addUserAgain(world, username, PASSWORD)

/** Logs in through the API with this user agent; returns a function that calls endpoints. */
export async function apiOf(world: World, username: string, password = PASSWORD, browser = 'test') {
  let cookie = ''
  const send: typeof fetch = async (address, init) => {
    if (typeof address !== 'string') throw new TypeError('the paths of the contract are texts')
    const headers = new Headers(init?.headers)
    headers.set('cookie', cookie)
    headers.set('user-agent', browser)
    const response = await fetch(world.server.url + address, { ...init, headers })
    cookie ||= response.headers.getSetCookie()[0] ?? ''
    return response
  }
  const call = <E extends Endpoint>(endpoint: E, parts: EndpointCall<E> & CallParts) =>
    callWith({ language: 'en', fetch: send }, endpoint, parts)
  await call(sessionEndpoints.login, { body: { username, password } })
  return call
}

export async function addAuthenticator(
  world: World,
  username: string,
  password?: string,
): Promise<Factors> {
  const call = await apiOf(world, username, password)
  const { secret } = (await call(secondFactorEndpoints.beginTotp, {})).data
  const body = { code: totpCode(secret) }
  const { recovery_codes } = (await call(secondFactorEndpoints.enableTotp, { body })).data
  return { secret, codes: recovery_codes }
}

/** Completes the password step of a login. */
export async function logIn(page: Page, texts: Texts, username: string, password = PASSWORD) {
  await page.goto('/login')
  await sendLogin(page, texts, { username, password })
}

/** The settings page of a new user, who has logged in with the code of an app. */
export async function openWithApp(world: World, username: string) {
  await addUser(world, username)
  const factors = await addAuthenticator(world, username)
  const page = await world.open({ byName: true })
  await logIn(page, TEXTS.en, username)
  await codeField(page).fill(freshCode(world, username, factors.secret))
  await heading(page, TEXTS.en.pages.tokens).waitFor()
  await page.goto('/setting')
  return { page, ...factors }
}

/** The key that the open dialog shows. */
export async function shownSecret(page: Page) {
  const key = page.getByRole('dialog').getByLabel(FACTOR_TEXTS.en.key, { exact: true })
  return ((await key.textContent()) ?? '').replaceAll(' ', '')
}

export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

export const codeField = (page: Page) => page.getByLabel(FACTOR_TEXTS.en.code, { exact: true })

/** The settings page of a new user, who has no second factor yet. */
export async function openSettings(world: World, username: string) {
  await addUser(world, username)
  const session = await signedIn(world, { username, password: PASSWORD }, { byName: true })
  const page = await world.open({ byName: true, session })
  await page.goto('/setting')
  await region(page, FACTOR_TEXTS.en.app).waitFor()
  return page
}

/** A virtual authenticator that confirms by itself, as long as the page is open. */
export async function plugInPasskeys(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Everything a page keeps: storage, address, history, and the query and mutation caches. */
const KEPT = `(() => {
  const root = document.querySelector('#root')
  const fiber = root[Object.keys(root).find((key) => key.startsWith('__reactContainer$'))]
  const clientBelow = (first) => {
    for (let node = first; node; node = node.sibling) {
      const client = node.memoizedProps?.client
      const found = client?.getMutationCache ? client : clientBelow(node.child)
      if (found) return found
    }
  }
  const client = clientBelow(fiber)
  return JSON.stringify([
    localStorage, sessionStorage, location.href, history.state, document.title,
    client.getQueryCache().getAll().map(({ state }) => state),
    client.getMutationCache().getAll().map(({ state }) => state),
    document.documentElement.outerHTML,
  ])
})()`

/** Fails while the page still has any of the secrets; `known` must be there. */
export async function expectForgotten(page: Page, secrets: readonly string[], known: string) {
  expect(secrets.length).toBeGreaterThan(0)
  await expect
    .poll(async () => {
      const kept = await page.evaluate<string>(KEPT)
      return kept.includes(known) && secrets.filter((secret) => kept.includes(secret))
    })
    .toEqual([])
}
