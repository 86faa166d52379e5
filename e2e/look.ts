import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findInLight, findViolations, overflowOf, type Within } from './accessibility.ts'
import type { Language } from './texts.ts'

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Changes the language as another tab does, since a dialog would cover the menu. */
async function showLanguage(page: Page, language: Language) {
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
 * same of its Chinese texts. `also` runs in both languages.
 */
export async function expectGoodLook(
  page: Page,
  within: Within = 'html',
  also?: (language: Language) => Promise<unknown>,
) {
  for (const language of ['en', 'zh'] as const) {
    await showLanguage(page, language)
    await also?.(language)
    expect(await rawKeys(page)).toEqual([])
    const find = language === 'en' ? findInLight : findViolations
    expect(await find(page, within)).toEqual([])
    const size = page.viewportSize() ?? WIDE
    await page.setViewportSize(PHONE)
    await expect.poll(() => overflowOf(page)).toBe(0)
    await page.setViewportSize(size)
  }
  await showLanguage(page, 'en')
}
