import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { openOneWorld } from './one-world.ts'
import { signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session, World } from './world.ts'

const texts = TEXTS.en
const LONG = 'x'.repeat(10_000)

let world: World
let session: Session

openOneWorld(async (opened) => {
  world = opened
  await world.asRoot(userEndpoints.createUser, {
    body: { username: 'alice', password: 'alice is here' },
  })
  session = await signedIn(world)
})

/** What would be sent; answers of the page's own calls are not meant. */
function watchSent(page: Page, pattern: RegExp): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (pattern.test(`${request.method()} ${request.url()}`)) sent.push(request.url())
  })
  return sent
}

const CHANGE = /^(?:POST|PUT|DELETE) /

async function expectRefused(page: Page, sent: string[], field: string) {
  const input = page.getByLabel(field, { exact: true })
  await page.locator('[aria-invalid=true]').first().waitFor()
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(sent).toEqual([])
}

type Refused = { path: string; save: string; field: string; value: string }

const field = (path: string, save: string, name: string, values: readonly string[]): Refused[] =>
  values.map((value) => ({ path, save, field: name, value }))

const NAMES_OF_USERS = ['', 'thirteen char', ' alice', 'a\u200Bb', LONG]
const PASSWORDS = ['short', 'x'.repeat(21), LONG]

const REFUSED: readonly Refused[] = [
  ...field('/token/add', texts.save, texts.tokenName, ['', 'x'.repeat(31), LONG]),
  ...field('/token/add', texts.save, texts.tokenExpires, ['soon', '2026-02-30 10:00:00', '-1']),
  ...field('/redemption/add', 'Create', 'Name', ['', '   ', 'x'.repeat(21), LONG]),
  ...field('/redemption/add', 'Create', 'Number of codes', ['0', '101', '']),
  ...field('/user/add', texts.save, texts.username, NAMES_OF_USERS),
  ...field('/user/add', texts.save, 'Display name', ['x'.repeat(21), LONG]),
  ...field('/user/add', texts.save, texts.password, ['', ...PASSWORDS]),
  ...field('/user/edit/2', texts.save, texts.username, NAMES_OF_USERS),
  ...field('/user/edit/2', texts.save, texts.password, PASSWORDS),
  ...field('/user/edit', texts.save, texts.username, NAMES_OF_USERS),
  ...field('/topup', 'Redeem', 'Top-up code', ['', '   ', LONG]),
]

const shown = (rows: readonly Refused[]) =>
  rows.map((row) => ({ ...row, shortly: JSON.stringify(row.value.slice(0, 24)) }))

test.concurrent.for(shown(REFUSED))('$path refuses $field $shortly', async (row) => {
  const page = await world.open({ session })
  const sent = watchSent(page, CHANGE)
  await page.goto(row.path)
  const input = page.getByLabel(row.field, { exact: true })
  await input.fill(row.value)
  await page.getByRole('main').getByRole('button', { name: row.save, exact: true }).click()
  await expectRefused(page, sent, row.field)
  await page.context().close()
})

const REGISTRATION = {
  Username: 'newcomer',
  Password: 'long enough',
  'Password once more': 'long enough',
}

test.concurrent.for(
  shown([
    ...field('/register', 'Register', 'Username', NAMES_OF_USERS),
    ...field('/register', 'Register', 'Password', ['', ...PASSWORDS]),
    ...field('/register', 'Register', 'Password once more', ['', 'something else']),
  ]),
)('registration refuses $field $shortly', async (row) => {
  const page = await world.open()
  const sent = watchSent(page, /\/api\/user\/register/)
  await page.goto(row.path)
  for (const [label, value] of Object.entries({ ...REGISTRATION, [row.field]: row.value })) {
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await page.getByRole('main').getByRole('button', { name: row.save, exact: true }).click()
  await expectRefused(page, sent, row.field)
  await page.context().close()
})

test.concurrent.for(
  shown(field('/reset', 'Send reset mail', 'E-mail', ['', 'nobody', 'a@', '@b'])),
)('asking for a reset refuses $shortly', async (row) => {
  const page = await world.open()
  const sent = watchSent(page, /\/api\/reset_password/)
  await page.goto(row.path)
  await page.getByLabel(row.field, { exact: true }).fill(row.value)
  await page.getByRole('main').getByRole('button', { name: row.save, exact: true }).click()
  await expectRefused(page, sent, row.field)
  await page.context().close()
})
