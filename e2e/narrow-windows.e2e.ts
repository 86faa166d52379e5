import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LOG_TYPE } from '@tollgate/contract'
import { cutLabelsOf } from './cut-labels.ts'
import { changeRows } from './intercept.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { fillWorld } from './realistic-world.ts'
import { goWithin, heading, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const USUAL = 'accounts/a-team/models/qwen3-coder-480b-a35b-instruct-fp8'
const LONG = `${USUAL}-${USUAL}-${USUAL}`

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
  // Names have at most 180 pixels.
  await world.addChannel('production-of-the-team-in-europe', 'gpt-4o')
  for (const key of ['ModelRatio', 'ModelPrice']) {
    await world.setOption(key, { [LONG]: 2, [USUAL]: 2 })
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

/** Checks the log in a window that takes one size after the other. */
async function inWindows(
  sizes: readonly (readonly [width: number, height: number])[],
  check: (page: Page, size: string) => Promise<unknown>,
) {
  const page = await world.open({ session })
  await page.goto('/log?size=50')
  await heading(page, TEXTS.en.pages.logs).waitFor()
  await settled(page)
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height })
    await check(page, `${width} by ${height}`)
  }
}

test('a list scrolls in one place', () => {
  const scrolls = `[document.documentElement, document.querySelector('main table').parentElement]
    .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length`
  const sizes = [
    [1440, 400],
    [1440, 650],
    [1440, 900],
    [844, 390],
  ] as const
  return inWindows(sizes, (page, message) =>
    expect.poll(() => page.evaluate(scrolls), { message }).toBe(1),
  )
})

test('a long outcome is whole where the row has room', async () => {
  const page = await world.open({ session, viewport: { width: 1600, height: 800 } })
  const refused = { type: LOG_TYPE.consume, outcome: 'void', end_reason: 'request_refused' }
  await changeRows(page, '**/api/log/?*', (rows) => rows.map((row) => ({ ...row, ...refused })))
  await page.goto('/log?hide=type,content,group,request_id,prompt_tokens,token_name')
  const reason = page.getByText('the provider rejected this request').filter({ visible: true })
  const hidden = () =>
    reason.last().evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
  await expect.poll(hidden).toBe(0)
})

test('the head of a list stays below the header', () => {
  const gap = `document.querySelector('main th').getBoundingClientRect().top
    - document.querySelector('header').getBoundingClientRect().bottom`
  const sizes = [
    [1440, 400],
    [1024, 400],
    [390, 844],
  ] as const
  return inWindows(sizes, async (page, message) => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await expect.poll(() => page.evaluate(gap), { message }).toBe(0)
  })
})

test.each([
  [
    'k',
    [
      [1440, 400],
      [1440, 800],
      [390, 844],
    ],
  ],
  [
    'Shift+Tab',
    [
      [1440, 400],
      [1024, 800],
    ],
  ],
] as const)('the head of a list leaves the focus in view, with %s', (key, sizes) =>
  inWindows(sizes, async (page, size) => {
    const rows = page.locator('tr[data-row]')
    const last = (await rows.count()) - 1
    await rows.nth(last).focus()
    const gap = `document.activeElement.getBoundingClientRect().top
      - document.querySelector('main th').getBoundingClientRect().bottom`
    for (let row = last; row > 0; row -= 1) {
      await page.keyboard.press(key)
      expect(await page.evaluate(gap), `${size}, row ${row}`).toBeGreaterThanOrEqual(0)
    }
  }),
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
