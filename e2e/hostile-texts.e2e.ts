import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { overflowOf } from './accessibility.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addEditedCode, PAGES } from './pages.ts'
import { fillWorld } from './realistic-world.ts'
import { sharePage } from './shared-page.ts'
import { openWithin } from './steps.ts'
import { settled } from './traffic.ts'

const HTML = `"><img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>{{t}}$t(x)`

/** HTML between right-to-left and stacked marks. The end does not fit, and may not be broken. */
const TEXT = [
  `\u202Eadmin\u202C ${HTML} `,
  'Z\u0351\u036B\u0343'.repeat(200),
  'w'.repeat(5000),
  '长'.repeat(5000),
].join('')

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
  await addEditedCode(world)
})
const session = sessionOf(world)

function fillWith(text: string, value: unknown): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => fillWith(text, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, fillWith(text, item)]),
  )
}

async function answerWith(page: Page, text: string) {
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/api/status') return route.continue()
    const response = await route.fetch()
    const body: unknown = await response.json()
    return route.fulfill({ response, json: fillWith(text, body) })
  })
}

const ROWS = PAGES.filter(({ reads }) => reads)

const phone = sharePage(
  async () => {
    const page = await world.open({ session, viewport: { width: 390, height: 844 } })
    await answerWith(page, TEXT)
    await page.goto('/')
    return page
  },
  { staysLoaded: true },
)

test.each(ROWS)('$path shows a hostile text as a text in its place', async (row) => {
  const { page, thrown } = await phone()
  await openWithin(page, row.path)
  await settled(page)
  expect(await page.evaluate('globalThis.harmed')).toBeUndefined()
  expect(await page.locator('main img[onerror], main script').count()).toBe(0)
  expect(await overflowOf(page)).toBe(0)
  expect(thrown).toEqual([])
})
