import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { parseTime } from '../console/src/lib/format.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { chooseAction, clipboard, heading, message, rowOf } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en
const DAY_SECONDS = 86_400
const settings = z.object({ env: z.record(z.string(), z.string()) })

const world = openOneWorld(async () => {
  await world.addChannel('openai', 'gpt-4o,o3', healthyProvider(usageOf(10, 0, 2)))
})
const session = sessionOf(world)

test('a new token has a quota of $1, 500 000 units, and its expiry is set with one press', async () => {
  const page = await world.open({ session })
  // The clock of this computer is years ahead.
  await page.clock.setFixedTime(new Date(2040, 4, 1))
  const begun = Math.floor(Date.now() / 1000)
  await page.goto('/token/add')
  const quota = page.getByLabel(texts.remainingQuota, { exact: true })
  expect(await quota.inputValue()).toBe('$1')
  await page.getByText('500,000 units', { exact: true }).waitFor()
  const expires = page.getByLabel(texts.tokenExpires, { exact: true })
  for (const [name, seconds] of [
    ['30 days', 30 * DAY_SECONDS],
    ['1 day', DAY_SECONDS],
    ['1 hour', 3600],
    ['1 minute', 60],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click()
    const counted = (parseTime(await expires.inputValue()) ?? 0) - seconds
    expect(counted, name).toBeGreaterThanOrEqual(begun)
    expect(counted, name).toBeLessThanOrEqual(Date.now() / 1000)
  }
  await page.getByRole('button', { name: 'Never', exact: true }).click()
  expect(await expires.inputValue()).toBe('')
  // The sign stays, so that nobody saves 5 for -5.
  await quota.fill('-5')
  await quota.blur()
  expect(await quota.inputValue()).toBe('-$5')
  await page.getByText('Enter an amount of 0 or more.').waitFor()
  await page.getByRole('switch', { name: 'Unlimited quota' }).check()
  expect(await quota.count()).toBe(0)
})

test('a token is edited, and an unlisted model can be added', async () => {
  const name = `laptop ${randomUUID().slice(0, 8)}`
  await world.asRoot(tokenEndpoints.createToken, { body: { name, remain_quota: 7 } })
  const page = await world.open({ session })
  await page.goto('/token')
  await page.getByText('API base URL:').waitFor()
  await page.getByText(`${world.server.url}/v1`, { exact: true }).waitFor()
  await chooseAction(page, texts, name, texts.edit)
  await heading(page, `Edit token ${name}`).waitFor()
  expect(await page.getByLabel(texts.remainingQuota, { exact: true }).inputValue()).toBe(
    '$0.000014',
  )
  await page.getByRole('combobox', { name: 'Models' }).fill('my-own-model')
  await page.getByRole('option', { name: 'Add my-own-model' }).click()
  await page.keyboard.press('Control+Enter')
  await message(page, 'Token updated.').waitFor()
  const { data } = await world.asRoot(tokenEndpoints.listTokens, { query: {} })
  expect(data.find(({ name: shown }) => shown === name)).toMatchObject({
    models: 'my-own-model',
    remain_quota: 7,
  })
})

test('a token that has ended works again once it is given more', async () => {
  const body = { name: 'used up', remain_quota: 0 }
  const { data: token } = await world.asRoot(tokenEndpoints.createToken, { body })
  expect(token.status).toBe(TOKEN_STATUS.exhausted)
  const page = await world.open({ session })
  await page.goto(`/token/edit/${token.id}`)
  await page.getByLabel(texts.remainingQuota, { exact: true }).fill('5')
  await page.keyboard.press('Control+Enter')
  await message(page, 'Token updated.').waitFor()
  const { data } = await world.asRoot(tokenEndpoints.getToken, { params: { id: token.id } })
  expect(data).toMatchObject({ status: TOKEN_STATUS.enabled, remain_quota: 2_500_000 })
})

test('lists take the commas of Chinese keyboards, and no key of an input method', async () => {
  const page = await world.open({ session })
  await page.goto('/token/add')
  await page.getByLabel('Name', { exact: true }).fill('listed')
  const models = page.getByRole('combobox', { name: 'Models' })
  await models.fill('ce')
  // Safari ends the composition before the Enter that confirms its candidate.
  await page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }),
  )`)
  expect(await models.inputValue()).toBe('ce')
  await models.fill('ce shi，gpt-4o，')
  await page.getByLabel('Allowed IP ranges').fill('10.0.0.0/8， 192.168.1.1')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/\/token\/connect\//)
  const { data } = await world.asRoot(tokenEndpoints.listTokens, { query: {} })
  expect(data.find(({ name }) => name === 'listed')).toMatchObject({
    models: 'ce shi,gpt-4o',
    subnet: '10.0.0.0/8,192.168.1.1',
  })
})

test('a budget is set, shown with its remainder, and removed', async () => {
  const name = `spender ${randomUUID().slice(0, 8)}`
  await world.asRoot(tokenEndpoints.createToken, { body: { name, unlimited_quota: true } })
  const page = await world.open({ session })
  const budget = page.getByLabel(texts.tokenBudget, { exact: true })
  const amount = page.getByLabel(texts.tokenBudgetQuota, { exact: true })
  const edit = async () => {
    await page.goto('/token')
    await chooseAction(page, texts, name, texts.edit)
    await budget.waitFor()
  }
  await edit()
  expect(await page.getByRole('switch', { name: 'Unlimited quota' }).isChecked()).toBe(true)
  expect(await amount.count()).toBe(0)
  await budget.selectOption({ label: texts.tokenBudgetDay })
  expect(await amount.inputValue()).toBe('$1')
  await amount.fill('0')
  await page.keyboard.press('Control+Enter')
  await page.getByText(texts.tokenBudgetError).waitFor()
  await amount.fill('0.5')
  await page.keyboard.press('Control+Enter')
  const left = texts.tokenBudgetLeft('$0.50', '$0.50')
  await rowOf(page, name).getByText(left, { exact: true }).waitFor()

  await edit()
  expect([await budget.inputValue(), await amount.inputValue()]).toEqual(['day', '$0.5'])
  await budget.selectOption({ label: texts.tokenBudgetNone })
  await page.getByRole('button', { name: texts.save, exact: true }).click()
  await message(page, texts.tokenSaved).waitFor()
  const { data } = await world.asRoot(tokenEndpoints.listTokens, { query: {} })
  expect(data?.find((token) => token.name === name)).toMatchObject({
    budget_period: '',
    budget_quota: 0,
  })
})

test('a new token is connected, and its first request shows', async () => {
  const page = await world.open({ session })
  await page.goto('/token/add')
  await page.getByLabel(texts.tokenName, { exact: true }).fill('editor')
  await page.getByRole('combobox', { name: 'Models' }).fill('o3')
  await page.getByRole('option', { name: 'o3', exact: true }).click()
  await page.getByRole('button', { name: texts.save }).click()
  await message(page, texts.tokenCreated).waitFor()
  await heading(page, 'Connect editor').waitFor()
  await page.getByText('Waiting for the first request').waitFor()

  await page.getByRole('tab', { name: 'Claude Code' }).click()
  await page.getByRole('button', { name: 'Copy: Step 1' }).click()
  await message(page, texts.copied).waitFor()
  const { env } = settings.parse(JSON.parse(await clipboard(page)))
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: world.server.url, ANTHROPIC_MODEL: 'o3' })
  const key = env['ANTHROPIC_AUTH_TOKEN'] ?? ''
  expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/)
  expect(await page.content()).not.toContain(key)

  const answer = await fetch(`${env['ANTHROPIC_BASE_URL']}/v1/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: env['ANTHROPIC_MODEL'],
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  expect(answer.status).toBe(200)
  await page.getByText('First request received').waitFor()
  // The choice of the client is kept.
  await page.reload()
  await page.getByRole('tab', { name: 'Claude Code', selected: true }).waitFor()
  await page.getByText('Last request').waitFor()
})

test('a client opens by a link that the page does not contain', async () => {
  const body = { name: 'chat', unlimited_quota: true }
  const { data } = await world.asRoot(tokenEndpoints.createToken, { body })
  const page = await world.open({ session })
  await page.context().route('https://lobehub.com/**', (route) => route.fulfill({ body: 'opened' }))
  await page.goto(`/token/connect/${data.id}`)
  await page.getByRole('tab', { name: 'LobeChat' }).click()
  const button = page.getByRole('button', { name: 'Open in LobeChat' })
  await button.waitFor()
  expect(await page.content()).not.toContain(data.key)
  await page.getByText('The key is in the address').waitFor()
  const [opened] = await Promise.all([page.waitForEvent('popup'), button.click()])
  const { searchParams } = new URL(opened.url())
  expect(JSON.parse(searchParams.get('settings') ?? '')).toEqual({
    keyVaults: { openai: { apiKey: `sk-${data.key}`, baseURL: `${world.server.url}/v1` } },
  })
  expect(await opened.evaluate('window.opener')).toBeNull()
})
