import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { topUpEndpoints, userEndpoints } from '@tollgate/contract'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import {
  addUser,
  chooseAction,
  heading,
  message,
  rowOf,
  saveFile,
  signedIn,
  tokenOf,
} from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en
const PASSWORD = 'a long password'

const addUsers = async () => {
  for (const name of ['carol', 'bob', 'alice']) await addUser(world, name, PASSWORD)
}

const world = openOneWorld(addUsers)
const session = sessionOf(world)

const rootPage = sharePage(() => world.open({ session }))

/** A failed try has changed the users. */
beforeEach(async ({ task }) => {
  if (!task.result?.retryCount) return
  await addUsers()
  const { data } = await world.asRoot(userEndpoints.searchUsers, { query: { keyword: 'dora' } })
  for (const { id } of data) await world.asRoot(userEndpoints.deleteUser, { params: { id } })
})

const names = (page: Page) =>
  page
    .locator('tbody tr[data-row]')
    .evaluateAll((rows) =>
      rows.map((row) => row.textContent.match(/root|alice|bob|carol|dora/)?.[0] ?? ''),
    )

async function search(page: Page, text: string) {
  const field = page.getByRole('search').getByRole('textbox')
  await field.fill(text)
  await field.press('Enter')
}

test('a header sorts the list, and a second press reverses it', async () => {
  const { page } = await rootPage()
  await page.goto('/user')
  for (const header of ['ID', 'Username', 'Group', 'Role', 'Status', texts.remainingQuota]) {
    await page.getByRole('button', { name: header, exact: true }).click()
    const sorted = page.getByRole('columnheader', { name: header, exact: true })
    await expect.poll(() => sorted.getAttribute('aria-sort'), { message: header }).toBe('ascending')
  }
  await page.getByRole('button', { name: 'Username', exact: true }).click()
  await expect.poll(() => names(page)).toEqual(['alice', 'bob', 'carol', 'root'])
  await page.getByRole('button', { name: 'Username', exact: true }).click()
  await expect.poll(() => names(page)).toEqual(['root', 'carol', 'bob', 'alice'])
})

test('a long list takes the height that filters in two lines leave', async () => {
  const { page } = await rootPage()
  await page.goto('/user')
  await rowOf(page, 'alice').waitFor()
  const [bottom, top, below] = await page.evaluate<number[]>(`{
    const row = document.querySelector('tr[data-row]')
    for (let count = 0; count < 60; count += 1) row.parentElement.append(row.cloneNode(true))
    const { bottom } = document.querySelector('main a[href="/user/add"]').getBoundingClientRect()
    const { top } = document.querySelector('main table').getBoundingClientRect()
    ;[bottom, top, document.documentElement.scrollHeight - innerHeight]
  }`)
  expect(bottom).toBeLessThan(top ?? 0)
  expect(below).toBe(0)
  await page.reload()
})

test('a user is created, found, edited, promoted, demoted, banned and deleted', async () => {
  const { page } = await rootPage()
  await page.goto('/user')
  await page.getByRole('link', { name: texts.pages.userAdd }).click()
  await heading(page, texts.pages.userAdd).waitFor()
  await page.getByLabel(texts.username, { exact: true }).fill('dora')
  await page.getByLabel('Display name', { exact: true }).fill('Dora')
  await page.getByLabel(texts.password, { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, 'User created.').waitFor()

  await search(page, '  dora ')
  await expect.poll(() => names(page)).toEqual(['dora'])
  await search(page, ' ')
  await expect.poll(() => names(page)).toContain('alice')

  await chooseAction(page, texts, 'dora', texts.edit)
  await heading(page, 'Edit user dora').waitFor()
  for (const label of ['Bound GitHub account', 'Bound WeChat account', 'Email']) {
    const field = page.getByLabel(label, { exact: true })
    expect(await field.getAttribute('readonly'), label).not.toBeNull()
  }
  await page.getByText('8 to 20 characters. Leave empty to keep the current password.').waitFor()
  await page.getByLabel(texts.remainingQuota, { exact: true }).fill('3')
  await page.getByLabel('Group', { exact: true }).first().press('ArrowDown')
  await page.getByRole('option', { name: 'vip', exact: true }).click()
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, 'User info updated.').waitFor()

  const row = rowOf(page, 'dora')
  await row.getByText('$3.00').waitFor()
  await chooseAction(page, texts, 'dora', texts.edit)
  await page.getByRole('button', { name: texts.cancel }).click()
  await page.waitForURL((url) => url.pathname === '/user')
  await row.getByText('vip', { exact: true }).waitFor()
  await chooseAction(page, texts, 'dora', 'Promote')
  await page.getByRole('button', { name: 'Promote dora' }).click()
  await row.getByText('administrator', { exact: true }).waitFor()
  await chooseAction(page, texts, 'dora', 'Demote')
  await page.getByRole('button', { name: 'Demote dora' }).click()
  await row.getByText('user', { exact: true }).waitFor()
  await chooseAction(page, texts, 'dora', texts.disable)
  await page.getByRole('button', { name: 'Disable one user' }).click()
  await row.getByText('banned').waitFor()
  await chooseAction(page, texts, 'dora', texts.enable)
  await row.getByText('active').waitFor()
  await chooseAction(page, texts, 'dora', texts.delete)
  await page.getByRole('button', { name: 'Delete dora' }).click()
  await row.waitFor({ state: 'detached' })
})

