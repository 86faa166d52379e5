import { Copy } from 'lucide-react'
import { maskCode, type Redemption } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { useManualCopy } from '../../ui/data-table/list-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { labelOf } from './redemption-values.ts'
import classes from './redemptions.module.css'

/** Masked because a code is worth money; copying works without revealing the code. */
export function CodeCell({ redemption }: { redemption: Redemption }) {
  const { t } = useTranslation()
  const { key } = redemption
  const onManual = useManualCopy()
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
