import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findInLight, findViolations, overflowOf, type Within } from './accessibility.ts'
import type { Language } from './texts.ts'

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Changes the language as another tab does, since a dialog would cover the menu. */
export async function showLanguage(page: Page, language: Language) {
  if (await page.evaluate(`document.documentElement.lang.startsWith('${language}')`)) return
  await page.evaluate(`{
    localStorage.setItem('language', '${language}')
    dispatchEvent(new StorageEvent('storage', { key: 'language' }))
  }`)
  await page.locator(`html[lang^=${language}]`).waitFor({ state: 'attached' })
}

/** Finds missing translations, which show as their key. */
const rawKeys = (page: Page) =>
  page.evaluate<string[]>(`
    [document.title, document.body.innerText]
      .concat([...document.querySelectorAll('*')].flatMap((element) =>
        ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? '')))
      .flatMap((text) => text.match(/\\b(?:common|app|home|session|channel|token|user|log|account|entry|identity|factor|factorNeeded|redemption|topup|partner|content|table|palette|steps|dashboard|settings|chart|receipt|catalog|code|connect|play|start|noBalance|nav)\\.[a-z]\\w*\\.[a-z]\\w*/g) ?? [])
  `)

/**
 * Expects that an English page is accessible, fits on a phone and lacks no translation, and the
 * same of its Chinese texts, in dark colours. `also` runs in both languages. Each change of the
 * window, the language or the theme draws the whole page, so the page goes through few of them.
 */
export async function expectGoodLook(
  page: Page,
  within: Within = 'html',
  also?: (language: Language) => Promise<unknown>,
) {
  const size = page.viewportSize() ?? WIDE
  await showLanguage(page, 'en')
  await also?.('en')
  expect(await rawKeys(page)).toEqual([])
  expect(await findInLight(page, within)).toEqual([])
  await page.setViewportSize(PHONE)
  await expect.poll(() => overflowOf(page)).toBe(0)
  await showLanguage(page, 'zh')
  await expect.poll(() => overflowOf(page)).toBe(0)
  await page.setViewportSize(size)
  await also?.('zh')
  expect(await rawKeys(page)).toEqual([])
  expect(await findViolations(page, within)).toEqual([])
  await showLanguage(page, 'en')
}
