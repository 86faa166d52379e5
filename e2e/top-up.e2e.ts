import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEFAULT_TOP_UP_PACKAGES, redemptionEndpoints } from '@tollgate/contract'
import { expectGoodLook, showLanguage } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import {
  addUser,
  chooseAction,
  clipboard,
  heading,
  message,
  rowOf,
  saveFile,
  signedIn,
  signIn,
} from './steps.ts'
import { TEXTS } from './texts.ts'

const PASSWORD = 'a long password'
const DOLLAR = 500_000

const world = openOneWorld()
const session = sessionOf(world)

async function makeCode(name: string, quota: number): Promise<string> {
  const body = { name, quota, count: 1 }
  const { data } = await world.asRoot(redemptionEndpoints.createRedemptions, { body })
  return data[0] ?? ''
}

/** A page of a new user; names have at most 12 characters. */
async function asNewcomer(username: string): Promise<Page> {
  await addUser(world, username, PASSWORD)
  const user = await signedIn(world, { username, password: PASSWORD })
  return world.open({ session: user })
}

const texts = TEXTS.en

async function register(page: Page, username: string, link: string) {
  const aff_code = new URL(link).searchParams.get('aff')
  const data = { username, password: PASSWORD, password2: PASSWORD, aff_code }
  const answer = await page.request.post('/api/user/register', { data })
  expect(await answer.json()).toMatchObject({ success: true })
}

test('packages lead to the shop, which learns who buys', async () => {
  await world.setOption('TopUpLink', '')
  await world.setOption('Links', {})
  await world.setOption('TopUpPackages', DEFAULT_TOP_UP_PACKAGES)
  const page = await asNewcomer('buyer')
  await page.goto('/topup')
  await page.getByText('This site has no shop.').waitFor()
  const ten = page.getByRole('link', { name: 'Buy $10 for ¥4, opens the shop in a new tab' })
  expect(await ten.count()).toBe(0)
  expect(await page.getByRole('main').getByText('¥').count()).toBe(0)
  expect(await page.getByText('60 % off').count()).toBe(0)

  const now = Math.floor(Date.now() / 1000)
  const promotion = { percent: 40, from: now - 60, until: now + 86_400 }
  await world.setOption('TopUpLink', 'https://pay.example/buy?from=console')
  await world.setOption('Links', { shop: 'https://shop.example', group: 'https://chat.example/g' })
  await world.setOption('TopUpPackages', { ...DEFAULT_TOP_UP_PACKAGES, promotion })
  await page.reload()
  await page.getByText('60 % off').waitFor()
  await page.getByText('Quota is valid for 9 months.').waitFor()
  expect(await page.getByRole('link', { name: /^Buy \$/ }).count()).toBe(5)
  expect(await ten.getAttribute('href')).toBe('https://shop.example')
  expect(await page.getByRole('link', { name: 'Join the group' }).getAttribute('href')).toBe(
    'https://chat.example/g',
  )
  expect(await page.getByRole('link', { name: 'Request an invoice' }).count()).toBe(0)

  const buy = page.getByRole('link', { name: 'Buy quota for this account' })
  const first = new URL((await buy.getAttribute('href')) ?? '')
  expect(first.searchParams.get('from')).toBe('console')
  expect(first.searchParams.get('username')).toBe('buyer')
  expect(first.searchParams.get('user_id')).toMatch(/^\d+$/)
  const opened = page.waitForEvent('popup')
  await buy.click()
  await (await opened).close()
  const idOf = async () =>
    new URL((await buy.getAttribute('href')) ?? '').searchParams.get('transaction_id')
  await expect.poll(idOf).not.toBe(first.searchParams.get('transaction_id'))
  // Chinese names the share that is paid, English what is taken off.
  await showLanguage(page, 'zh')
  await page.getByText('，4 折。').waitFor()
})

