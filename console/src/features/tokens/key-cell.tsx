import { ChevronDown, Copy, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Token } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { exampleModel, useCatalog } from '../../lib/catalog.ts'
import { copyText } from '../../lib/clipboard.ts'
import { maskKey, splitList } from '../../lib/format.ts'
import { useServerAddress, useStatus } from '../../lib/status.ts'
import { useManualCopy } from '../../ui/data-table/list-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { IconMenu } from '../../ui/icon-menu.tsx'
import type { Overlays } from '../../ui/late-overlays.ts'
import { copyFormats } from './copy-formats.ts'
import classes from './tokens.module.css'

const REVEALED_MS = 30_000

/** Masked key. Copying works without revealing the key; revealed, it hides after 30 s. */
export function KeyCell({ token }: { token: Token }) {
  const { t } = useTranslation()
  const onManual = useManualCopy()
  const [isShown, setIsShown] = useState(false)
  const { key, name } = token

  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setIsShown(false), REVEALED_MS)
    return () => clearTimeout(timer)
  }, [isShown])

  return (
    <span className={classes['key']}>
      <code className={classes['code']}>{isShown ? `sk-${key}` : maskKey(key)}</code>
      <IconButton
        size={24}
        aria-label={t(isShown ? 'token.list.conceal' : 'token.list.reveal', { name })}
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
      </IconButton>
      <IconButton
        size={24}
        aria-label={t('token.list.copy', { name })}
        onClick={() => void copyText(`sk-${key}`, onManual)}
      >
        <Copy size={14} aria-hidden />
      </IconButton>
      <IconMenu
        size={24}
        aria-label={t('token.list.formats', { name })}
        icon={<ChevronDown size={14} aria-hidden />}
      >
        {(_focus, { Menu }) => <Formats token={token} Item={Menu.Item} />}
      </IconMenu>
    </span>
  )
}

type FormatsProps = { token: Token; Item: Overlays['Menu']['Item'] }

function Formats({ token, Item }: FormatsProps) {
  const { t } = useTranslation()
  const onManual = useManualCopy()
  const serverAddress = useServerAddress()
  const chatLink = useStatus()?.chat_link ?? ''
  const model = exampleModel(useCatalog().data, splitList(token.models))
  return copyFormats(token.key, { serverAddress, chatLink, model }).map(({ id, label, text }) => (
    <Item key={id} onClick={() => void copyText(text, onManual)}>
      {t(label)}
    </Item>
  ))
}
