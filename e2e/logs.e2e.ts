import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answerChat, answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { FRAME_TEXTS } from './frame-texts.ts'
import { changeData, changeText } from './intercept.ts'
import { LOG_TEXTS } from './log-texts.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { addCustomer, askModel, clipboard, heading, saveFile, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Session } from './world.ts'

/** The name of a facet's value with its count. */
const ONE_FAILED = /^failed\s*1$/

const HOSTILE = '<img src=x onerror=alert(1)>'
const HOSTILE_USER = '<b>{{x}}</b>'
const PATIENCE = { timeout: 15_000 }

let alice: Session

/** 10 prompt tokens and 5 × 4 completion tokens, × 1.25. */
const COST = 38

const world = openOneWorld(async () => {
  await world.addChannel('flaky', 'gpt-4o', answerChat(), { priority: 10 })
  await world.addChannel('steady', `gpt-4o,${HOSTILE}`, answerChat())
  alice = await customer('alice')
  const hostile = await customer(HOSTILE_USER)

  const key = await keyOf(alice, 'web')
  await askModel(world, key, 'gpt-4o')
  world.upstream.script(
    'flaky',
    answerError(429, { message: 'overloaded <i>now</i>' }, { 'retry-after': '30' }),
  )
  await askModel(world, key, 'gpt-4o')
  // The Retry-After keeps the flaky channel in cooldown.
  world.upstream.script('steady', answerError(400, { message: 'max_tokens is too large' }))
  await askModel(world, key, 'gpt-4o')
  world.upstream.script('steady', answerChat())
  await askModel(world, await keyOf(hostile, '<i>name</i>'), HOSTILE)
})
const root = sessionOf(world)

const customer = (username: string) => addCustomer(world, username, 1_000_000)

const keyOf = (session: Session, name: string) =>
  tokenOf(world, session, name, { remain_quota: 500_000 })

const rowsOf = (page: Page) => page.locator('tr[data-row]')

async function openRow(page: Page, index: number) {
  await rowsOf(page).nth(index).getByRole('button', { expanded: false }).click()
  await page.getByRole('term').first().waitFor()
}

const fact = (page: Page, text: string | RegExp) =>
  page.getByRole('definition').getByText(text).first()

test('the texts are the same messages in both languages', () => expectTranslated(LOG_TEXTS))

const texts = TEXTS.en
const own = LOG_TEXTS.en

const pages = {
  root: sharePage(() => world.open({ session: root })),
  alice: sharePage(() => world.open({ session: alice })),
}

const searchField = (page: Page) => page.getByRole('search').getByLabel(own.search, { exact: true })

const search = async (page: Page, text: string) => {
  await searchField(page).fill(text)
  await page.keyboard.press('Enter')
}

const openLog = async (who: keyof typeof pages, address = '/log') => {
  const { page } = await pages[who]()
  await page.goto(address)
  await heading(page, texts.pages.logs).waitFor()
  return page
}

