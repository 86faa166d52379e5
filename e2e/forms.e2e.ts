import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { optionEndpoints, userEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { message } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const texts = TEXTS.en
const LONG = 'x'.repeat(10_000)

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, {
    body: { username: 'alice', password: 'alice is here' },
  })
})
const session = sessionOf(world)

const signedInPage = sharePage(() => world.open({ session }))
const signedOutPage = sharePage(() => world.open())

/** Requests that change something. */
function watchSent(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const asks = `${request.method()} ${request.url()}`
    if (!asks.startsWith('GET ') || CHANGING_GETS.test(asks)) sent.push(asks)
  })
  return sent
}

const CHANGING_GETS = /\/api\/reset_password/

type Form = {
  path: string
  save: string
  fields: Record<string, readonly string[]>
  isPublic?: true
  /** Valid values, for fields that are empty at first. */
  values?: Record<string, string>
}

const NAMES_OF_USERS = ['', 'thirteen char', ' alice', 'a\u200Bb', LONG]
const PASSWORD = 'long enough'
const PASSWORDS = ['short', 'x'.repeat(21), LONG]

const FORMS: readonly Form[] = [
  {
    path: '/token/add',
    save: texts.save,
    fields: {
      [texts.tokenName]: ['', 'x'.repeat(31), LONG],
      [texts.remainingQuota]: ['', 'abc', '９'],
      [texts.tokenExpires]: ['soon', '2026-02-30 10:00:00', '-1'],
    },
  },
  {
    path: '/redemption/add',
    save: 'Create',
    fields: {
      Name: ['', '   ', 'x'.repeat(21), LONG],
      Quota: ['', '0'],
      'Number of codes': ['0', '101', ''],
    },
  },
  {
    path: '/user/add',
    save: texts.save,
    fields: {
      [texts.username]: NAMES_OF_USERS,
      'Display name': ['x'.repeat(21), LONG],
      [texts.password]: ['', ...PASSWORDS],
    },
  },
  {
    path: '/user/edit/2',
    save: texts.save,
    fields: {
      [texts.username]: NAMES_OF_USERS,
      [texts.password]: PASSWORDS,
      [texts.remainingQuota]: ['', 'abc'],
    },
  },
  { path: '/user/edit', save: texts.save, fields: { [texts.username]: NAMES_OF_USERS } },
  { path: '/topup', save: 'Redeem', fields: { 'Top-up code': ['', '   ', LONG] } },
  {
    path: '/register',
    save: 'Register',
    isPublic: true,
    values: { Username: 'newcomer', Password: PASSWORD, 'Confirm password': PASSWORD },
    fields: {
      Username: NAMES_OF_USERS,
      Password: ['', ...PASSWORDS],
      'Confirm password': ['', 'something else'],
    },
  },
  {
    path: '/reset',
    save: 'Send reset email',
    isPublic: true,
    fields: { Email: ['', 'nobody', 'a@', '@b'] },
  },
]

/** Tries each value of each field, with the other fields unchanged. */
async function expectAllRefused(page: Page, { save, fields }: Form) {
  const sent = watchSent(page)
  const button = page.getByRole('main').getByRole('button', { name: save, exact: true })
  for (const [label, values] of Object.entries(fields)) {
    const input = page.getByLabel(label, { exact: true })
    const before = await input.inputValue()
    for (const value of values) {
      const shown = `${label}: ${JSON.stringify(value.slice(0, 24))}`
      await input.fill(value)
      await button.click()
      await settled(page)
      expect(await input.getAttribute('aria-invalid'), shown).toBe('true')
      expect(sent, shown).toEqual([])
    }
    await input.fill(before)
  }
}

test.each(FORMS)('$path refuses each invalid value', async (form) => {
  const { page } = await (form.isPublic ? signedOutPage() : signedInPage())
  await page.goto(form.path)
  for (const [label, value] of Object.entries(form.values ?? {})) {
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await expectAllRefused(page, form)
})

test('a login needs both fields', async () => {
  const { page } = await signedOutPage()
  const sent = watchSent(page)
  await page.goto('/login')
  await page.getByRole('main').getByRole('button', { name: texts.logIn, exact: true }).click()
  await expect.poll(() => page.getByText('This field is required.').count()).toBe(2)
  expect(sent).toEqual([])
})

test('a quota option is entered in dollars and stored in units', async () => {
  const { page } = await signedInPage()
  await page.goto('/setting/operation')
  const field = page.getByLabel('Quota for new users', { exact: true })
  await field.fill('0.5')
  await field.press('Enter')
  await message(page, 'Settings saved.').waitFor()
  const { data } = await world.asRoot(optionEndpoints.listOptions, {})
  expect(data.find(({ key }) => key === 'QuotaForNewUser')?.value).toBe('250000')
  expect(await field.inputValue()).toBe('$0.5')
})

test.each([
  ['/setting/prices', 'Add feed'],
  ['/bill', 'Add source'],
])('a click outside the dialog of %s keeps it and what was entered', async (path, opener) => {
  const { page } = await signedInPage()
  await page.goto(path)
  await page.getByRole('button', { name: opener }).first().click()
  const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
  await name.fill('a name')
  await page.mouse.click(20, 400)
  await settled(page)
  expect(await name.inputValue()).toBe('a name')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a field of several values shows its focus once, around all of it', async () => {
  const { page } = await signedInPage()
  await page.goto('/channel/add')
  await page.getByRole('combobox', { name: 'Groups' }).focus()
  const rings = await page.evaluate<string[]>(`[
    document.activeElement,
    document.activeElement.closest('.mantine-Input-input'),
  ].map((element) => getComputedStyle(element).outlineStyle)`)
  expect(rings).toEqual(['none', 'solid'])
})

test('fields of ratios show the nine decimals that charges use, and refuse more', async () => {
  await world.setOption('ModelRatio', { 'a-model': 12.123_456_789 })
  await world.setOption('GroupRatio', { default: 12.123_456_789 })
  try {
    for (const isPhone of [false, true]) {
      const page = await world.open({ session, ...(isPhone && { isPhone }) })
      await page.goto('/setting/operation')
      await page.getByLabel('Search, or name a new model').fill('a-model')
      const model = page.getByLabel('Model ratio of a-model', { exact: true })
      const group = page.getByRole('textbox', { name: 'Ratio, row 1', exact: true }).first()
      for (const field of [model, group]) {
        await expect.poll(() => field.inputValue()).toBe('12.123456789')
        const width = await field.evaluate((input) => input.scrollWidth - input.clientWidth)
        expect(width).toBeLessThanOrEqual(0)
      }
      await model.fill('0.1234567891')
      expect(await model.getAttribute('aria-invalid')).toBe('true')
      const section = page.getByRole('region', { name: 'Ratios', exact: true })
      await section.getByRole('button', { name: texts.save, exact: true }).click()
      await page.getByText('a-model: must have at most 9 decimals.').waitFor()
    }
  } finally {
    await world.setOption('ModelRatio', {})
    await world.setOption('GroupRatio', { default: 1, vip: 1, svip: 1 })
  }
})
