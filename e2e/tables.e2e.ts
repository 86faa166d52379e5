import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { redemptionEndpoints, tokenEndpoints, userEndpoints } from '@tollgate/contract'
import { openOneWorld } from './one-world.ts'
import {
  clipboard,
  hasFocus,
  message,
  rowOf,
  saveFile,
  signedIn,
  tabTo,
  watchCalls,
} from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session } from './world.ts'

const texts = TEXTS.en
const PHONE = { width: 390, height: 844 }
const PASSWORD = 'a long password'
const UNLIMITED = { unlimited_quota: true }

let session: Session

const world = openOneWorld(async () => {
  session = await signedIn(world)
})

let usersMade = 0

/** A new user per test, so that lists do not mix and a test can be retried. */
async function newUser(name: string) {
  usersMade += 1
  const username = `${name}${usersMade}`
  const { data } = await world.asRoot(userEndpoints.createUser, {
    body: { username, password: PASSWORD },
  })
  return data
}

/** A page that no console is loaded into yet. */
async function asUser(name: string) {
  const { username } = await newUser(name)
  const session = await signedIn(world, { username, password: PASSWORD })
  const page = await world.open({ session })
  await deleteTokens(page)
  return page
}

const tokensAnswer = z.object({ data: z.array(z.object({ id: z.int(), name: z.string() })) })

/** Deletes the tokens with the session of the page, as another tab would. */
async function deleteTokens({ request }: Page, name = '') {
  const { data } = tokensAnswer.parse(await (await request.get('/api/token/')).json())
  for (const token of data) {
    if (token.name.startsWith(name)) await request.delete(`/api/token/${token.id}`)
  }
}

/** Creates tokens of these names with the session of the page. */
async function addTokens({ request }: Page, names: readonly string[], limit: object = UNLIMITED) {
  const { path } = tokenEndpoints.createToken
  await Promise.all(
    names.map(async (name) => {
      const answer = await request.post(path, { data: { name, ...limit } })
      expect(await answer.json()).toMatchObject({ success: true })
    }),
  )
}

async function saveCsv(page: Page): Promise<{ name: string; lines: string[] }> {
  const { name, text } = await saveFile(page, page.getByRole('button', { name: texts.csv }))
  expect(text).toMatch(/^\uFEFF[^]*\r\n$/)
  return { name, lines: text.slice(1, -2).split('\r\n') }
}

const number = (index: number) => String(index).padStart(3, '0')

test('the CSV file has all rows of the filter in the shown order, and no cell that runs', async () => {
  const page = await asUser('csv')
  const hostile = ['=1+1', '-2+3', '@SUM(A1)', 'a,"b"', '李伟 <b>x</b>']
  const plain = Array.from({ length: 245 }, (_, index) => `name ${number(index)}`)
  await addTokens(page, [...hostile, ...plain], { remain_quota: 7 })

  await page.goto('/token?sort=name&order=asc&size=10')
  const asked = watchCalls(page, /size=100/)
  // The second page is rejected once with 429.
  await page.route(
    /size=100.*p=1|p=1&.*size=100/,
    (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: '{}' }),
    { times: 1 },
  )
  const { name, lines } = await saveCsv(page)
  await message(page, texts.csvSaved(250)).waitFor()
  expect(name).toMatch(/^Tokens \d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.csv$/)
  expect(lines[0]).toBe(
    'ID,Name,Status,Used quota,Remaining quota,Models,Created,Expires,Last used',
  )
  expect(lines).toHaveLength(251)
  const names = lines.slice(1).map((line) => /^\d+,("(?:[^"]|"")*"|[^,]*),/.exec(line)?.[1])
  expect(names.filter((cell) => cell?.startsWith('name'))).toEqual(plain)
  for (const cell of ["'=1+1", "'-2+3", "'@SUM(A1)", '"a,""b"""', '李伟 <b>x</b>']) {
    expect(names).toContain(cell)
  }
  expect(asked).toHaveLength(4)

  await page.goto('/token?keyword=name+00')
  const found = await saveCsv(page)
  expect(found.lines).toHaveLength(11)

  await page.goto('/token?keyword=name')
  await page.getByText('1–50 of 100+', { exact: true }).waitFor()
  const cut = await saveCsv(page)
  expect(cut.lines).toHaveLength(101)
  await message(page, 'Only the first 100 rows were saved.').waitFor()

  await page.goto('/token?size=10')
  await page.route(/before=/, (route) => route.fulfill({ status: 500, body: '{}' }))
  let downloads = 0
  page.on('download', () => (downloads += 1))
  await page.getByRole('button', { name: texts.csv }).click()
  await message(page, texts.internalError).waitFor()
  await page.getByRole('button', { name: texts.csv }).waitFor()
  expect(downloads).toBe(0)
})