test('the page of the super administrator offers nothing that the server refuses', async () => {
  const page = await world.open({ session })
  await page.goto('/user/1')
  await heading(page, 'root').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).last().waitFor()
  expect(await page.getByRole('switch').count()).toBe(0)
  expect(await page.getByRole('button', { name: texts.addQuota }).count()).toBe(0)
})

test('the unlimited quota of the super administrator is a switch, not an amount', async () => {
  const { page } = await rootPage()
  await page.goto('/user/edit/1')
  const unlimited = page.getByRole('switch', { name: 'Unlimited quota' })
  const quota = page.getByLabel(texts.remainingQuota, { exact: true })
  await unlimited.waitFor()
  expect([await unlimited.isChecked(), await quota.count()]).toEqual([true, 0])
  await unlimited.click()
  expect(await quota.inputValue()).toBe('')
  await quota.fill('5')
  await page.getByRole('button', { name: texts.save }).click()
  await rowOf(page, 'root').getByText('$5.00', { exact: true }).first().waitFor()
  await page.goto('/user/edit/1')
  await quota.fill('1000000000')
  await page.getByRole('button', { name: texts.save }).click()
  await rowOf(page, 'root').getByText('unlimited', { exact: true }).waitFor()
  const { text } = await saveFile(page, page.getByRole('button', { name: texts.csv }))
  expect(text).toMatch(/,root,.*,unlimited,/)
})

test('the super administrator cannot be changed, and the menu says why', async () => {
  const { page } = await rootPage()
  await page.goto('/user')
  await page.getByRole('button', { name: texts.actionsOf('root') }).click()
  for (const action of ['Promote', 'Demote', texts.disable, texts.delete]) {
    const item = page.getByRole('menuitem', { name: new RegExp(`^${action}`) })
    expect(await item.getAttribute('aria-disabled'), action).toBe('true')
    expect((await item.innerText()).length, action).toBeGreaterThan(action.length + 10)
  }
})

