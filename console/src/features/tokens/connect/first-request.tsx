import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { StateDot } from '../../../ui/state-dot.tsx'
import { Ago } from '../../../ui/time.tsx'
import { tokenQuery } from '../queries.ts'
import classes from './connect.module.css'

const ASK_AGAIN_MS = 3000

/** Asks while the page is visible, until the token has been used. */
export function FirstRequest({ id }: { id: number }) {
  const { t } = useTranslation()
  const { data } = useQuery({
    ...tokenQuery(id),
    meta: { quiet: true },
    refetchInterval: ({ state }) => (state.data?.accessed_time === 0 ? ASK_AGAIN_MS : false),
  })
  const usedAt = data?.accessed_time ?? 0
  const [wasUsed] = useState(usedAt !== 0)
  return (
    <p className={classes['request']} role="status">
      {usedAt === 0 ? (
        <StateDot tone="off" text={t('connect.request.waiting')} />
      ) : (
        <Ago
          seconds={usedAt}
          format={(ago) => t(`connect.request.${wasUsed ? 'last' : 'received'}`, { ago })}
        />
      )}
    </p>
  )
}
