import { expect, test } from 'vitest'
import { z } from 'zod'
import { channelEndpoints, LOG_TYPE, optionEndpoints } from '@tollgate/contract'
import { cutLabelsOf } from './cut-labels.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { fillWorld } from './realistic-world.ts'
import { goWithin, heading, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const rows = z.looseObject({ data: z.array(z.looseObject({})) })

const USUAL = 'accounts/a-team/models/qwen3-coder-480b-a35b-instruct-fp8'
const LONG = `${USUAL}-${USUAL}-${USUAL}`

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
  // Names have at most 180 pixels.
  const named = { type: 8, name: 'production-of-the-team-in-europe', key: 'sk-1', models: 'gpt-4o' }
  const base_url = world.upstream.baseUrl('openai-eu')
  await world.asRoot(channelEndpoints.createChannels, { body: { ...named, base_url } })
  for (const key of ['ModelRatio', 'ModelPrice']) {
    const value = JSON.stringify({ [LONG]: 2, [USUAL]: 2 })
    await world.asRoot(optionEndpoints.updateOption, { body: { key, value } })
  }
})
const session = sessionOf(world)

test.each(['en', 'zh'] as const)(
  'the table of channels fits a window of 1280 pixels, in %s',
  async (language) => {
    const page = await world.open({ session, language, viewport: { width: 1280, height: 800 } })
    await page.goto('/channel')
    await heading(page, TEXTS[language].pages.channels).waitFor()
    await rowOf(page, 'openai-main').waitFor()
    await page.waitForLoadState('networkidle')
    const room = `(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth)(
      document.querySelector('main table').parentElement)`
    await expect.poll(() => page.evaluate(room)).toBe(0)
  },
)

test.each([1280, 390])(
  'a long name of a model is whole in a window of %i pixels',
  async (width) => {
    const page = await world.open({ session, viewport: { width, height: 800 } })
    await page.goto('/setting/operation')
    await page.getByLabel('Search, or name a new model').fill('accounts/a-team')
    const names = [
      page.getByRole('rowheader', { name: USUAL, exact: true }).locator('span'),
      page.getByLabel('Model, row 1', { exact: true }),
    ]
    for (const name of names) {
      await name.waitFor()
      const hidden = await name.evaluate(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
          scrollWidth - clientWidth,
          scrollHeight - clientHeight,
        ],
      )
      expect(hidden).toEqual([0, 0])
    }
    // Two lines have no room for such a name.
    const button = page.getByRole('button', { name: LONG, exact: true })
    const hint = page.locator('[class*="_hint_"][aria-hidden]')
    // The page may still scroll, which closes a hint.
    const press = async () => {
      await button.click()
      return hint.allTextContents()
    }
    await expect.poll(press).toEqual([LONG])
  },
)

test.each(['en', 'zh'] as const)('no label of a list is cut, in %s', async (language) => {
  const page = await world.open({ session, language })
  await page.goto('/user')
  const { pages } = TEXTS[language]
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    for (const [path, title] of [
      ['/user', pages.users],
      ['/channel', pages.channels],
      ['/token', pages.tokens],
      ['/redemption', pages.redemptions],
      ['/catalog', pages.catalog],
      ['/log', pages.logs],
    ] as const) {
      await goWithin(page, path)
      await heading(page, title).waitFor()
      await settled(page)
      expect(await cutLabelsOf(page), path).toEqual([])
    }
  }
})

test.each([
  [1440, 400],
  [1440, 650],
  [1440, 900],
  [844, 390],
])('a list of %i by %i pixels scrolls in one place', async (width, height) => {
  const page = await world.open({ session, viewport: { width, height } })
  await page.goto('/log')
  await heading(page, TEXTS.en.pages.logs).waitFor()
  await settled(page)
  const scrolls = `[document.documentElement, document.querySelector('main table').parentElement]
    .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length`
  await expect.poll(() => page.evaluate(scrolls)).toBe(1)
})

test('a long outcome is whole where the row has room', async () => {
  const page = await world.open({ session, viewport: { width: 1600, height: 800 } })
  await page.route('**/api/log/?*', async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = rows.parse(await response.json())
    const refused = { type: LOG_TYPE.consume, outcome: 'void', end_reason: 'request_refused' }
    const json = { ...rest, data: data.map((row) => ({ ...row, ...refused })) }
    await route.fulfill({ response, json })
  })
  await page.goto('/log?hide=type,content,group,request_id,prompt_tokens,token_name')
  const reason = page.getByText('the provider rejected this request').filter({ visible: true })
  const hidden = () =>
    reason.last().evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
  await expect.poll(hidden).toBe(0)
})

test.each([
  [1440, 400],
  [1024, 400],
  [390, 844],
])('the head of a list stays below the header in a window of %i by %i', async (width, height) => {
  const page = await world.open({ session, viewport: { width, height } })
  await page.goto('/log')
  await heading(page, TEXTS.en.pages.logs).waitFor()
  await settled(page)
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  const gap = `document.querySelector('main th').getBoundingClientRect().top
    - document.querySelector('header').getBoundingClientRect().bottom`
  await expect.poll(() => page.evaluate(gap)).toBe(0)
})

test.each([
  [1440, 400, 'k'],
  [1440, 800, 'k'],
  [390, 844, 'k'],
  [1440, 400, 'Shift+Tab'],
  [1024, 800, 'Shift+Tab'],
] as const)(
  'the head of a list leaves the focus in view, in a window of %i by %i pixels, with %s',
  async (width, height, key) => {
    const page = await world.open({ session, viewport: { width, height } })
    await page.goto('/log?size=50')
    await heading(page, TEXTS.en.pages.logs).waitFor()
    await settled(page)
    const rows = page.locator('tr[data-row]')
    const last = (await rows.count()) - 1
    await rows.nth(last).focus()
    const gap = `document.activeElement.getBoundingClientRect().top
      - document.querySelector('main th').getBoundingClientRect().bottom`
    for (let row = last; row > 0; row -= 1) {
      await page.keyboard.press(key)
      expect(await page.evaluate(gap), `row ${row}`).toBeGreaterThanOrEqual(0)
    }
  },
)

test('the next page of a list begins in view in a low window', async () => {
  const page = await world.open({ session, viewport: { width: 844, height: 390 } })
  await page.goto('/log?size=10')
  await heading(page, TEXTS.en.pages.logs).waitFor()
  await settled(page)
  await page.getByRole('button', { name: TEXTS.en.nextPage }).click()
  await settled(page)
  const top = `document.querySelector('main tbody tr').getBoundingClientRect().top`
  const isInView = async () => {
    const y = await page.evaluate<number>(top)
    return y > 0 && y < 390
  }
  await expect.poll(isInView).toBe(true)
})
