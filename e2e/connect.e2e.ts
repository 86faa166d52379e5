import { expect, test } from 'vitest'
import { z } from 'zod'
import { channelEndpoints, tokenEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { heading, message } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en
const settings = z.object({ env: z.record(z.string(), z.string()) })

const world = openOneWorld(async () => {
  world.upstream.script('openai', healthyProvider(usageOf(10, 0, 2)))
  const base_url = world.upstream.baseUrl('openai')
  const channel = { type: 8, name: 'openai', key: 'sk-up', models: 'gpt-4o,o3', base_url }
  await world.asRoot(channelEndpoints.createChannels, { body: channel })
})
const session = sessionOf(world)

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
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  const { env } = settings.parse(JSON.parse(copied))
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
