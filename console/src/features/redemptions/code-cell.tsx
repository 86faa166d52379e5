import { Copy } from 'lucide-react'
import { createContext, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import type { Redemption } from '@tollgate/contract'
import { copyText } from '../../lib/clipboard.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { labelOf, maskCode } from './redemption-values.ts'
import classes from './redemptions.module.css'

/** Where a code goes that the browser refused to copy. */
export const ManualCopy = createContext<(text: string) => void>(() => {})

/** The code masked, for it is money; it can be copied without being shown. */
export function CodeCell({ redemption }: { redemption: Redemption }) {
  const { t } = useTranslation()
  const { key } = redemption
  const onManual = useContext(ManualCopy)
  return (
    <span className={classes['code']}>
      <code>{maskCode(key)}</code>
      <IconButton
        size={24}
        aria-label={t('redemption.list.copy', { name: labelOf(redemption) })}
        onClick={() => void copyText(key, onManual)}
      >
        <Copy size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