test('an invited friend is listed among the friends, and a top-up among the earnings', async () => {
  const visitor = await world.open()
  await visitor.goto('/partnerplan')
  await heading(visitor, 'Partner plan').waitFor()
  await visitor.getByText('You earn ¥2.50 for every $100').waitFor()
  await visitor
    .getByText(
      /You can withdraw earnings of ¥100 or more by Alipay or in USDT\. .* about 24\shours/,
    )
    .waitFor()
  expect(await visitor.getByText('Invite link', { exact: true }).count()).toBe(0)

  const page = await asNewcomer('host')
  await page.goto('/partnerplan')
  await page.getByText('No friends yet. Send your invite link to a friend.').waitFor()
  const shown = page.getByLabel('Invite link', { exact: true })
  await expect.poll(() => shown.textContent()).toMatch(/\/register\?aff=\w{5,}$/)
  const link = (await shown.textContent()) ?? ''
  const gift = (await page.getByLabel('Gift code', { exact: true }).textContent()) ?? ''
  expect(link.endsWith(gift)).toBe(true)

  const friend = 'guest'
  await register(visitor, friend, link)
  await signIn(visitor, texts, { username: friend, password: PASSWORD })
  await visitor.goto('/topup')
  await visitor.getByLabel('Top-up code', { exact: true }).fill(await makeCode('big', 100 * DOLLAR))
  await visitor.getByLabel('Gift code', { exact: true }).fill(gift)
  await visitor.getByRole('button', { name: 'Redeem', exact: true }).click()
  await message(visitor, 'Top-up succeeded: $105.00 added.').waitFor()

  await page.reload()
  await page.getByRole('cell', { name: friend }).waitFor()
  await page.getByText('¥2.50', { exact: true }).waitFor()
  await page.getByText('¥97.50 more until you can withdraw').waitFor()
})

test.each([{ isPhone: true }, {}] as const)('every button is within its card: %o', async (look) => {
  const address = 'https://links.example'
  await world.setOption('TopUpLink', '')
  await world.setOption('Links', {
    shop: address,
    group: address,
    invoice: address,
    custom: address,
  })
  const page = await world.open({ session, ...look })
  await page.goto('/topup')
  await page.getByRole('link', { name: 'Request an invoice' }).waitFor()
  const beyond = await page.evaluate<number[]>(
    "[...document.querySelectorAll('main li')].map((card) => card.scrollWidth - card.clientWidth)",
  )
  expect(beyond).toEqual(Array.from({ length: 8 }, () => 0))
})

test('codes are created, saved as a file, copied, renamed, disabled and deleted', async () => {
  const name = 'spring'
  const page = await world.open({ session })
  await page.goto('/redemption/add')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Enter a name of 1 to 20 characters.').waitFor()
  expect(await page.getByLabel('Quota', { exact: true }).inputValue()).toBe('$0.2')
  expect(await page.getByLabel('Number of codes', { exact: true }).inputValue()).toBe('1')

  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Number of codes', { exact: true }).fill('3')
  const create = page.getByRole('button', { name: 'Create', exact: true })
  const { name: fileName, text: file } = await saveFile(page, create)
  expect(fileName).toBe(`${name}.txt`)
  expect(file).toMatch(/^(?:[0-9a-f]{32}\n){3}$/)

  await heading(page, `Codes of ${name}`).waitFor()
  expect(await page.getByLabel('The codes, one per line').inputValue()).toBe(file.trim())
  await page.getByRole('button', { name: 'Copy all' }).click()
  await message(page, texts.copied).waitFor()
  expect(await clipboard(page)).toBe(file.trim())

  await page.getByRole('link', { name: 'Back to list' }).click()
  await heading(page, 'Redemption codes').waitFor()
  const search = page.getByRole('search').getByRole('textbox')
  await search.fill(name)
  await search.press('Enter')
  await expect.poll(() => rowOf(page, name).count()).toBe(3)

  const [code = ''] = file.split('\n')
  const { data } = await world.asRoot(redemptionEndpoints.searchRedemptions, {
    query: { keyword: code },
  })
  const row = `${name} #${data[0]?.id}`
  expect(await page.getByText(code).count()).toBe(0)
  await chooseAction(page, texts, row, 'Copy code')
  await expect.poll(() => clipboard(page)).toBe(code)

  await chooseAction(page, texts, row, texts.disable)
  await page
    .getByRole('row')
    .filter({ hasText: code.slice(0, 4) })
    .getByText('disabled')
    .waitFor()

  await chooseAction(page, texts, row, texts.edit)
  await heading(page, `Edit redemption code ${name}`).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('summer')
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, 'Redemption code updated.').waitFor()

  const renamed = row.replace(name, 'summer')
  await chooseAction(page, texts, renamed, texts.delete)
  await page.getByRole('button', { name: `Delete ${renamed}`, exact: true }).click()
  await rowOf(page, 'summer').waitFor({ state: 'detached' })
})