test('filtered users get a group and quota at once, after a preview', async () => {
  const { page } = await rootPage()
  await page.goto('/user?role=user')
  await expect.poll(() => names(page)).toEqual(['alice', 'bob', 'carol'])
  // The groups are requested when the list is opened for the first time.
  await page.getByRole('combobox', { name: 'Group' }).click()
  await page.getByRole('option', { name: 'default', exact: true }).click()
  await page.waitForURL(/group=default/)
  await page.goto('/user?role=user')
  await page.getByRole('combobox', { name: 'Last request' }).click()
  await page.getByRole('option', { name: 'within a day' }).click()
  await page.getByText(/^No /).first().waitFor()
  await page.goto('/user?role=user&active=never')
  for (const name of ['alice', 'bob']) {
    await rowOf(page, name).getByRole('checkbox').check()
  }
  const bar = page.getByRole('group').filter({ has: page.getByText('2 selected') })
  await bar.getByRole('button', { name: 'Set group …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Group' }).click()
  await page.getByRole('option', { name: 'vip', exact: true }).click()
  await dialog.getByText('default → vip').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Change 2 users' }).click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, 'bob').getByText('vip', { exact: true }).waitFor()

  await bar.getByRole('button', { name: 'Add quota …' }).click()
  await dialog.getByText('$0.00 → $1.00').first().waitFor()
  await expectGoodLook(page, '[role=dialog]')
  await dialog.getByRole('button', { name: 'Add $2.00 in total' }).click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, 'alice').getByText('$1.00').waitFor()

  // The network drops after the server has credited the second user.
  let calls = 0
  await page.route('**/api/topup', async (route) => {
    calls += 1
    if (calls !== 2) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await bar.getByRole('button', { name: 'Add quota …' }).click()
  await dialog.locator('input:focus').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.locator('button:focus').filter({ hasText: 'Add quota …' }).click()
  await dialog.getByRole('button', { name: 'Add $2.00 in total' }).click()
  await rowOf(page, 'bob').getByText('$2.00').waitFor()
  await bar.getByRole('button', { name: 'Add quota …' }).click()
  await dialog.getByText('It credited one of these users').waitFor()
  expect(await dialog.getByRole('listitem').count()).toBe(1)
  await dialog.getByRole('button', { name: 'Add $1.00 in total' }).click()
  await bar.getByRole('button', { name: 'Add quota …' }).click()
  await dialog.getByRole('button', { name: 'Add $2.00 in total' }).waitFor()
  expect(calls).toBe(3)
  await page.unroute('**/api/topup')
  const { data } = await world.asRoot(userEndpoints.listUsers, { query: { group: 'vip' } })
  expect(data.map(({ quota }) => quota)).toEqual([1_000_000, 1_000_000])

  await page.goto('/user')
  await page.getByRole('textbox', { name: 'Balance from' }).fill('0.5')
  await page.keyboard.press('Tab')
  const focused = page.locator('input:focus')
  await expect.poll(() => focused.getAttribute('aria-label')).toBe('Balance to')
  await expect.poll(() => new URL(page.url()).searchParams.get('quota_min')).toBe('250000')
  await rowOf(page, 'carol').waitFor({ state: 'detached' })
  await expect.poll(() => names(page)).toEqual(expect.arrayContaining(['alice', 'bob']))
  expect(await names(page)).not.toContain('carol')
})

test('the page of a user shows balance, tokens, requests and the ledger', async () => {
  const { data } = await world.asRoot(userEndpoints.searchUsers, { query: { keyword: 'carol' } })
  const id = data[0]?.id ?? 0
  const body = { user_id: id, quota: 1_500_000, remark: 'goodwill' }
  await world.asRoot(topUpEndpoints.grantQuota, { body })
  const { page } = await rootPage()
  await page.goto('/user')
  await rowOf(page, 'carol').getByRole('cell', { name: 'carol', exact: true }).first().click()
  await heading(page, 'carol').waitFor()
  await page.getByText('$3.00').first().waitFor()
  await page.getByText('No requests in the last seven days.').waitFor()
  // One landmark of the name.
  await page.getByRole('region', { name: 'Tokens' }).waitFor()
  const tokens = page.getByRole('link', { name: 'Search, disable or revoke tokens' })
  expect(await tokens.getAttribute('href')).toBe(`/user/token?user=${id}`)
  const usage = page.getByRole('link', { name: 'Explore usage' })
  expect(await usage.getAttribute('href')).toBe(`/usage?user=${id}`)
  await page.getByText('Last requests', { exact: true }).click()
  await page.getByText('This user has made no request yet.').waitFor()
  await page.getByText('Ledger', { exact: true }).click()
  const entry = page.getByRole('row').filter({ hasText: 'goodwill' })
  await entry.getByText('Top-up: goodwill', { exact: true }).waitFor()
  await entry.getByText('root', { exact: true }).waitFor()
  await page.getByText('Invited users', { exact: true }).click()
  await page.getByText('This user has invited nobody.').waitFor()
  await page.getByRole('switch', { name: 'active' }).click()
  await page.getByText('They are logged out at once').waitFor()
  await page.getByRole('button', { name: 'Disable one user' }).click()
  await page.getByText('banned', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).last().click()
  await heading(page, 'Edit user carol').waitFor()
})

let owners = 0

/** A user with a token of their own for each test, so that a test can be retried. */
async function addOwner() {
  owners += 1
  const username = `owner${owners}`
  const { data } = await addUser(world, username, PASSWORD)
  const name = `leaked ${owners}`
  const key = await tokenOf(world, await signedIn(world, { username, password: PASSWORD }), name)
  return { id: data.id, username, name, key }
}

test('a leaked key is found by its beginning, disabled, and revoked', async () => {
  const owned = await addOwner()
  const headers = { authorization: `Bearer ${owned.key}` }
  const works = async () => (await fetch(`${world.server.url}/v1/models`, { headers })).status
  const { page } = await rootPage()
  await page.goto('/user/token')
  await heading(page, texts.pages.userTokens).waitFor()
  await search(page, owned.key.slice(0, 14))
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  const row = rowOf(page, owned.name)
  await row.getByText(owned.username, { exact: true }).waitFor()
  expect(page.url(), 'no key in the address').not.toContain(owned.key.slice(3, 14))
  expect(await page.content()).not.toContain(owned.key.slice(3))
  expect(await works()).toBe(200)
  await chooseAction(page, texts, owned.name, texts.disable)
  await row.getByText('disabled', { exact: true }).waitFor()
  await expect.poll(works).toBe(401)
  await chooseAction(page, texts, owned.name, texts.enable)
  await row.getByText('enabled', { exact: true }).waitFor()
  await chooseAction(page, texts, owned.name, 'Revoke')
  const title = `Revoke the token ${owned.name} of ${owned.username}?`
  const question = page.getByRole('dialog', { name: title })
  await question.getByRole('button', { name: `Revoke ${owned.name}` }).click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(works).toBe(401)
})

test('the tokens of a user are reached from the list of users', async () => {
  const owned = await addOwner()
  const { page } = await rootPage()
  await page.goto('/user')
  await chooseAction(page, texts, owned.username, 'Tokens')
  await page.getByText(`Tokens of user ${owned.id}`).waitFor()
  await rowOf(page, owned.name).waitFor()
  const owners = page.getByRole('cell', { name: owned.username, exact: true })
  expect(await owners.count()).toBe((await page.getByRole('row').count()) - 1)
  await expectGoodLook(page, 'main')
  await page.getByRole('button', { name: 'Show all users' }).click()
  await page.getByText(`Tokens of user ${owned.id}`).waitFor({ state: 'detached' })
})
