import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { priceEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import classes from './dashboard.module.css'

/** Tells administrators that requests were charged at a guessed price, or rejected for none. */
export function UnpricedNotice() {
  const { t } = useTranslation()
  const { data = [] } = useQuery({
    queryKey: ['prices', 'unpriced'],
    queryFn: async ({ signal }) => (await call(priceEndpoints.listUnpricedModels, {}, signal)).data,
    meta: { quiet: true },
  })
  const [latest] = data
  if (latest === undefined) return null
  const charged = data.reduce((sum, model) => sum + model.charged, 0)
  const models = t('dashboard.unpriced.models', { count: data.length })
  const number = formatNumber(charged)
  const charges = t('dashboard.unpriced.charged', { count: charged, number })
  return (
    <section className={classes['notice']} aria-label={t('dashboard.unpriced.title')}>
      <p>{charged > 0 ? t('dashboard.unpriced.both', { models, charges }) : models}</p>
      <Button
        variant="default"
        component={Link}
        to={`/setting/prices?price=${encodeURIComponent(latest.model)}`}
      >
        {t('dashboard.unpriced.set', { model: latest.model })}
      </Button>
    </section>
  )
}