test('a code is redeemed once, shown in the balance, and then only in the history', async () => {
  const username = 'payer'
  const code = await makeCode('gift', 3 * DOLLAR)
  const page = await asNewcomer(username)
  await page.goto('/topup')
  const redeem = page.getByRole('button', { name: 'Redeem', exact: true })
  await redeem.click()
  await page.getByText('Please enter the top-up code!').waitFor()
  await page.getByLabel('Top-up code', { exact: true }).fill(`${'a1'.repeat(16)} `.repeat(4))
  await page.getByText('Redeem one code at a time.').waitFor()

  const key = page.getByLabel('Top-up code', { exact: true })
  // Chat programs put invisible characters into copied text.
  await key.fill(`\u200b ${code.slice(0, 8)} ${code.slice(8)}\ufeff`)
  await redeem.click()
  await message(page, 'Top-up succeeded: $3.00 added.').waitFor()
  await page.getByRole('definition').filter({ hasText: '$3.00' }).waitFor()
  expect(await key.inputValue()).toBe('')

  await key.fill(code)
  await redeem.click()
  await page.locator('#main').getByText('You have redeemed this code already').waitFor()
  await page.route('**/api/user/topup', (route) => route.abort())
  await redeem.click()
  await message(page, 'request failed').waitFor()

  const root = await world.open({ session })
  await root.goto('/redemption')
  const row = rowOf(root, 'gift')
  await row.getByText('used', { exact: true }).waitFor()
  await row.getByText(username).waitFor()
  await row.locator('[data-row-menu]').click()
  const toggle = root.getByRole('menuitem', { name: texts.disable })
  expect(await toggle.getAttribute('aria-disabled')).toBe('true')
  await toggle.getByText('A code that has been used cannot be changed.').waitFor()
})

test('friends are listed ten per page', async () => {
  const page = await asNewcomer('popular')
  await page.goto('/partnerplan')
  await page.getByText('No friends yet. Send your invite link to a friend.').waitFor()
  const shown = page.getByLabel('Invite link', { exact: true })
  await expect.poll(() => shown.textContent()).toContain('aff=')
  const link = (await shown.textContent()) ?? ''
  for (let friend = 0; friend < 11; friend += 1) await register(page, `friend-${friend}`, link)
  await page.reload()
  const rows = page.getByRole('table', { name: 'Invited friends' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(10)
  await rows.first().getByText('friend-10').waitFor()
  const asked = page.waitForRequest(/friends\?page=2&size=10$/)
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await asked
  await expect.poll(() => rows.count()).toBe(1)
  await rows.first().getByText('friend-0').waitFor()
})

test('a batch is counted, saved as CSV, disabled and enabled, and filters the list', async () => {
  for (const [batch, count] of [
    ['may', 3],
    ['june', 1],
  ] as const) {
    const body = { name: 'gift', quota: 500_000, count, batch }
    await world.asRoot(redemptionEndpoints.createRedemptions, { body })
  }
  const page = await world.open({ session })
  await page.goto('/redemption')
  await page.getByRole('button', { name: 'Batches', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Batches' })
  const row = dialog.getByRole('row').filter({ hasText: 'may' })
  await row.getByText('$3.00').waitFor()
  await expectGoodLook(page, '[role=dialog]')
  const frame = dialog.getByRole('group', { name: 'Batches', exact: true })
  expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const save = row.getByRole('button', { name: 'Save the unused codes of may as CSV' })
  const { name, text } = await saveFile(page, save)
  expect(name).toBe('may.csv')
  expect(text).toMatch(/^code,quota,expires\r\n(?:[\da-f]{32},500000,\r\n){3}$/)

  await row.getByRole('button', { name: 'Disable the batch may' }).click()
  await page.getByRole('button', { name: 'Disable 3 codes' }).click()
  await message(page, '3 codes disabled.').waitFor()
  await row.getByRole('button', { name: 'Enable the batch may' }).click()
  await page
    .getByText('Codes of the batch may that were disabled one by one stay disabled.')
    .waitFor()
  await page.getByRole('button', { name: 'Enable 3 codes' }).click()
  await message(page, '3 codes enabled.').waitFor()
  await row.getByRole('button', { name: 'Disable the batch may' }).click()
  await page.getByRole('button', { name: 'Disable 3 codes' }).click()
  await row.getByRole('button', { name: 'Enable the batch may' }).waitFor()
  await row.getByRole('link', { name: 'may' }).click()
  await dialog.waitFor({ state: 'detached' })
  const shown = page.locator('tbody tr[data-row]')
  await expect.poll(() => shown.count()).toBe(3)
  await expect.poll(() => shown.getByText('disabled', { exact: true }).count()).toBe(3)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'unused' }).click()
  await expect.poll(() => shown.count()).toBe(0)
  await page.goto('/redemption?batch=june&state=unused')
  await expect.poll(() => shown.count()).toBe(1)
})
