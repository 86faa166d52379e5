import { Title } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from './content.module.css'

/** Enough for a site to work in its frame, but not to lead the console elsewhere. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals'

/** Another site in a frame, and the way out for one that refuses to be framed. */
export function Framed({ title, address }: { title: string; address: string }) {
  const { t } = useTranslation()
  return (
    <div className={classes['framed']}>
      <div className={classes['bar']}>
        <Title order={1} size="h3">
          {title}
        </Title>
        <a href={address} target="_blank" rel="noopener noreferrer" className={classes['open']}>
          {t('content.page.open')}
          <ExternalLink size={14} aria-hidden />
        </a>
      </div>
      <iframe
        src={address}
        title={title}
        sandbox={SANDBOX}
        allow="clipboard-write"
        className={classes['frame']}
      />
    </div>
  )
}
