import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Language } from '@tollgate/contract'
import { getStored, setStored } from '../lib/storage.ts'
import { commonMessages } from './messages.ts'

const HTML_LANG = { en: 'en', zh: 'zh-CN' } as const

/** What was chosen before, else the first of the browser's languages that we have. */
export function preferredLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored === 'en' || stored === 'zh') return stored
  for (const tag of browser) {
    if (tag.toLowerCase().startsWith('zh')) return 'zh'
    if (tag.toLowerCase().startsWith('en')) return 'en'
  }
  return 'en'
}

export function currentLanguage(): Language {
  return i18next.language === 'zh' ? 'zh' : 'en'
}

export async function changeLanguage(language: Language) {
  setStored('language', language)
  await i18next.changeLanguage(language)
}

type Texts = { en: object; zh: object }

/** Adds texts under a name; a page's own come when it is loaded. */
export function addTexts(name: string, texts: Texts) {
  for (const language of ['en', 'zh'] as const) {
    i18next.addResourceBundle(language, 'translation', { [name]: texts[language] }, true, true)
  }
}

/** Begins with the texts every page needs, each set under its name. */
export async function setUpTexts(sets: Readonly<Record<string, Texts>>) {
  i18next.on('languageChanged', () => {
    document.documentElement.lang = HTML_LANG[currentLanguage()]
  })
  await i18next.use(initReactI18next).init({
    lng: preferredLanguage(getStored('language'), navigator.languages),
    fallbackLng: 'en',
    resources: {},
    interpolation: { escapeValue: false },
  })
  addTexts('common', commonMessages)
  for (const [name, texts] of Object.entries(sets)) addTexts(name, texts)
}
