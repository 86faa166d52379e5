import { Copy } from 'lucide-react'
import { useTranslation } from '../i18n/use-translation.ts'
import { copyText } from '../lib/clipboard.ts'
import classes from './copyable.module.css'
import { IconButton } from './icon-button.tsx'

type Props = {
  text: string
  label: string
  block?: boolean
  /** Stands for the text on the screen if the text contains a secret. */
  shown?: string
}

export function Copyable({ text, label, block = false, shown = text }: Props) {
  const { t } = useTranslation()
  return (
    <span className={classes['copyable']} data-block={block || undefined}>
      <code className={classes['code']} aria-label={label}>
        {shown}
      </code>
      <IconButton
        size={24}
        aria-label={`${t('common.action.copy')}: ${label}`}
        onClick={() => void copyText(text)}
      >
        <Copy size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
