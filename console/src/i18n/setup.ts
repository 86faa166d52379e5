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
  return i18next.resolvedLanguage === 'zh' ? 'zh' : 'en'
}

export async function changeLanguage(language: Language) {
  setStored('language', language)
  await i18next.changeLanguage(language)
}

type FeatureTexts = { name: string; messages: { en: object; zh: object } }

export async function setUpTexts(features: readonly FeatureTexts[]) {
  i18next.on('languageChanged', () => {
    document.documentElement.lang = HTML_LANG[currentLanguage()]
  })
  const parts = [{ name: 'common', messages: commonMessages }, ...features]
  const texts = (language: Language) => ({
    translation: Object.fromEntries(parts.map((part) => [part.name, part.messages[language]])),
  })
  await i18next.use(initReactI18next).init({
    lng: preferredLanguage(getStored('language'), navigator.languages),
    fallbackLng: 'en',
    resources: { en: texts('en'), zh: texts('zh') },
    interpolation: { escapeValue: false },
  })
}
