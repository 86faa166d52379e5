import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openOneWorld, sessionOf } from './one-world.ts'
import { chooseType, message } from './steps.ts'
import { TEXTS } from './texts.ts'

const world = openOneWorld()
const session = sessionOf(world)

function watchChanges(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`)
  })
  return changes
}

// translations.ts proves the Chinese texts.
describe('what is filled in wrongly', () => {
  const texts = TEXTS.en

  test('a token without a name or with a nonsensical expiry is not sent', async () => {
    const page = await world.open({ session })
    const changes = watchChanges(page)
    await page.goto('/token/add')
    const name = page.getByLabel(texts.tokenName, { exact: true })
    await page.getByRole('button', { name: texts.save }).click()
    await page.getByText(texts.tokenNameMissing).waitFor()
    expect(await name.getAttribute('aria-invalid')).toBe('true')

    await name.fill('laptop')
    await page.getByLabel(texts.tokenExpires, { exact: true }).fill('next Tuesday')
    await page.getByRole('button', { name: texts.save }).click()
    await message(page, texts.expiryError).waitFor()
    await page.getByText(texts.expiryFormat).waitFor()
    expect(await page.getByText(texts.tokenNameMissing).count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/token/add')
    expect(changes).toEqual([])
  })

  test('a channel without name, key or models, or with a broken mapping, is not sent', async () => {
    const page = await world.open({ session })
    const changes = watchChanges(page)
    await page.goto('/channel/add')
    const save = page.getByRole('button', { name: texts.save })
    await save.click()
    await message(page, texts.nameAndKeyMissing).waitFor()
    for (const text of [texts.modelsMissing, texts.channelNameMissing, texts.channelKeyMissing]) {
      expect(await page.getByText(text).count()).toBe(1)
    }

    await page.getByLabel(texts.channelName, { exact: true }).fill('openai')
    await page.getByLabel(texts.channelKey, { exact: true }).fill('sk-upstream')
    await page.getByRole('combobox', { name: texts.channelModels }).fill('gpt-4o,')
    await page.getByLabel(texts.modelMapping).fill('{"gpt-4o": ')
    await save.click()
    await message(page, texts.mappingToast).waitFor()
    await page.getByText(texts.mappingError).waitFor()
    for (const text of [texts.modelsMissing, texts.channelNameMissing, texts.channelKeyMissing]) {
      expect(await page.getByText(text).count()).toBe(0)
    }

    await page.getByLabel(texts.modelMapping).fill('')
    await chooseType(page, texts, texts.customChannel)
    await page.getByLabel(texts.baseUrl).fill('provider.example')
    await save.click()
    await page.getByText(texts.addressError).waitFor()
    expect(new URL(page.url()).pathname).toBe('/channel/add')
    expect(changes).toEqual([])
  })

  test('a login without username or password is not sent', async () => {
    const page = await world.open()
    const changes = watchChanges(page)
    await page.goto('/login')
    await page.getByRole('main').getByRole('button', { name: texts.logIn, exact: true }).click()
    await expect.poll(() => page.getByText(texts.fillIn).count()).toBe(2)
    expect(changes).toEqual([])
  })
})
