import type { Language } from '@tollgate/contract'

/** The stored choice, else the first supported browser language, else English. */
export function preferredLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored === 'en' || stored === 'zh') return stored
  for (const tag of browser) {
    if (tag.toLowerCase().startsWith('zh')) return 'zh'
    if (tag.toLowerCase().startsWith('en')) return 'en'
  }
  return 'en'
}
