import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations, overflowOf, type Within } from './accessibility.ts'
import type { Language } from './texts.ts'

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** The instance of i18next, from the first component that has translated a text. */
const I18NEXT = `(() => {
  const root = document.querySelector('#root')
  const inHooks = (hook) =>
    hook && typeof hook === 'object' && (hook.memoizedState?.i18n ?? inHooks(hook.next))
  const inTree = (first) => {
    for (let fiber = first; fiber; fiber = fiber.sibling) {
      const found = inHooks(fiber.memoizedState) || inTree(fiber.child)
      if (found) return found
    }
  }
  return inTree(root[Object.keys(root).find((key) => key.startsWith('__reactContainer$'))])
})()`

/** Changes the language of the page as it is, without the menu, which a dialog would cover. */
async function showLanguage(page: Page, language: Language) {
  await page.evaluate(`${I18NEXT}.changeLanguage('${language}')`)
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
  within?: Within,
  also?: (language: Language) => Promise<unknown>,
) {
  for (const language of ['en', 'zh'] as const) {
    await showLanguage(page, language)
    await also?.(language)
    expect(await rawKeys(page)).toEqual([])
    expect(await findViolations(page, within)).toEqual([])
    const size = page.viewportSize() ?? WIDE
    await page.setViewportSize(PHONE)
    await expect.poll(() => overflowOf(page)).toBe(0)
    await page.setViewportSize(size)
  }
  await showLanguage(page, 'en')
}