test('an administrator sees the computation of the charge and every attempt by channel', async () => {
  const page = await openLog('root', '/log?username=alice&type=2')
  await rowsOf(page).nth(2).waitFor()
  await openRow(page, 1)
  const sum = page.getByRole('table', { name: texts.receipt }).getByRole('row')
  expect((await sum.last().innerText()).split('\t').at(-1)).toBe(own.charged)
  const held = own.held.exec(await fact(page, own.held).innerText())
  const [, before = '', back = ''] = held ?? []
  const units = (text: string) => Number(text.replaceAll(',', ''))
  expect(units(before) - units(back)).toBe(COST)
  await fact(page, own.lost).waitFor()
  const tried = page.getByRole('definition').getByRole('listitem')
  expect(await tried.allInnerTexts()).toEqual([
    expect.stringMatching(/flaky.*429[^]*overloaded <i>now<\/i>/),
    expect.stringMatching(/steady.*200/),
  ])
  await fact(page, own.busy).waitFor()
  expect(await fact(page, own.drain).count()).toBe(0)
  await page.getByRole('button', { name: own.copyJson }).click()
  await expect.poll(() => clipboard(page)).toMatch(/^\{/)
  expect(JSON.parse(await clipboard(page))).toMatchObject({ quota: COST, attempt_count: 2 })
})

test('a user sees the number of attempts, and no channel', async () => {
  const page = await openLog('alice', '/log?type=2')
  await rowsOf(page).nth(2).waitFor()
  expect(await rowsOf(page).count()).toBe(3)
  await openRow(page, 1)
  await fact(page, own.lost).waitFor()
  expect(await page.getByRole('main').innerText()).not.toMatch(/flaky|steady|overloaded/)
  await search(page, 'user:root')
  await expect.poll(() => new URL(page.url()).searchParams.get('username')).toBe(null)
})

test('the policy on disconnects is shown only after one', async () => {
  const page = await openLog('alice', '/log?type=2')
  await changeData(page, /receipt$/, (data) => ({ ...data, end_reason: 'client_left' }))
  await openRow(page, 1)
  await fact(page, own.drain).waitFor()
})

test('a void shows what was held and why it was released', async () => {
  const page = await openLog('alice', '/log?type=2')
  await openRow(page, 0)
  await fact(page, own.heldBack).waitFor()
  await fact(page, own.refused).waitFor()
  expect(await page.getByRole('table', { name: texts.receipt }).count()).toBe(0)
})

test('failover and an early end are explained in a sentence, on the last row too', async () => {
  const page = await openLog('root', '/log?username=alice&type=2')
  const attempt = { channel: 9, channel_name: 'late', milliseconds: 310, rescued: false }
  const unbilled = { unbilled_prompt_tokens: 9, unbilled_completion_tokens: 0 }
  const attempts = [
    { ...attempt, ...unbilled, status: 0, reason: 'overtaken', hedged: false },
    { ...attempt, ...unbilled, unbilled_prompt_tokens: 0, status: 200, reason: '', hedged: true },
  ]
  const change = { attempts, end_reason: 'quota_used_up' }
  await changeData(page, /receipt$/, (data) => ({ ...data, ...change }))
  await openRow(page, 2)
  await fact(page, own.usedUp).waitFor()
  const told = await page.getByRole('definition').getByRole('list').innerText()
  for (const text of own.attempts) expect(told).toContain(text)
  const line = `getComputedStyle(document.querySelector('td table td')).borderBottomWidth`
  expect(await page.evaluate(line)).toBe('1px')
})

test('the query and presets change the address and the rows, and the back button restores both', async () => {
  const page = await openLog('root', '/log?type=2')
  await rowsOf(page).nth(3).waitFor()
  await search(page, 'model:gpt-4o')
  await page.waitForURL(/model_name=gpt-4o/)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(3)
  await page.getByText(own.sum('$0.00015')).waitFor()

  await page.getByRole('button', { name: own.week, exact: true }).click()
  await page.waitForURL(/range=week/)
  await search(page, 'model:gpt-4o user:nobody')
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(0)
  expect(new URL(page.url()).search).toBe('?type=2&model_name=gpt-4o&range=week&username=nobody')

  await page.goBack()
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(3)
  expect(await searchField(page).inputValue()).toBe('model:gpt-4o')
  await page.goBack()
  await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe(null)
  await page.getByRole('button', { name: own.clear }).click()
  await page.waitForURL((url) => !url.search.includes('model_name'))
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(4)
  const types = page.getByLabel(own.type, { exact: true })
  expect(await types.getByRole('option').allTextContents()).toEqual(own.types)
  await types.selectOption({ label: own.types[0] })
  await page.waitForURL((url) => url.search === '')
})

test('the query completes names and values by keyboard', async () => {
  const page = await openLog('root', '/log?type=2')
  await rowsOf(page).nth(3).waitFor()
  await searchField(page).fill('us')
  await page.getByRole('option', { name: 'user:' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  expect(await searchField(page).inputValue()).toBe('user:')
  await page.keyboard.type('ali')
  await page.getByRole('option', { name: 'user:alice' }).click()
  await page.waitForURL(/username=alice/)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(3)
})

test('only failed requests are shown by a press, in red with their reason', async () => {
  const page = await openLog('root', '/log?type=2')
  await page.getByRole('button', { name: own.failedOnly }).click()
  await page.waitForURL(/outcome=failed%2Crefused/)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(1)
  await rowsOf(page).first().getByText(own.refused).filter({ visible: true }).first().waitFor()
  await page.getByRole('button', { name: own.failedOnly }).click()
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(4)
})

test('facets count the rows, and a value narrows them, also on a phone', async () => {
  const page = await openLog('root', '/log?type=2')
  const failed = page.getByRole('region', { name: own.facets }).getByRole('button', {
    name: ONE_FAILED,
  })
  await rowsOf(page).nth(3).waitFor()
  await failed.click()
  await page.waitForURL(/outcome=failed/)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(1)
  await failed.click()
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(4)

  const phone = await world.open({ session: root, viewport: { width: 390, height: 800 } })
  await phone.goto('/log?type=2')
  await phone.getByRole('button', { name: own.openFacets, exact: true }).click()
  await phone.getByRole('dialog').getByRole('button', { name: ONE_FAILED }).click()
  await phone.waitForURL(/outcome=failed/)
})

test('the CSV file has every row of the filter, in the order shown', async () => {
  const page = await openLog('root', '/log?username=alice&sort=quota&order=asc')
  const { text } = await saveFile(page, page.getByRole('button', { name: texts.csv }))
  const [head = '', ...lines] = text.trim().split('\r\n')
  for (const line of [head, ...lines]) expect(line).toMatch(/,,$|,(Request ID|\d{20,40}),\S+$/)
  await rowsOf(page).nth(2).waitFor()
  const shown = await page.locator('tr[data-row] time').allTextContents()
  expect(lines.map((line) => line.split(',')[0])).toEqual(shown)
})

test('rows are sorted by charge', async () => {
  const page = await openLog('root', '/log?type=2')
  await rowsOf(page).nth(3).waitFor()
  await page.getByRole('columnheader', { name: own.charge }).getByRole('button').click()
  await page.waitForURL(/sort=quota&order=asc/)
  await rowsOf(page).first().getByText(own.refused).filter({ visible: true }).first().waitFor()
})

test('a live view shows new requests without a reload, and a view is kept by name', async () => {
  const page = await world.open({ session: root })
  await page.goto('/log?type=2&username=live')
  await page.getByRole('button', { name: own.live, exact: true }).click()
  const key = await keyOf(await customer('live'), 'tail')
  await askModel(world, key, 'gpt-4o')
  await rowsOf(page).first().waitFor(PATIENCE)
  await askModel(world, key, 'gpt-4o')
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(2)
  await page.getByRole('button', { name: own.live, pressed: true }).click()
  await page.getByRole('button', { name: own.live, pressed: false }).waitFor()
  expect(await rowsOf(page).count()).toBe(2)
  await page.getByRole('button', { name: own.views }).click()
  await page.getByLabel(own.viewName).fill('Live user')
  await page.getByRole('button', { name: own.save, exact: true }).click()
  await page.goto('/log')
  await page.getByRole('button', { name: own.views }).click()
  await page.getByRole('link', { name: 'Live user' }).click()
  await page.waitForURL(/username=live/)
})

test('an invalid exact time is reported, and a valid one filters the rows', async () => {
  const page = await openLog('root')
  await page.getByRole('button', { name: own.exact, exact: true }).click()
  await page.getByLabel(own.from, { exact: true }).fill('yesterday')
  await page.getByText(own.timeError).waitFor()
  await page.getByLabel(own.from, { exact: true }).fill('2099-01-01 00:00:00')
  await page.getByRole('button', { name: own.apply, exact: true }).click()
  await page.waitForURL(/range=custom&start_timestamp=40/)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(0)
})

test('an invalid word is reported, and not requested', async () => {
  const page = await openLog('root')
  await search(page, 'channel:9999')
  await page.waitForURL(/channel=9999/)
  // Nothing is left to count, so the table has the width.
  await expect.poll(() => page.locator('tr[data-row], main details').count(), PATIENCE).toBe(0)
  await search(page, 'channel:relay model:gpt')
  await page.getByText(own.unknown('channel:relay')).click({ trial: true })
  await page.goBack()
  await expect.poll(() => searchField(page).getAttribute('aria-invalid')).not.toBe('true')
  expect(new URL(page.url()).search).toBe('')
})

test('names of any kind are shown as text', async () => {
  const page = await openLog('root')
  const dialogs: string[] = []
  page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  await search(page, `model:"${HOSTILE}"`)
  await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(1)
  await openRow(page, 0)
  const text = await page.getByRole('main').innerText()
  for (const name of [HOSTILE, HOSTILE_USER, '<i>name</i>']) expect(text).toContain(name)
  expect(await page.locator('main img[src=x]').count()).toBe(0)
  expect(dialogs).toEqual([])
})

test("changes to an account are shown in the reader's language", async () => {
  const page = await openLog('alice', '/log?type=3')
  await openRow(page, 0)
  await fact(page, own.quotaEdit).waitFor()
  await page.getByRole('button', { name: FRAME_TEXTS.en.language }).click()
  await page.getByRole('menuitemradio', { name: LOG_TEXTS.zh.named }).click()
  await fact(page, LOG_TEXTS.zh.quotaEdit).waitFor()
  await expect.poll(() => page.getByText(own.quotaEdit).count(), PATIENCE).toBe(0)
})

test('a text of 10 000 characters leaves the page width unchanged', async () => {
  const page = await world.open({ session: root, viewport: { width: 390, height: 800 } })
  const content = '长x'.repeat(5000)
  await changeText(page, /\/api\/log\//, (text) =>
    text.replaceAll(/"content":"[^"]*"/g, `"content":"${content}"`),
  )
  await page.goto('/log?type=3')
  await rowsOf(page).first().waitFor()
  await rowsOf(page).first().getByText(own.types[3], { exact: true }).waitFor()
  await openRow(page, 0)
  await page.getByRole('definition').getByText(content).waitFor()
  const overflow = 'document.documentElement.scrollWidth - window.innerWidth'
  expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
})

test('a receipt that failed to load says so and can be loaded again', async () => {
  const page = await openLog('root', '/log?type=2')
  const path = /\/api\/log\/\d+\/receipt$/
  await page.route(path, (route) => route.fulfill({ status: 500, body: '' }))
  await rowsOf(page).first().getByRole('button', { expanded: false }).click()
  await page.getByText(own.receiptFailed).waitFor()
  await page.unroute(path)
  await page.getByRole('main').getByRole('button', { name: texts.tryAgain }).click()
  await page.getByRole('term').first().waitFor()
})

test('the print has the table only, black on white, with its filters', async () => {
  const page = await world.open({ session: root, theme: 'dark' })
  await page.goto('/log?type=2&model_name=gpt-4o')
  await rowsOf(page).nth(2).waitFor()
  await openRow(page, 1)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.getByText('/log?type=2&model_name=gpt-4o · ').waitFor()
  for (const hidden of ['header', 'footer', 'main form', 'main nav', 'main details']) {
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
  }
  expect(await page.getByRole('table', { name: texts.receipt }).isVisible()).toBe(true)
  const look = await page.evaluate<string[]>(`['color', 'backgroundColor'].map(
    (name) => getComputedStyle(document.querySelector('main table td'))[name])`)
  expect(look[0]).toBe('rgb(0, 0, 0)')
  expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(
    'rgb(255, 255, 255)',
  )
})
