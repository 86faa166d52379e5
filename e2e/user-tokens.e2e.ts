import { beforeEach, expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { findViolations } from './accessibility.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { chooseAction, heading, rowOf, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'

const OWN = {
  en: {
    tokens: 'Tokens',
    all: 'Show all users',
    of: (id: number) => `Tokens of user ${id}`,
    disabled: 'disabled',
    enabled: 'enabled',
    revoke: 'Revoke',
    title: (name: string, user: string) => `Revoke the token ${name} of ${user}?`,
    verb: (name: string) => `Revoke ${name}`,
  },
  zh: {
    tokens: '令牌',
    all: '查看所有用户',
    of: (id: number) => `用户 ${id} 的令牌`,
    disabled: '已禁用',
    enabled: '已启用',
    revoke: '吊销',
    title: (name: string, user: string) => `吊销 ${user} 的令牌 ${name}？`,
    verb: (name: string) => `吊销 ${name}`,
  },
} as const

const PASSWORD = 'a long password'

let made = 0

const world = openOneWorld()
const session = sessionOf(world)

type Owned = { id: number; username: string; name: string; key: string }
let owned: Owned

/** A user with a token of their own for each test, so that a test can be retried. */
beforeEach(async () => {
  made += 1
  const username = `owner${made}`
  const { data } = await world.asRoot(userEndpoints.createUser, {
    body: { username, password: PASSWORD },
  })
  const name = `leaked ${made}`
  const user = await signedIn(world, { username, password: PASSWORD })
  const key = await tokenOf(world, user, { name, unlimited_quota: true })
  owned = { id: data.id, username, name, key }
})

test('the texts are the same messages in both languages', () => expectTranslated(OWN))

const texts = TEXTS.en
const own = OWN.en

const open = async (path: string) => {
  const page = await world.open({ session })
  await page.goto(path)
  return page
}
const works = async () =>
  (
    await fetch(`${world.server.url}/v1/models`, {
      headers: { authorization: `Bearer ${owned.key}` },
    })
  ).status

test('a leaked key is found by its beginning, disabled, and revoked', async () => {
  const page = await open('/user/token')
  await heading(page, texts.pages.userTokens).waitFor()
  const search = page.getByRole('search').getByRole('textbox')
  await search.fill(owned.key.slice(0, 14))
  await search.press('Enter')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  const row = rowOf(page, owned.name)
  await row.getByText(owned.username, { exact: true }).waitFor()
  expect(page.url(), 'no key in the address').not.toContain(owned.key.slice(3, 14))
  expect(await page.content()).not.toContain(owned.key.slice(3))
  expect(await works()).toBe(200)
  await chooseAction(page, texts, owned.name, texts.disable)
  await row.getByText(own.disabled, { exact: true }).waitFor()
  await expect.poll(works).toBe(401)
  await chooseAction(page, texts, owned.name, texts.enable)
  await row.getByText(own.enabled, { exact: true }).waitFor()
  await chooseAction(page, texts, owned.name, own.revoke)
  const question = page.getByRole('dialog', {
    name: own.title(owned.name, owned.username),
  })
  await question.getByRole('button', { name: own.verb(owned.name) }).click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(works).toBe(401)
})

test('the tokens of a user are reached from the list of users', async () => {
  const page = await open('/user')
  await chooseAction(page, texts, owned.username, own.tokens)
  await page.getByText(own.of(owned.id)).waitFor()
  await rowOf(page, owned.name).waitFor()
  const owners = page.getByRole('cell', { name: owned.username, exact: true })
  expect(await owners.count()).toBe((await page.getByRole('row').count()) - 1)
  expect(await findViolations(page, 'main')).toEqual([])
  await page.getByRole('button', { name: own.all }).click()
  await page.getByText(own.of(owned.id)).waitFor({ state: 'detached' })
})
