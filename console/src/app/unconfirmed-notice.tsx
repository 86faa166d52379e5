import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { UnconfirmedChange } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { formatList } from '../lib/format.ts'
import { unconfirmedQuery } from '../lib/unconfirmed.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import { focusMain } from './focus-main.ts'
import './unconfirmed.messages.ts'
import classes from './unconfirmed.module.css'

const loadDialog = () =>
  import('./unconfirmed-dialog.tsx').then((module) => module.UnconfirmedDialog)

/** Shows the super administrator on every page that changed settings await confirmation. */
export function UnconfirmedNotice() {
  const { data = [] } = useQuery(unconfirmedQuery)
  return data.length > 0 && <Notice changes={data} />
}

function Notice({ changes }: { changes: readonly UnconfirmedChange[] }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  useEffect(() => focusMain, [])
  const count = changes.length
  const names = [...new Set(changes.map(({ actor_name }) => actor_name))]
  const who = formatList(names, currentLanguage())
  return (
    <section className={classes['notice']} aria-label={t('unconfirmed.notice.title')}>
      <div className={classes['box']}>
        <ShieldAlert size={16} className={classes['mark']} aria-hidden />
        <p className={classes['text']}>{t('unconfirmed.notice.text', { count, who })}</p>
        <Button variant="default" onClick={() => setIsOpen(true)}>
          {t('unconfirmed.notice.open', { count })}
        </Button>
      </div>
      {isOpen && (
        <LazyPart
          name="unconfirmed-dialog"
          load={loadDialog}
          props={{ changes, onClose: close }}
          onFail={close}
        />
      )}
    </section>
  )
}
