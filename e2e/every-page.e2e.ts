import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { FRAME_TEXTS } from './frame-texts.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { fillWorld } from './realistic-world.ts'
import { sharePage } from './shared-page.ts'
import { chooseAction, goWithin, heading, openFirstLog } from './steps.ts'
import { type Texts, TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import type { Session } from './world.ts'

const texts = TEXTS.en
const PHONE = { width: 390, height: 844 }

type Visit = {
  path: string
  title: (texts: Texts) => string
  signedOut?: true
  prepare?: (page: Page, texts: Texts) => Promise<void>
}

// Others are visited where they show more: the login, the start page, prices, bills and alerts.
const VISITS: readonly Visit[] = [
  { path: '/dashboard', title: ({ pages }) => pages.dashboard, prepare: readChart },
  { path: '/usage?metric=requests&by=channel', title: ({ pages }) => pages.usage },
  {
    path: '/dashboard?scope=mine&range=2d',
    title: ({ pages }) => pages.dashboard,
    prepare: openTable,
  },
  { path: '/catalog?sort=input', title: ({ pages }) => pages.catalog, prepare: openFirstModel },
  { path: '/channel', title: ({ pages }) => pages.channels },
  { path: '/channel?status=2,3&sort=name', title: ({ pages }) => pages.channels },
  { path: '/channel/add', title: ({ pages }) => pages.channelForm, prepare: submitEmpty },
  { path: '/channel/edit/1', title: ({ pages }) => pages.channelEdit },
  { path: '/token', title: ({ pages }) => pages.tokens },
  { path: '/token/add', title: ({ pages }) => pages.tokenForm, prepare: submitEmpty },
  { path: '/play', title: ({ pages }) => pages.play, prepare: askBoth },
  { path: '/token/connect/1', title: ({ pages }) => pages.connect },
  { path: '/log?size=10', title: ({ pages }) => pages.logs, prepare: openFirstLog },
  { path: '/user', title: ({ pages }) => pages.users },
  { path: '/user/2?tab=ledger', title: () => 'alice' },
  { path: '/user/edit/2', title: ({ pages }) => pages.userForm },
  { path: '/user/edit', title: ({ pages }) => pages.account },
  { path: '/setting', title: ({ pages }) => pages.settings },
  { path: '/setting/operation', title: ({ pages }) => pages.settings },
  { path: '/setting/system', title: ({ pages }) => pages.settings },
  { path: '/setting/other', title: ({ pages }) => pages.settings },
  { path: '/redemption', title: ({ pages }) => pages.redemptions },
  { path: '/redemption/add', title: ({ pages }) => pages.redemptionForm },
  { path: '/topup', title: ({ pages }) => pages.topUp },
  { path: '/partnerplan', title: ({ pages }) => pages.partnerPlan },
  { path: '/terms', title: ({ pages }) => pages.terms, signedOut: true },
  { path: '/pricing', title: ({ pages }) => pages.pricing },
  { path: '/no/such/page', title: ({ pages }) => pages.notFound },
]

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
})
const session = sessionOf(world)

async function submitEmpty(page: Page, texts: Texts) {
  await page.getByRole('button', { name: texts.save }).click()
  await page.locator('[aria-invalid=true]').first().waitFor()
}

async function askBoth(page: Page) {
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await page.keyboard.press('Enter')
  const answers = page.getByRole('log').getByRole('article')
  await expect.poll(() => answers.getByRole('link', { name: 'Receipt' }).count()).toBe(2)
}

async function openFirstModel(page: Page) {
  await page.getByRole('button', { name: texts.open('gpt-4o'), exact: true }).click()
  await page.getByRole('group', { name: 'Language of the code' }).waitFor()
}

async function readChart(page: Page) {
  await page.getByRole('slider').first().focus()
}

/** Replaces the chart by a table of its values. */
async function openTable(page: Page) {
  await readChart(page)
  await page.keyboard.press('t')
  await page.getByRole('slider').waitFor({ state: 'detached' })
}

const loaded = (given?: Session) => async () => {
  const page = await world.open(given && { session: given })
  // The clock of this computer was never set. unusual-browsers.e2e.ts has one that is slow.
  await page.clock.setSystemTime(60_000)
  await page.goto('/terms')
  await settled(page)
  return page
}
const signedInPage = sharePage(() => loaded(session)(), { staysLoaded: true })
const signedOutPage = sharePage(loaded(), { staysLoaded: true })

test.each(VISITS)('$path is accessible', async (visit) => {
  const { page, thrown, logged } = await (visit.signedOut ? signedOutPage() : signedInPage())
  await goWithin(page, visit.path)
  await heading(page, visit.title(texts)).waitFor()
  await settled(page)
  await visit.prepare?.(page, texts)

  await expectGoodLook(page, 'html', async (language) => {
    await heading(page, visit.title(TEXTS[language])).waitFor()
    expect(await page.title()).toMatch(/ · Tollgate$/)
  })
  expect([...thrown, ...logged]).toEqual([])
})

test('the open menus and a dialog are accessible', async () => {
  const page = await world.open({ session, viewport: PHONE })
  await page.goto('/token')
  await page.getByRole('button', { name: texts.menuButton }).click()
  await page.getByRole('dialog').waitFor()
  await expectGoodLook(page, '[role=dialog]')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const keys of ['Control+k', '?']) {
    await page.keyboard.press(keys)
    await page.getByRole('dialog').waitFor()
    await expectGoodLook(page, 'dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: texts.actionsOf('web shop') }).click()
  await page.getByRole('menuitem', { name: texts.delete }).waitFor()
  await expectGoodLook(page, '[role=menu]')
  // The change of language has closed the menu.
  await page.keyboard.press('Escape')
  await chooseAction(page, texts, 'web shop', texts.delete)
  await page.getByRole('dialog').waitFor()
  await expectGoodLook(page, '[role=dialog]')
})

test('a page that cannot be loaded says so and is accessible', async () => {
  const page = await world.open({ session })
  await page.route(/\/static\/js\/setting-page[^/]*\.js/, (route) => route.abort())
  await page.goto('/setting')
  await heading(page, texts.pages.error).waitFor()
  await page.getByText(FRAME_TEXTS.en.chunk).waitFor()
  await expectGoodLook(page)
})

test('a page whose styles were lost is not shown without them', async () => {
  const page = await world.open({ session })
  const styles = /\/static\/assets\/logs-page[^/]*\.css/
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()
  await page.route(styles, (route) => route.abort())
  const open = async (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await open(texts.pages.logs)
  await heading(page, texts.pages.error).waitFor()
  await page.unroute(styles)
  await open(texts.pages.tokens)
  await heading(page, texts.pages.tokens).waitFor()
  await open(texts.pages.logs)
  await heading(page, texts.pages.logs).waitFor()
  const split = `document.querySelector('main [class*=split]')`
  expect(await page.evaluate(`getComputedStyle(${split}).display`)).toBe('grid')
})
