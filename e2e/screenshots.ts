/**
 * Takes the screenshots of the docs: `node tools/build.mjs && node e2e/screenshots.ts`. All data
 * comes from real calls to a server on an empty folder. `--all FOLDER` takes every page in each
 * language, theme and width instead, from top to end, for visual checks.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { addEditedCode, PAGES } from './pages.ts'
import { toPalette } from './palette-png.ts'
import { fillWorld } from './realistic-world.ts'
import { heading, openFirstLog, signedIn } from './steps.ts'
import { type Language, type Texts, TEXTS } from './texts.ts'
import { openWorld, type Session, type World } from './world.ts'

const { all } = parseArgs({ options: { all: { type: 'string' } } }).values
const FOLDER = all ?? fileURLToPath(new URL('../docs/screenshots', import.meta.url))
const THEMES = ['light', 'dark'] as const
const HEIGHTS: Readonly<Record<number, number>> = { 1440: 900, 390: 844 }

type Shot = {
  name: string
  path: string
  title: (texts: Texts) => string
  signedOut?: true
  prepare?: (page: Page) => Promise<void>
}

const SHOTS: readonly Shot[] = [
  { name: 'login', path: '/login', title: ({ pages }) => pages.login, signedOut: true },
  { name: 'channels', path: '/channel', title: ({ pages }) => pages.channels },
  { name: 'channel-form', path: '/channel/edit/1', title: ({ pages }) => pages.channelEdit },
  { name: 'dashboard', path: '/dashboard', title: ({ pages }) => pages.dashboard },
  {
    name: 'prices',
    path: '/setting/prices',
    title: ({ pages }) => pages.settings,
  },
  { name: 'tokens', path: '/token', title: ({ pages }) => pages.tokens },
  {
    name: 'log',
    path: '/log?type=2',
    title: ({ pages }) => pages.logs,
    prepare: openFirstLog,
  },
]

const IN_CHINESE = new Set(['channels', 'dashboard', 'log'])

const SIGNED_OUT = new Set(['/login', '/register', '/reset'])

const EVERY_PAGE: readonly Shot[] = [
  ...PAGES.map(({ path: pagePath, title }): Shot => {
    const name = pagePath.slice(1).replaceAll('/', '-') || 'home'
    return { name, path: pagePath, title, ...(SIGNED_OUT.has(pagePath) && { signedOut: true }) }
  }),
  { name: 'receipt', path: '/log?type=2', title: ({ pages }) => pages.logs, prepare: openFirstLog },
]

async function takeChosen(world: World, session: Session) {
  for (const shot of SHOTS) {
    for (const width of [1440, 390]) {
      for (const theme of THEMES) {
        await take(world, session, { shot, width, theme, language: 'en' })
      }
    }
    if (!IN_CHINESE.has(shot.name)) continue
    await take(world, session, { shot, width: 1440, theme: 'light', language: 'zh' })
  }
}

async function takeEvery(world: World, session: Session) {
  for (const shot of EVERY_PAGE) {
    for (const width of [1440, 390]) {
      for (const theme of THEMES) {
        for (const language of ['en', 'zh'] as const) {
          await take(world, session, { shot, width, theme, language })
        }
      }
    }
  }
}

type Parts = { shot: Shot; width: number; theme: 'light' | 'dark'; language: Language }

async function take(world: World, session: Session, { shot, width, theme, language }: Parts) {
  const viewport = { width, height: HEIGHTS[width] ?? width }
  const page = await world.open({
    language,
    theme,
    viewport,
    ...(!shot.signedOut && { session }),
  })
  await page.goto(shot.path)
  await heading(page, shot.title(TEXTS[language])).waitFor()
  await page.waitForLoadState('networkidle')
  await shot.prepare?.(page)
  // A tooltip at the mouse would cover the page.
  await page.mouse.move(0, 0)
  await page.locator('[class*="_hint_"][aria-hidden]').waitFor({ state: 'detached' })
  const suffix = language === 'en' ? '' : `-${language}`
  const file = path.join(FOLDER, `${shot.name}-${theme}-${width}${suffix}.png`)
  const picture = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    fullPage: all !== undefined,
  })
  await writeFile(file, toPalette(picture))
  await page.context().close()
}

await mkdir(FOLDER, { recursive: true })
const browser = await launchBrowser()
try {
  const world = await openWorld(browser)
  try {
    await fillWorld(world, { hurried: false })
    await addEditedCode(world)
    const session = await signedIn(world)
    await (all === undefined ? takeChosen(world, session) : takeEvery(world, session))
  } finally {
    await world.close()
  }
} finally {
  await browser.close()
}
