import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { redemptionEndpoints, tokenEndpoints, userEndpoints } from '@tollgate/contract'
import { FRAME_TEXTS } from './frame-texts.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { hasFocus, heading, signedIn, tabTo, watchCalls, watchQueries } from './steps.ts'
import { TEXTS } from './texts.ts'

const ALICE = { username: 'alice', password: 'alice is here' }

let tokenPath: string
let apiKey: string

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
  await world.addChannel('openai-main', 'gpt-4o')
  const token = await world.asRoot(tokenEndpoints.createToken, { body: { name: 'web shop' } })
  tokenPath = `/token/edit/${token.data.id}`
  apiKey = `sk-${token.data.key}`
})
const session = sessionOf(world)

async function openPalette(page: Page, label: string) {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('dialog', { name: label }).getByRole('combobox')
  await field.waitFor()
  return field
}

const texts = TEXTS.en
const frame = FRAME_TEXTS.en

test('the palette leads to pages, channels, tokens and users without a mouse', async () => {
  const page = await world.open({ session })
  const { keyboard } = page
  await page.goto('/log')
  await heading(page, texts.pages.logs).waitFor()
  const opener = page.getByRole('button', { name: frame.palette })
  await tabTo(page, opener)
  await openPalette(page, frame.palette)
  await keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, opener)).toBe(true)

  const goals = [
    ['/topup', '/topup', frame.topUp],
    ['openai-m', '/channel/1', 'openai-main'],
    ['web sh', tokenPath, /./],
    ['alice', '/user/2', 'alice'],
  ] as const
  for (const [typed, path, title] of goals) {
    const field = await openPalette(page, frame.palette)
    await keyboard.type(typed)
    const options = page.getByRole('dialog').getByRole('option')
    await expect.poll(() => options.count()).toBe(1)
    const id = await options.and(page.getByRole('option', { selected: true })).getAttribute('id')
    expect(await field.getAttribute('aria-activedescendant')).toBe(id)
    await keyboard.press('Enter')
    await page.waitForURL(path)
    await heading(page, title).waitFor()
  }
  await openPalette(page, frame.palette)
  await keyboard.type('zzz')
  await page.getByText(frame.nothing).waitFor()
  await keyboard.press('Escape')
  await page.locator('h1').click()
  await keyboard.press('?')
  await page.getByRole('dialog', { name: frame.shortcuts }).waitFor()
})

test('the palette finds settings, models and redemption codes', async () => {
  const body = { name: 'spring gift', quota: 1000, batch: 'May sale' }
  await world.asRoot(redemptionEndpoints.createRedemptions, { body })
  const page = await world.open({ session })
  await page.goto('/log')
  const goals = [
    ['spring', 'spring gift', '/redemption/edit/1'],
    ['额度提醒', /./, '/setting/operation#monitoring'],
    ['gpt-4', /^gpt-4o/, '/catalog?keyword=gpt-4o'],
  ] as const
  for (const [typed, name, path] of goals) {
    await heading(page, /./).waitFor()
    await openPalette(page, FRAME_TEXTS.en.palette)
    await page.keyboard.type(typed)
    await page.getByRole('option', { name }).first().click()
    await page.waitForURL(path)
  }
})

test('a key in the palette finds its token, and is part of no address', async () => {
  const page = await world.open({ session })
  await page.goto('/log')
  await heading(page, /./).waitFor()
  const addresses = watchQueries(page, /./)
  const option = page.getByRole('option', { name: /^web shop/ })
  const secret = apiKey.replace('sk-', '')
  for (const pasted of [`Bearer ${apiKey}`, `OPENAI_API_KEY="${apiKey}"`, secret, apiKey]) {
    const field = await openPalette(page, FRAME_TEXTS.en.palette)
    await field.fill(pasted)
    await option.waitFor()
    if (pasted !== apiKey) await page.keyboard.press('Escape')
  }
  await option.click()
  await page.waitForURL('/user/token?user=1')
  await page.getByRole('cell', { name: 'web shop', exact: true }).waitFor()
  expect(addresses.filter((address) => address.includes(secret))).toEqual([])
})

test('the palette leads to the same setting again', async () => {
  const page = await world.open({ session })
  await page.goto('/setting/operation')
  const section = page.locator('#monitoring')
  const topOf = async () => (await section.boundingBox())?.y ?? 0
  const choose = async () => {
    await page.evaluate('scrollTo(0, 0)')
    await expect.poll(topOf).toBeGreaterThan(500)
    await openPalette(page, FRAME_TEXTS.en.palette)
    await page.keyboard.type('额度提醒')
    await page.getByRole('dialog').getByRole('option').first().click()
    await expect.poll(topOf).toBeLessThan(500)
  }
  await section.waitFor()
  await choose()
  await choose()
})

test('typing in the palette makes one request for each kind, and only for kinds of the role', async () => {
  const type = async (page: Page) => {
    const searches = watchCalls(page, /\/search\?/)
    await openPalette(page, FRAME_TEXTS.en.palette)
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.keyboard.type('web')
    await page.clock.runFor(150)
    await page.keyboard.type(' shop')
    await page.clock.runFor(190)
    expect(searches).toEqual([])
    await page.clock.runFor(20)
    await page.clock.resume()
    return searches
  }
  const admin = await world.open({ session })
  await admin.clock.install()
  await admin.goto('/log')
  await heading(admin, TEXTS.en.pages.logs).waitFor()
  const byAdmin = await type(admin)
  await admin.getByRole('option', { name: 'web shop' }).waitFor()
  const kinds = ['channel', 'redemption', 'token', 'user']
  await expect.poll(() => byAdmin.toSorted()).toEqual(kinds.map((kind) => `/api/${kind}/search`))

  const user = await world.open({ session: await signedIn(world, ALICE) })
  await user.clock.install()
  await user.goto('/token')
  await heading(user, TEXTS.en.pages.tokens).waitFor()
  const byUser = await type(user)
  await user.getByText('Nothing found for “web shop”.').waitFor()
  expect(byUser).toEqual(['/api/token/search'])
})

test("the palette has the menus' actions, and finds pages in the other language", async () => {
  const page = await world.open({ session })
  await page.goto('/log')
  await heading(page, TEXTS.en.pages.logs).waitFor()
  await openPalette(page, FRAME_TEXTS.en.palette)
  await page.keyboard.type('充值')
  await page.getByRole('option', { name: 'Top up' }).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('theme dark')
  await page.getByRole('option', { name: 'Theme: Dark' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await openPalette(page, FRAME_TEXTS.en.palette)
  await page.keyboard.type('language')
  await page.getByRole('option', { name: '中文' }).waitFor()
  await page.keyboard.press('Enter')
  await heading(page, TEXTS.zh.pages.logs).waitFor()
})

test('letters typed while the palette loads reach its field, and no field of the page', async () => {
  const page = await world.open({ session })
  await page.goto('/token/add')
  const name = page.getByLabel(TEXTS.en.tokenName, { exact: true })
  await name.fill('shop')
  const gate = Promise.withResolvers<null>()
  await page.route('**/*.js', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('openaix')
  await page.keyboard.press('Backspace')
  gate.resolve(null)
  const field = page.getByRole('dialog', { name: FRAME_TEXTS.en.palette }).getByRole('combobox')
  await field.waitFor()
  expect(await field.inputValue()).toBe('openai')
  await page.keyboard.type('-m')
  await page.getByRole('option', { name: 'openai-main' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await name.inputValue()).toBe('shop')
})
