import axe, { type AxeResults, type RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'

const STANDARD: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
}
type Rules = Record<string, { enabled: boolean }>
export type Within = string | { exclude: string }

const COLORS: RunOnly = { type: 'rule', values: ['color-contrast'] }

const COLOURLESS: Rules = { 'color-contrast': { enabled: false } }

/**
 * Both themes have the same structure, so the dark theme needs only the colour rules. Both
 * languages have the same colours, which take most of the time, so Chinese pages need only the
 * other rules. Each test that calls this in Chinese runs in English as well.
 */
export async function findViolations(page: Page, within: Within = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  const language = await page.evaluate<string>('document.documentElement.lang')
  if (language.startsWith('zh')) return runAxe(page, within, STANDARD, COLOURLESS)
  const structure = await runAxe(page, within, STANDARD)
  await showTheme(page, 'dark')
  const colors = await runAxe(page, within, COLORS)
  await showTheme(page, 'light')
  return [...structure, ...colors.map((violation) => `dark: ${violation}`)]
}

async function runAxe(page: Page, within: Within, runOnly: RunOnly, rules: Rules = {}) {
  const options = JSON.stringify({ runOnly, rules, resultTypes: ['violations'] })
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