test('rows are selected and deleted by keyboard, and the focus stays in the table', async () => {
  const page = await asUser('chooser')
  await addTokens(page, ['a', 'b', 'c', 'd', 'e'])
  await page.goto('/token?sort=name&order=asc')
  const { keyboard } = page
  await rowOf(page, 'a').waitFor()
  await keyboard.press('j')
  await expect.poll(() => hasFocus(page, rowOf(page, 'a'))).toBe(true)
  await keyboard.press('j')
  await keyboard.press('x')
  await keyboard.press('j')
  await keyboard.press('j')
  await keyboard.press('Shift+ ')
  const bar = page.getByRole('group', { name: texts.selectionBar })
  await bar.getByText(texts.selected(3)).waitFor()
  await bar.getByRole('button', { name: 'Copy keys' }).click()
  await message(page, texts.copied).waitFor()
  expect(await clipboard(page)).toMatch(/^(?:sk-\w{48}\n?){3}$/)
  await tabTo(page, bar.getByRole('button', { name: texts.delete }))
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await tabTo(page, dialog.getByRole('button', { name: texts.deleteTokens(3) }))
  await keyboard.press('Enter')
  await message(page, texts.bulkDone(3)).waitFor()
  await bar.waitFor({ state: 'detached' })
  await rowOf(page, 'b').waitFor({ state: 'detached' })
  await expect
    .poll(() => page.locator('tr[data-row] td:nth-child(3)').allTextContents())
    .toEqual(['a', 'e'])
  await expect.poll(() => page.evaluate<string>('document.activeElement.tagName')).toBe('TR')

  await keyboard.press('Home')
  await expect.poll(() => hasFocus(page, rowOf(page, 'a'))).toBe(true)
  await page.getByRole('checkbox', { name: texts.selectAll }).click()
  await bar.getByText(texts.selected(2)).waitFor()
  await keyboard.press('Escape')
  await rowOf(page, 'a').press('Escape')
  await bar.waitFor({ state: 'detached' })
})

test('a bulk action reports how many failed and why, and handles the others', async () => {
  const page = await asUser('bulk')
  await addTokens(page, ['a', 'b', 'c'])
  await page.goto('/token?sort=name&order=asc')
  await rowOf(page, 'b').waitFor()
  await deleteTokens(page, 'b')
  await page.getByRole('checkbox', { name: texts.selectAll }).click()
  const bar = page.getByRole('group', { name: texts.selectionBar })
  await bar.getByRole('button', { name: texts.disable }).click()
  await message(page, /^2 done, 1 failed: .*token.*/i).waitFor()
  await expect.poll(() => page.getByRole('cell', { name: 'disabled' }).count()).toBe(2)
  await rowOf(page, 'b').waitFor({ state: 'detached' })
})

test('on a phone no list scrolls sideways, and columns without room open below their row', async () => {
  await world.asRoot(tokenEndpoints.createToken, {
    body: { name: 'thirty characters of a name xx', remain_quota: 999_999_999_999 },
  })
  await world.asRoot(redemptionEndpoints.createRedemptions, {
    body: { name: 'twenty characters xx', quota: 999_999_999_999, count: 2 },
  })
  const page = await world.open({ session, viewport: PHONE })
  for (const path of ['/token', '/user', '/redemption']) {
    await page.goto(path)
    await page.locator('tr[data-row]').first().waitFor()
    const sideways = await page.evaluate<number>(`(() => {
      const frame = document.querySelector('[role=region][aria-label]')
      return frame.scrollWidth - frame.clientWidth
    })()`)
    expect([path, sideways]).toEqual([path, 0])
  }
  await page.goto('/token')
  const name = 'thirty characters of a name xx'
  await page.getByRole('button', { name: texts.open(name) }).click()
  await page.getByRole('button', { name: texts.copyKey(name) }).click()
  await message(page, texts.copied).waitFor()
  expect(await clipboard(page)).toMatch(/^sk-\w{48}$/)
})

