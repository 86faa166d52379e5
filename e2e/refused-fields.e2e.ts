import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  billEndpoints,
  channelEndpoints,
  channelKeyEndpoints,
  type Endpoint,
  modelPriceEndpoints,
  oauthEndpoints,
  optionEndpoints,
  priceEndpoints,
  redemptionEndpoints,
  selfEndpoints,
  sessionEndpoints,
  tokenEndpoints,
  topUpEndpoints,
  userEndpoints,
} from '@tollgate/contract'
import { intercept } from './intercept.ts'
import { openOneWorld } from './one-world.ts'
import { addEdited } from './pages.ts'
import { sharePage } from './shared-page.ts'
import { signedIn } from './steps.ts'

const world = openOneWorld(async () => {
  await addEdited(world)
  const body = { username: 'alice', password: 'a long password' }
  await world.asRoot(userEndpoints.createUser, { body })
  await world.setOption('GroupRatio', { default: 1, vip: 1 })
  await world.setOption('SMTPServer', '127.0.0.1')
})

const rootPage = sharePage(async () => world.open({ session: await signedIn(world) }))
const visitorPage = sharePage(() => world.open())

type Form = {
  path: string
  isPublic?: true
  /** The buttons that lead to the form on its page. */
  openers?: readonly string[]
  /** Values that the console lets pass, by label. */
  values?: Readonly<Record<string, string>>
  prepare?: (form: Locator, page: Page) => Promise<unknown>
  /** The name of the button. */
  send?: string
}

type Refusing = Form & {
  name: string
  to: Pick<Endpoint, 'path'>
  /** The label by the field's name in the API. */
  fields: Readonly<Record<string, string>>
}

const PASSWORD = 'a long password'

const FORMS: readonly Refusing[] = [
  {
    name: 'registration',
    path: '/register',
    isPublic: true,
    values: { Username: 'bob', Password: PASSWORD, 'Confirm password': PASSWORD },
    send: 'Register',
    to: sessionEndpoints.register,
    fields: { username: 'Username', password: 'Password' },
  },
  {
    name: 'password reset',
    path: '/reset',
    isPublic: true,
    values: { Email: 'bob@example.com' },
    send: 'Send reset email',
    to: sessionEndpoints.sendResetMail,
    fields: { email: 'Email' },
  },
  {
    name: 'own account',
    path: '/user/edit',
    to: selfEndpoints.updateSelf,
    fields: { username: 'Username', display_name: 'Display name', password: 'New password' },
  },
  {
    name: 'binding of an email address',
    path: '/setting',
    openers: ['Bind Email'],
    values: { 'Email address': 'bob@example.com', 'Verification code': '123456' },
    send: 'Bind an email address',
    to: oauthEndpoints.bindEmail,
    fields: { email: 'Email address', code: 'Verification code' },
  },
  {
    name: 'new user',
    path: '/user/add',
    values: { Username: 'bob', Password: PASSWORD },
    to: userEndpoints.createUser,
    fields: { username: 'Username', display_name: 'Display name', password: 'Password' },
  },
  {
    name: 'user',
    path: '/user/edit/2',
    to: userEndpoints.updateUser,
    fields: { username: 'Username', quota: 'Remaining quota', group: 'Group' },
  },
  {
    name: 'quota for a user',
    path: '/user/2',
    openers: ['Add quota'],
    send: 'Add quota to alice',
    to: topUpEndpoints.grantQuota,
    fields: { quota: 'Quota to add', remark: 'Remark' },
  },
  {
    name: 'token',
    path: '/token/add',
    values: { Name: 'laptop' },
    to: tokenEndpoints.createToken,
    fields: {
      name: 'Name',
      remain_quota: 'Remaining quota',
      expired_time: 'Expires at',
      models: 'Models',
      subnet: 'Allowed IP ranges',
    },
  },
  {
    name: 'channel',
    path: '/channel/edit/1',
    prepare: (form) => form.getByText('Advanced', { exact: false }).first().click(),
    to: channelEndpoints.updateChannel,
    fields: {
      name: 'Name',
      group: 'Groups',
      'models.0': 'Models',
      base_url: 'Base URL',
      model_mapping: 'Model mapping',
      'config.proxy': 'HTTP proxy',
      weight: 'Weight',
      'config.headers.x-a': 'Headers',
      'config.set_parameters': 'Parameters to set',
      'config.cost.factor': 'Cost at the provider',
    },
  },
  {
    name: 'keys of a channel',
    path: '/channel/1?tab=keys',
    values: { 'Add keys': 'sk-2' },
    send: 'Add',
    to: channelKeyEndpoints.changeChannelKey,
    fields: { key: 'Add keys' },
  },
  {
    name: 'redemption codes',
    path: '/redemption/add',
    values: { Name: 'spring' },
    send: 'Create',
    to: redemptionEndpoints.createRedemptions,
    fields: {
      name: 'Name',
      quota: 'Quota',
      expired_time: 'Expires at',
      batch: 'Batch',
      count: 'Number of codes',
    },
  },
  {
    name: 'top-up',
    path: '/topup',
    values: { 'Top-up code': '12345678901234567890123456789012' },
    send: 'Redeem',
    to: topUpEndpoints.redeem,
    fields: { key: 'Top-up code', gift_code: 'Gift code' },
  },
  {
    name: 'price feed',
    path: '/setting/prices',
    openers: ['Add feed'],
    to: priceEndpoints.createPriceFeed,
    fields: { name: 'Name', url: 'Address', every_hours: 'Update every (hours, 0 = by hand)' },
  },
  {
    name: 'price of a model',
    path: '/setting/prices',
    openers: ['Add price'],
    values: {
      Model: 'a-model',
      'Input, dollars per million tokens': '1',
      'Output, dollars per million tokens': '2',
    },
    to: modelPriceEndpoints.setModelPrice,
    fields: {
      model: 'Model',
      'price.input': 'Input, dollars per million tokens',
      from: 'From (00:00 UTC)',
    },
  },
  {
    name: 'bill source',
    path: '/bill',
    openers: ['Add source'],
    values: { Name: 'OpenAI' },
    prepare: async (form, page) => {
      await form.getByRole('combobox', { name: 'Channels on this bill' }).click()
      await page.getByRole('option', { name: /openai-main/ }).click()
      await page.keyboard.press('Escape')
    },
    to: billEndpoints.createBillSource,
    fields: { name: 'Name', zone: 'Time zone of the bill', channels: 'Channels on this bill' },
  },
  {
    name: 'move of a group',
    path: '/setting/operation',
    openers: ['Rename or move a group'],
    values: { 'New name, or another group': 'gold' },
    send: 'Move',
    to: optionEndpoints.moveGroup,
    fields: { from: 'Group', to: 'New name, or another group' },
  },
  {
    name: 'test email',
    path: '/setting/system',
    values: { 'Send a test email to': 'bob@example.com' },
    send: 'Send test email',
    to: optionEndpoints.sendTestMail,
    fields: { to: 'Send a test email to' },
  },
]

