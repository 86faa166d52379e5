import axe, { type AxeResults, type RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const STANDARD: RunOnly = { type: 'tag', values: TAGS }
export type Within = string | { exclude: string }

const COLORS: RunOnly = { type: 'rule', values: ['color-contrast'] }

/** Rules about colours, about texts, and about sizes, which depend on texts. */
const LOOKS: RunOnly = {
  type: 'rule',
  values: axe
    .getRules(TAGS)
    .map(({ ruleId }) => ruleId)
    .filter((id) => /alt$|name$|title|label|lang|^target-size$|^scrollable|^color-/.test(id)),
}

/**
 * Both themes have the same structure, so the dark theme needs only the colour rules. Both
 * languages have the same structure, so Chinese pages need only the rules about looks, which run in
 * the dark theme. Each test that calls this in Chinese runs in English as well.
 */
export async function findViolations(page: Page, within: Within = 'html'): Promise<string[]> {
  const language = await page.evaluate<string>('document.documentElement.lang')
  if (language.startsWith('zh')) return findInDark(page, within, LOOKS)
  const inLight = await findInLight(page, within)
  return [...inLight, ...(await findInDark(page, within, COLORS))]
}

/** For an English page whose Chinese form goes through `findViolations`, in the dark theme. */
export const findInLight = (page: Page, within: Within) => runAxe(page, within, STANDARD)

async function findInDark(page: Page, within: Within, rules: RunOnly) {
  await showTheme(page, 'dark')
  const violations = await runAxe(page, within, rules)
  await showTheme(page, 'light')
  return violations.map((violation) => `dark: ${violation}`)
}

async function runAxe(page: Page, within: Within, runOnly: RunOnly) {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(within)}, ${options})`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}

async function showTheme(page: Page, theme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor()
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
}

export const overflowOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
