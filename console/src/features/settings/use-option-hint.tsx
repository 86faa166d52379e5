import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type OptionKey, OPTIONS } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { unconfirmedQuery } from '../../lib/unconfirmed.ts'
import classes from './settings.module.css'
import './waiting.messages.ts'

/** Option hint, plus a note while its last change awaits the super administrator. */
export function useOptionHint(
  key: OptionKey,
  hint = OPTIONS[key].hint?.[currentLanguage()],
): ReactNode {
  const { t } = useTranslation()
  const decidesIdentity = OPTIONS[key].identity !== undefined
  const { data = [] } = useQuery({ ...unconfirmedQuery, enabled: decidesIdentity })
  const change = data.find((waiting) => waiting.key === key)
  if (change === undefined) return hint
  return (
    <>
      {hint}
      <span className={classes['waiting']}>
        <ShieldAlert size={14} aria-hidden />
        <span>{t('waiting.note', { name: change.actor_name })}</span>
      </span>
    </>
  )
}
