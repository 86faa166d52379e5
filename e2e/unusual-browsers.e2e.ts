import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addEdited, PAGES } from './pages.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { goWithin, heading, message } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const texts = TEXTS.en
const HOUR_MS = 3_600_000

const world = openOneWorld(async () => {
  await addEdited(world)
  await world.asRoot(tokenEndpoints.createToken, {
    body: { name: 'laptop', unlimited_quota: true },
  })
  world.upstream.script('openai-main', healthyProvider(usageOf(10, 0, 2)))
})
const root = sessionOf(world)

function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', ({ message: text }) => errors.push(text))
  return errors
}

/** Opens every page by links. Some pages ask again until something happens. */
async function walk(page: Page) {
  await page.goto('/')
  for (const { path, title } of PAGES) {
    if (path === '/login' || path === '/register') continue
    await goWithin(page, path)
    await heading(page, title(texts)).waitFor()
  }
}

/** Functions that Chrome 109, Firefox 115 or Safari 16.4 lack. */
const OLDER = `
  const lacking = [
    [Array, ['fromAsync']],
    [Array.prototype, ['toReversed', 'toSorted', 'toSpliced', 'with']],
    [Object, ['groupBy']],
    [Map, ['groupBy']],
    [Promise, ['withResolvers', 'try']],
    [URL, ['canParse', 'parse']],
    [AbortSignal, ['any']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Set.prototype, ['union', 'intersection', 'difference', 'symmetricDifference',
      'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [Iterator.prototype, ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray',
      'forEach', 'some', 'every', 'find']],
    [ReadableStream.prototype, [Symbol.asyncIterator, 'values']],
    [globalThis, ['requestIdleCallback', 'cancelIdleCallback', 'scheduler']],
  ]
  for (const [owner, names] of lacking) for (const name of names) delete owner[name]
`

/** Does to the texts of a page what Google Translate does. */
const TRANSLATE = `
  const translate = () => {
    const walker = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    for (const text of texts) {
      if (text.parentElement.closest('font, script, style') || text.data.trim() === '') continue
      const outer = document.createElement('font')
      const inner = outer.appendChild(document.createElement('font'))
      inner.textContent = text.data
      text.replaceWith(outer)
    }
  }
  setInterval(translate, 50)
`

test('every page works in a browser of early 2023 that translates it, an hour slow', async () => {
  const page = await world.open({ session: root })
  await page.clock.setSystemTime(Date.now() - HOUR_MS)
  await page.addInitScript(OLDER)
  await page.addInitScript(`addEventListener('load', () => { ${TRANSLATE} })`)
  const errors = watchErrors(page)
  await walk(page)
  await goWithin(page, '/token')
  const status = async () => {
    const { data } = await world.asRoot(tokenEndpoints.listTokens, { query: {} })
    return data.find(({ name }) => name === 'laptop')?.status
  }
  // The translated words of the row stay as they are.
  for (const [action, wanted] of [
    [texts.disable, TOKEN_STATUS.disabled],
    [texts.enable, TOKEN_STATUS.enabled],
  ] as const) {
    await page.getByRole('button', { name: texts.actionsOf('laptop') }).click()
    await page.getByRole('menuitem', { name: action }).click()
    await expect.poll(status).toBe(wanted)
  }
  expect(errors).toEqual([])
})

test('a text that a translator has replaced can be removed, and something put before it', async () => {
  const page = await world.open()
  await page.goto('/login')
  await page.getByRole('main').waitFor()
  const left = await page.evaluate<string>(`{
    const line = document.createElement('p')
    const text = line.appendChild(document.createTextNode('translated'))
    text.replaceWith(document.createElement('font'))
    line.insertBefore(document.createElement('b'), text)
    line.removeChild(text)
    line.innerHTML
  }`)
  expect(left).toBe('<font></font><b></b>')
})

/** An address of this machine that, as those of other machines, browsers do not trust. */
function withoutTrust(): { baseURL: string; session: Session } {
  const baseURL = world.server.url.replace('127.0.0.1', '0.0.0.0')
  return {
    baseURL,
    session: {
      cookies: root.cookies.map((cookie) => ({ ...cookie, domain: '0.0.0.0' })),
      origins: root.origins.map((kept) => ({ ...kept, origin: baseURL })),
    },
  }
}

test('without HTTPS a key is copied, and the playground answers', async () => {
  const page = await world.open(withoutTrust())
  await page.goto('/token')
  const copy = page.getByRole('button', { name: texts.copyKey('laptop') })
  expect(await page.evaluate('isSecureContext')).toBe(false)
  await copy.click()
  await message(page, texts.copied).waitFor()
  const search = page.getByRole('search').getByRole('textbox')
  await search.focus()
  await page.keyboard.press('Control+v')
  await expect.poll(() => search.inputValue()).toMatch(/^sk-\w{48}$/)

  await page.goto('/play?model=gpt-4o')
  await page.getByRole('textbox', { name: 'Message' }).fill('Hi')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('Hello there').waitFor()
})
