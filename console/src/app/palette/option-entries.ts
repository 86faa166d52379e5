import { OPTION_SECTIONS, optionKeys, OPTIONS } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import type { Entry } from './entry.ts'

/** An entry per setting, which leads to its section. Loaded with the first search. */
export function optionEntries(): Entry[] {
  const language = currentLanguage()
  return optionKeys.map((key) => {
    const { label, section } = OPTIONS[key]
    const { tab, title } = OPTION_SECTIONS[section]
    return {
      id: `settings-${key}`,
      group: 'settings',
      label: label[language],
      hint: title[language],
      words: `${label.en} ${label.zh} ${key} ${title.en} ${title.zh}`,
      to: `/setting/${tab}#${section}`,
    }
  })
}
