import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { fillWorld } from './realistic-world.ts'
import { clipboard, heading, message } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en
const CAROL = { username: 'carol', password: 'carol is here' }

const world = openOneWorld(async () => {
  await fillWorld(world, { hurried: true })
  await world.asRoot(userEndpoints.createUser, { body: CAROL })
})
const session = sessionOf(world)
const carol = sessionOf(world, CAROL)

const rows = (page: Page) => page.getByRole('table', { name: 'Models' }).locator('tr[data-row]')

const namesOf = (page: Page) => rows(page).locator('td:first-child').allInnerTexts()

test('a customer sees what can be called, at what price, and copies code', async () => {
  const page = await world.open({ session: carol })
  await page.goto('/catalog')
  await rows(page).first().waitFor()
  const model = rows(page).filter({ hasText: 'gpt-4o-mini' })
  expect(await model.locator('td').allInnerTexts()).toEqual(
    expect.arrayContaining(['OpenAI', 'Chat', '$0.15', '$0.075', '$0.60', '128.0k']),
  )
  expect(await namesOf(page)).not.toContain('llama-3.3-70b')

  await page.getByRole('button', { name: texts.open('gpt-4o-mini') }).click()
  await page.getByText('16,384 tokens').waitFor()
  await page.getByRole('button', { name: 'Python', exact: true }).click()
  await page.getByRole('button', { name: 'Copy: Python' }).click()
  await message(page, texts.copied).waitFor()
  const code = await clipboard(page)
  expect(code).toContain('model="gpt-4o-mini"')
  expect(code).toContain(`base_url="${world.server.url}/v1"`)
})

test('models are searched, filtered and sorted, and the address keeps it', async () => {
  const page = await world.open({ session })
  await page.goto('/catalog')
  await rows(page).first().waitFor()
  await page.getByRole('textbox', { name: /^Search/ }).fill('deepseek')
  await page.keyboard.press('Enter')
  await expect.poll(() => namesOf(page)).toEqual(['deepseek-chat', 'deepseek-reasoner'])
  await page.goto('/catalog')
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Embeddings' }).click()
  await expect.poll(() => namesOf(page)).toEqual(['text-embedding-3-small'])
  expect(new URL(page.url()).searchParams.get('api')).toBe('embeddings')

  await page.goto('/catalog?vendor=OpenAI&sort=input&order=desc')
  await rows(page).first().waitFor()
  expect((await namesOf(page)).map((name) => name.split(/\s/)[0])).toEqual([
    'gpt-4o',
    'gpt-4o-mini',
    'text-embedding-3-small',
  ])
})

test('a visitor sees the models while the option is on, and else the login', async () => {
  const page = await world.open()
  await page.goto('/')
  const example = page.locator('code[aria-label="First call"]')
  await expect.poll(() => example.textContent()).toContain('"model":"your-model"')
  await page.goto('/catalog')
  await heading(page, texts.pages.login).waitFor()
  await world.setOption('PublicCatalogEnabled', true)
  try {
    await page.goto('/terms')
    await page.getByRole('navigation').getByRole('link', { name: 'Models', exact: true }).click()
    await rows(page).first().waitFor()
    expect(await namesOf(page)).toContain('text-embedding-3-small')
  } finally {
    await world.setOption('PublicCatalogEnabled', false)
  }
})
