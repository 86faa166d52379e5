import { Title } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { SITE_SANDBOX } from '../../lib/sandbox.ts'
import classes from './content.module.css'

/** Site in a frame, with a link for sites that refuse framing. */
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
        sandbox={SITE_SANDBOX}
        allow="clipboard-write"
        className={classes['frame']}
      />
    </div>
  )
}
