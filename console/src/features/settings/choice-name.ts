import type { OptionKey } from '@tollgate/contract'
import { t } from '../../i18n/texts.ts'
import type { TextKey } from '../../i18n/types.ts'
import './choice.messages.ts'

type Names = Readonly<Record<string, TextKey>>

/** Choices that are words. Numbers stand for themselves. */
const NAMES: Partial<Record<OptionKey, Names>> = {
  EmptyAnswers: {
    charge: 'choice.emptyAnswers.charge',
    free: 'choice.emptyAnswers.free',
    retry: 'choice.emptyAnswers.retry',
  },
}

export function choiceName(key: OptionKey, value: string): string {
  const name = NAMES[key]?.[value]
  return name === undefined ? value : t(name)
}