test('sort and page are part of the address, and going back restores them', async () => {
  const page = await asUser('pager')
  await addTokens(
    page,
    Array.from({ length: 25 }, (_, index) => `n${number(index)}`),
  )
  await page.goto('/token?size=10')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await rowOf(page, 'n000').waitFor()
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await rowOf(page, 'n024').waitFor()
  await page.getByRole('button', { name: texts.nextPage }).click()
  await rowOf(page, 'n014').waitFor()
  await page.getByRole('button', { name: texts.nextPage }).click()
  await rowOf(page, 'n000').waitFor()
  await page.goBack()
  await rowOf(page, 'n014').waitFor()
  expect(new URL(page.url()).searchParams.get('sort')).toBe('name')
  await page.reload()
  await rowOf(page, 'n005').waitFor()
})

test('the first, the last and the neighbouring pages can be chosen', async () => {
  const page = await asUser('browser')
  await addTokens(page, ['one'])
  await page.route(/api\/token\/\?/, async (route) => {
    const url = route.request().url().replace(/p=\d+/, 'p=0')
    const response = await route.fetch({ url })
    await route.fulfill({ response, headers: { ...response.headers(), 'x-total-count': '200' } })
  })
  await page.goto('/token?size=10&p=9')
  await rowOf(page, 'one').waitFor()
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('button')
  const shown = async () => (await pages.allTextContents()).filter((text) => /^\d+$/.test(text))
  await expect.poll(shown).toEqual(['1', '9', '10', '11', '20'])
  await page.getByRole('button', { name: 'Page 20', exact: true }).click()
  await page.waitForURL(/p=19/)
})

test('a text the browser refuses to copy is selected in the search field', async () => {
  const page = await asUser('copier')
  await addTokens(page, ['laptop'])
  await page.addInitScript(
    "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))",
  )
  await page.goto('/token')
  await page.getByRole('button', { name: texts.copyKey('laptop') }).click()
  await message(page, texts.copyManually).waitFor()
  const field = page.getByRole('search').getByRole('textbox')
  const key = await field.inputValue()
  expect(key).toMatch(/^sk-\w{48}$/)
  const selected = await page.evaluate<string>(
    '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
  )
  expect(selected).toBe(key)
  await page.keyboard.press('Enter')
  expect(page.url()).not.toContain(key)
})

test('an exhausted token cannot be enabled, and the list says why', async () => {
  const page = await asUser('empty')
  await addTokens(page, ['spent'], {})
  await page.goto('/token')
  await rowOf(page, 'spent').getByText('exhausted').waitFor()
  await page.getByRole('button', { name: texts.actionsOf('spent') }).click()
  const enable = page.getByRole('menuitem', { name: new RegExp(`^${texts.enable}`) })
  expect(await enable.getAttribute('aria-disabled')).toBe('true')
  expect(await enable.innerText()).toContain('no quota left')
})

test('the bar of a selection stays in a low window', async () => {
  const page = await world.open({ session, viewport: { width: 1440, height: 280 } })
  await page.goto('/user')
  await page.locator('tr[data-row]').first().getByRole('checkbox').click()
  await page.evaluate('scrollTo(0, 0)')
  const bar = await page.getByRole('button', { name: 'Disable', exact: true }).boundingBox()
  expect((bar?.y ?? 280) + (bar?.height ?? 0)).toBeLessThanOrEqual(280)
})

test('a deleted view of the log can be restored', async () => {
  const page = await world.open({ session })
  await page.goto('/log?outcome=failed')
  const menu = page.getByRole('button', { name: 'Saved views' })
  await menu.click()
  await page.getByLabel('Name of this view').fill('Faults')
  await page.keyboard.press('Enter')
  await menu.click()
  await page.getByRole('button', { name: 'Delete the view Faults' }).click()
  const view = page.getByRole('link', { name: 'Faults' })
  await view.waitFor({ state: 'detached' })
  await page.getByLabel('Name of this view').fill('Later')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Undo' }).click()
  if (!(await view.isVisible())) await menu.click()
  await view.waitFor()
  await page.getByRole('link', { name: 'Later' }).waitFor()
})
