import { Button, Title } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import type { Status } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import classes from './top-up.module.css'

const CARDS = [
  {
    link: 'group',
    title: 'topup.more.group',
    hint: 'topup.more.groupHint',
    open: 'topup.more.groupOpen',
  },
  {
    link: 'invoice',
    title: 'topup.more.invoice',
    hint: 'topup.more.invoiceHint',
    open: 'topup.more.invoiceOpen',
  },
  {
    link: 'custom',
    title: 'topup.more.custom',
    hint: 'topup.more.customHint',
    open: 'topup.more.customOpen',
  },
] as const

/** Each card is shown only when the operator has set its address. */
export function MoreCards({ links }: Pick<Status, 'links'>) {
  const { t } = useTranslation()
  const cards = CARDS.filter(({ link }) => links[link])
  if (cards.length === 0) return null
  return (
    <section>
      <Title order={2} mb="sm">
        {t('topup.more.title')}
      </Title>
      <ul className={classes['cards']} data-wide>
        {cards.map(({ link, title, hint, open }) => (
          <li key={link} className={classes['card']}>
            <span className={classes['cardTitle']}>{t(title)}</span>
            <span className={classes['hint']}>{t(hint)}</span>
            <Button
              component="a"
              variant="default"
              href={links[link]}
              target="_blank"
              rel="noopener noreferrer"
              rightSection={<ExternalLink size={14} aria-hidden />}
            >
              {t(open)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
