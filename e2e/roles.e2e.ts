import { expect, test } from 'vitest'
import { selfEndpoints, userEndpoints } from '@tollgate/contract'
import { openOneWorld } from './one-world.ts'
import { heading, message, sendLogin, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'

// translations.ts proves the Chinese texts.
const texts = TEXTS.en
const ALICE = { username: 'alice', password: 'alice is here' }

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
})

test('a user sees no function of an administrator', async () => {
  const page = await world.open({ session: await signedIn(world, ALICE) })
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()
  const menu = page.getByRole('navigation', { name: texts.mainMenu })
  const entries = menu.getByRole('link')
  await expect.poll(() => entries.allTextContents()).toEqual(texts.userMenu)
  for (const path of ['/channel', '/user']) {
    await page.goto(path)
    await message(page, texts.notAllowed).first().waitFor()
    expect(await page.getByRole('cell').count()).toBe(0)
    expect(await page.getByText('root').count()).toBe(0)
  }
})

test('a session revoked elsewhere leads to the login page, and returns after it', async () => {
  const first = { username: 'bob', password: 'the first one' }
  const { data } = await world.asRoot(userEndpoints.createUser, { body: first })
  const page = await world.open({ session: await signedIn(world, first) })
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()

  const change = { id: data.id, password: 'the second one' }
  await world.asRoot(userEndpoints.updateUser, { body: change })

  await page.getByRole('navigation').getByRole('link', { name: texts.menu.logs }).click()
  await page.waitForURL('/login?expired=true')
  await page.getByText(texts.loginExpired).waitFor()
  await sendLogin(page, texts, { ...first, password: 'the second one' })
  await page.waitForURL('/log')
})

test('a visitor is sent to the login page and returns', async () => {
  const page = await world.open()
  await page.goto('/log?p=0')
  await page.waitForURL('/login')
  await sendLogin(page, texts, ALICE)
  await page.waitForURL('/log?p=0')
})
test('changing the password keeps this browser logged in', async () => {
  const carol = { username: 'carol', password: 'the first one' }
  await world.asRoot(userEndpoints.createUser, { body: carol })
  const page = await world.open({ session: await signedIn(world, carol) })
  const answer = await page.request.put(selfEndpoints.updateSelf.path, {
    data: { password: 'the second one' },
  })
  expect(await answer.json()).toMatchObject({ success: true })
})

// Must run last: it stops the server.
test('an empty list explains its purpose, and an unreachable server offers a retry', async () => {
  const page = await world.open({ session: await signedIn(world) })
  await page.goto('/token')
  await page.getByText(texts.noTokens).waitFor()
  await page.goto('/channel')
  await page.getByText(texts.noChannels).waitFor()
  await world.server.stop('SIGKILL')
  const search = page.getByRole('search').getByRole('textbox')
  await search.fill('openai')
  await search.press('Enter')
  await page.getByRole('button', { name: texts.tryAgain }).waitFor()
  await message(page, texts.unreachable).first().waitFor()
})
