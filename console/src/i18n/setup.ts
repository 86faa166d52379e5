import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Language } from '@tollgate/contract'
import { getStored, setStored } from '../lib/storage.ts'
import { commonMessages } from './messages.ts'

const HTML_LANG = { en: 'en', zh: 'zh-CN' } as const

/** The stored choice, else the first supported browser language, else English. */
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

/** Adds texts under a name. Page texts are added when the page loads. */
export function addTexts(name: string, texts: Texts) {
  for (const language of ['en', 'zh'] as const) {
    i18next.addResourceBundle(language, 'translation', { [name]: texts[language] }, true, true)
  }
}

/** Starts i18next with the texts that every page needs. */
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
