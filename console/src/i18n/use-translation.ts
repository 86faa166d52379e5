import { useSyncExternalStore } from 'react'
import { currentLanguage, onLanguage, TRANSLATE } from './texts.ts'

/** The texts of the current language; the component renders again when the language changes. */
export function useTranslation() {
  const language = useSyncExternalStore(onLanguage, currentLanguage, currentLanguage)
  return { t: TRANSLATE[language], language }
}
