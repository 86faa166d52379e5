/**
 * Takes the pictures of the docs: `node tools/build.mjs && node e2e/screenshots.ts`. Everything on
 * them is made by real calls to a server on an empty folder, so they show the console as it is.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { fillWorld } from './believable-world.ts'
import { launchBrowser } from './browser.ts'
import { toPalette } from './palette-png.ts'
import { heading, openFirstLog, signedIn } from './steps.ts'
import { type Language, type Texts, TEXTS } from './texts.ts'
import { openWorld, type Session, type World } from './world.ts'

const FOLDER = fileURLToPath(new URL('../docs/screenshots', import.meta.url))
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
  { name: 'tokens', path: '/token', title: ({ pages }) => pages.tokens },
  { name: 'log', path: '/log', title: ({ pages }) => pages.logs, prepare: openFirstLog },
]

const IN_CHINESE = new Set(['channels', 'log'])

async function takeAll(world: World) {
  await fillWorld(world, { hurried: false })
  const session = await signedIn(world)
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
  const suffix = language === 'en' ? '' : `-${language}`
  const file = path.join(FOLDER, `${shot.name}-${theme}-${width}${suffix}.png`)
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await writeFile(file, toPalette(picture))
  await page.context().close()
}

await mkdir(FOLDER, { recursive: true })
const browser = await launchBrowser()
try {
  const world = await openWorld(browser)
  try {
    await takeAll(world)
  } finally {
    await world.close()
  }
} finally {
  await browser.close()
}
