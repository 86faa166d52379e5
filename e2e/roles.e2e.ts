import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfEndpoints, userEndpoints } from '@tollgate/contract'
import { launchBrowser } from './browser.ts'
import { heading, message, signedIn, signIn } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { openWorld, type World } from './world.ts'

const LANGUAGES: readonly Language[] = ['en', 'zh']
const ALICE = { username: 'alice', password: 'alice is here' }

let browser: Browser
let world: World

beforeAll(async () => {
  browser = await launchBrowser()
  world = await openWorld(browser)
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
})

afterAll(async () => {
  await world.close()
  await browser.close()
})

describe.each(LANGUAGES)('in %s', (language) => {
  const texts = TEXTS[language]

  test('an ordinary user is offered and shown nothing of an admin', async () => {
    const page = await world.open({ language })
    await signIn(page, texts, ALICE)
    await heading(page, texts.pages.tokens).waitFor()
    const menu = page.getByRole('navigation', { name: texts.mainMenu })
    expect(await menu.getByRole('link').allTextContents()).toEqual(texts.userMenu)
    for (const path of ['/channel', '/user']) {
      await page.goto(path)
      await message(page, texts.notAllowed).first().waitFor()
      expect(await page.getByRole('cell').count()).toBe(0)
      expect(await page.getByText('root').count()).toBe(0)
    }
  })

  test('a session revoked elsewhere leads to the login page, and back after it', async () => {
    const page = await world.open({ language })
    const name = `bob-${language}`
    await world.asRoot(userEndpoints.createUser, {
      body: { username: name, password: 'the first one' },
    })
    await signIn(page, texts, { username: name, password: 'the first one' })
    await heading(page, texts.pages.tokens).waitFor()

    const { data: users } = await world.asRoot(userEndpoints.searchUsers, {
      query: { keyword: name },
    })
    const id = users[0]?.id
    if (id === undefined) throw new Error('the user is gone')
    await world.asRoot(userEndpoints.updateUser, { body: { id, password: 'the second one' } })

    await page.getByRole('navigation').getByRole('link', { name: texts.menu.logs }).click()
    await page.waitForURL('/login?expired=true')
    await page.getByText(texts.loginExpired).waitFor()
    await page.getByLabel(texts.username).fill(name)
    await page.getByLabel(texts.password, { exact: true }).fill('the second one')
    await page.getByRole('main').getByRole('button', { name: texts.logIn, exact: true }).click()
    await page.waitForURL('/log')
  })

  test('nobody signed in is sent to the login page and back', async () => {
    const page = await world.open({ language })
    await page.goto('/log?p=0')
    await page.waitForURL('/login')
    await page.getByLabel(texts.username).fill(ALICE.username)
    await page.getByLabel(texts.password, { exact: true }).fill(ALICE.password)
    await page.getByRole('main').getByRole('button', { name: texts.logIn, exact: true }).click()
    await page.waitForURL('/log?p=0')
  })

  test('an empty list says what it is for, and a dead server offers another try', async () => {
    const brief = await openWorld(browser)
    try {
      const page = await brief.open({ language, session: await signedIn(brief) })
      await page.goto('/token')
      await page.getByText(texts.noTokens).waitFor()
      await page.goto('/channel')
      await page.getByText(texts.noChannels).waitFor()

      await brief.server.stop('SIGKILL')
      const search = page.getByRole('search').getByRole('textbox')
      await search.fill('openai')
      await search.press('Enter')
      await page.getByRole('button', { name: texts.tryAgain }).waitFor()
      await message(page, texts.unreachable).first().waitFor()
    } finally {
      await brief.close()
    }
  })
})

test('changing the own password keeps this browser signed in', async () => {
  const page = await world.open()
  const texts = TEXTS.en
  await world.asRoot(userEndpoints.createUser, {
    body: { username: 'carol', password: 'the first one' },
  })
  await signIn(page, texts, { username: 'carol', password: 'the first one' })
  const answer = await page.request.put(selfEndpoints.updateSelf.path, {
    data: { password: 'the second one' },
  })
  expect(await answer.json()).toMatchObject({ success: true })
})
