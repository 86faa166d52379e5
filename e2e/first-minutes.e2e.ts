import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { channelEndpoints, userEndpoints } from '@tollgate/contract'
import { answerError, answerJson } from '../server/testing/fakes/scripted-upstream.ts'
import { sharedBrowser } from './browser.ts'
import { expectGoodLook } from './look.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { heading, message, sendLogin, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import { openWorld, type World } from './world.ts'

const CLICKS_MAX = 6
const FIRST = { username: 'root', password: '123456' }

const texts = TEXTS.en
let world: World

beforeEach(async () => {
  world = await openWorld(await sharedBrowser(), { INITIAL_ROOT_PASSWORD: '123456' })
  const chat = healthyProvider(usageOf(10, 0, 2))
  const list = answerJson({ data: [{ id: 'gpt-4o' }, { id: 'text-embedding-3-small' }] })
  world.upstream.script('openai', (response, call) =>
    call.path.endsWith('/models') ? list(response, call) : chat(response, call),
  )
})

afterEach(() => world.close())

/** Counts clicks over page loads. Clicks that the keyboard makes have no position. */
const countClicks = (page: Page) =>
  page.addInitScript(`addEventListener('click', ({ detail }) => {
    if (detail === 0) return
    sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks') ?? 0) + 1))
  }, true)`)

test('from an empty folder to an answer in the browser in six clicks', async () => {
  const page = await world.open()
  await countClicks(page)
  await page.goto('/login')
  await sendLogin(page, texts, FIRST)
  await message(page, texts.changePassword).waitFor()
  await page.getByLabel('New password').fill('a longer password')
  await page.getByRole('button', { name: texts.save }).click()

  const steps = page.getByRole('region', { name: 'Get your first answer' })
  await steps.getByText('0 of 3 done').waitFor()
  await message(page, texts.changePassword).waitFor({ state: 'detached' })
  await steps.getByRole('combobox', { name: 'Provider' }).click()
  const offered = await page.getByRole('option').allTextContents()
  expect(offered.filter((name, index) => offered.indexOf(name) !== index)).toEqual([])
  // Typing searches, although the field shows the current choice.
  await page.keyboard.type('custom')
  await page.getByRole('option', { name: texts.customChannel, exact: true }).click()
  await steps.getByLabel('Base URL').fill(world.upstream.baseUrl('openai'))
  await steps.getByLabel('API key').fill('sk-upstream')
  await steps.getByRole('button', { name: 'Connect' }).click()
  await steps.getByText('2 models').waitFor()
  await steps.getByText(/^Answered in/).waitFor()
  await steps.getByRole('button', { name: 'Send' }).click()
  await steps.getByRole('status').filter({ hasText: 'Hello there' }).waitFor()
  await steps.getByText('3 of 3 done').waitFor()
  expect(await page.evaluate(`Number(sessionStorage.getItem('clicks'))`)).toBeLessThanOrEqual(
    CLICKS_MAX,
  )

  // No step leads to the page that is open, and the next visit shows no steps.
  const targets = await steps
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(targets).toEqual(['/token/add', '/user/add', '/play'])
  await page.reload()
  await heading(page, texts.pages.home).waitFor()
  await page.getByText('Your account').waitFor()
  await expect.poll(() => steps.count()).toBe(0)
})

test('a wrong key and a failing test say why, and can be tried again', async () => {
  let isHealthy = false
  const chat = healthyProvider(usageOf(10, 0, 2))
  const list = answerJson({ data: [{ id: 'gpt-4o' }] })
  world.upstream.script('openai', (response, call) => {
    const key = String(call.headers['authorization'])
    if (key !== 'Bearer sk-right')
      return answerError(401, { message: 'Incorrect API key provided.' })(response, call)
    if (call.path.endsWith('/models')) return list(response, call)
    return isHealthy
      ? chat(response, call)
      : answerError(500, { message: 'The engine is off.' })(response, call)
  })
  const session = await signedIn(world, FIRST)
  const page = await world.open({ session })
  await page.goto('/')
  const steps = page.getByRole('region', { name: 'Get your first answer' })
  await steps.getByRole('button', { name: 'Connect' }).click()
  await steps.getByText('Enter a value.').waitFor()
  await steps.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: texts.customChannel, exact: true }).click()
  await steps.getByLabel('Base URL').fill(world.upstream.baseUrl('openai'))
  await steps.getByLabel('API key').fill('sk-wrong')
  await steps.getByRole('button', { name: 'Connect' }).click()
  await steps.getByRole('alert').filter({ hasText: 'Incorrect API key provided.' }).waitFor()
  const channels = () => world.asRoot(channelEndpoints.listChannels, { query: {} })
  expect((await channels()).data).toEqual([])

  await steps.getByLabel('API key').fill('sk-right')
  await steps.getByRole('button', { name: 'Connect' }).click()
  await steps.getByRole('alert').filter({ hasText: 'The engine is off.' }).waitFor()
  isHealthy = true
  await steps.getByRole('button', { name: 'Test' }).click()
  await steps.getByText(/^Answered in/).waitFor()
  expect((await channels()).data).toMatchObject([{ models: 'gpt-4o' }])
  await expectGoodLook(page)
})

test('a customer without balance finds one banner with one button', async () => {
  const EVE = { username: 'eve', password: 'eve is here' }
  await world.asRoot(userEndpoints.createUser, { body: EVE })
  const page = await world.open({ session: await signedIn(world, EVE) })
  await page.goto('/')
  const banner = message(page, 'Your account has no balance yet.')
  await banner.waitFor()
  const places = page.getByRole('main').getByRole('link')
  await expect
    .poll(() => places.allInnerTexts())
    .toEqual([
      'Top up now',
      'Models',
      'Tokens',
      'Play',
      'Top up',
      expect.stringMatching(/Claude Code/),
    ])
  await banner.getByRole('link').click()
  await heading(page, texts.pages.topUp).waitFor()
})