const toasts = (page: Page) => page.locator('.Toastify__toast').count()

async function openForm(
  page: Page,
  { path, openers = [], values = {}, prepare, send = 'Save' }: Form,
) {
  await page.goto(path)
  for (const name of openers) {
    await page.getByRole('button', { name, exact: true }).first().click()
  }
  const place = openers.length > 0 ? page.getByRole('dialog') : page.getByRole('main')
  const form = place.locator('form', { has: page.getByRole('button', { name: send, exact: true }) })
  const around = (await form.or(place).count()) > 1 ? form : place
  for (const [label, value] of Object.entries(values)) {
    await around.getByLabel(label, { exact: true }).fill(value)
  }
  const button = around.getByRole('button', { name: send, exact: true })
  await button.waitFor()
  await prepare?.(around, page)
  return { opened: around, button }
}

/** The field with this label, its hint and its error. Labels of required fields end with a star. */
const fieldOf = (form: Locator, page: Page, label: string) =>
  form
    .locator('.mantine-InputWrapper-root')
    .filter({ has: page.getByText(label, { exact: true }).or(page.getByText(`${label} *`)) })

test.each(FORMS)(
  'the form of the $name shows what the server refuses at the field',
  async (form) => {
    const { page } = await (form.isPublic ? visitorPage() : rootPage())
    const { opened, button } = await openForm(page, form)
    for (const [field, label] of Object.entries(form.fields)) {
      const problem = `refused: ${field}`
      const body = JSON.stringify({ success: false, message: 'A sentence.', field, problem })
      const pattern = `*${form.to.path.replace(':id', '*')}*`
      const release = await intercept(page, pattern, () => ({
        contentType: 'application/json',
        body,
      }))
      await button.click()
      const refused = fieldOf(opened, page, label)
      await refused.getByText(problem).waitFor()
      await refused.locator(':focus').waitFor({ state: 'attached' })
      await page.locator('.announcement', { hasText: problem }).waitFor({ state: 'attached' })
      await release()
    }
    expect(await toasts(page)).toBe(0)
  },
)

test('a field that the form does not show is named in a toast', async () => {
  const { page } = await rootPage()
  const form = FORMS.find(({ name }) => name === 'token')
  if (!form) throw new Error('there is no form of a token')
  const { button } = await openForm(page, form)
  await intercept(page, `*${form.to.path}`, () => ({
    contentType: 'application/json',
    body: JSON.stringify({ success: false, message: 'A sentence.', field: 'edit_id' }),
  }))
  await button.click()
  await page.getByRole('alert').filter({ hasText: 'A sentence.' }).waitFor()
})

test.each([
  ['/user/add', { Username: 'alice', Password: PASSWORD }, 'Save', 'Username', /is taken/],
  [
    '/token/add',
    { Name: 'laptop', 'Allowed IP ranges': '300.1.1.1' },
    'Save',
    'Allowed IP ranges',
    /^Must be comma-separated ranges .*"300.1.1.1" is not a range\.$/,
  ],
  ['/channel/1?tab=keys', { 'Add keys': 'sk a' }, 'Add', 'Add keys', /Line 1/],
  [
    '/topup',
    { 'Top-up code': '12345678901234567890123456789012' },
    'Redeem',
    'Top-up code',
    /does not exist/,
  ],
] as const)('%s shows what the real server refuses', async (path, values, send, label, text) => {
  const { page } = await rootPage()
  const { opened, button } = await openForm(page, { path, values, send })
  await button.click()
  const field = fieldOf(opened, page, label)
  await field.getByText(text).waitFor()
  expect(await toasts(page)).toBe(0)
  // What is typed next is not what was refused.
  await field.getByRole('textbox').fill('other')
  await field.getByText(text).waitFor({ state: 'detached' })
})
