import type { Language } from '@tollgate/contract'
import { getStored, onStored, setStored } from '../lib/storage.ts'
import { commonMessages } from './messages.ts'
import { preferredLanguage } from './preferred-language.ts'
import { addTexts, currentLanguage, onLanguage, showLanguage } from './texts.ts'

const HTML_LANG = { en: 'en', zh: 'zh-CN' } as const

export const changeLanguage = (language: Language) => setStored('language', language)

/** Shows the preferred language, here and in the other tabs, with the texts every page needs. */
export function setUpTexts(sets: Readonly<Record<string, { en: object; zh: object }>>) {
  addTexts('common', commonMessages)
  for (const [name, texts] of Object.entries(sets)) addTexts(name, texts)
  const follow = () => showLanguage(preferredLanguage(getStored('language'), navigator.languages))
  const mark = () => (document.documentElement.lang = HTML_LANG[currentLanguage()])
  onStored('language', follow)
  onLanguage(mark)
  follow()
  mark()
}
