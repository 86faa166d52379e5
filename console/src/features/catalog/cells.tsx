import type { CatalogModel } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice } from '../../lib/format-price.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import classes from './catalog.module.css'

const MILLION = 1e6

/** A price by the piece stands in place of the input price. */
export function InputPrice({ price }: Pick<CatalogModel, 'price'>) {
  const { t } = useTranslation()
  if (price === null) return NO_VALUE
  if (price.unit === 'token') return formatPrice(price.input)
  const dollars = price.unit === 'character' ? price.each * MILLION : price.each
  return t(`catalog.unit.${price.unit}`, { price: formatPrice(dollars) })
}

export function Modalities({ names }: { names: CatalogModel['inputs'] }) {
  const { t } = useTranslation()
  return names.length === 0
    ? NO_VALUE
    : names.map((name) => t(`catalog.modality.${name}`)).join(', ')
}

export function Api({ api }: Pick<CatalogModel, 'api'>) {
  return useTranslation().t(`catalog.api.${api}`)
}

export function ModelName({ model: { id, shutdown } }: { model: CatalogModel }) {
  const { t } = useTranslation()
  return (
    <span className={classes['name']} title={id}>
      {id}{' '}
      {shutdown !== null && (
        <span className={classes['shutdown']}>
          {t('catalog.column.shutdown')} {shutdown}
        </span>
      )}
    </span>
  )
}

/** Leads visitors to the login first. */
export function TryLink({ id, api }: Pick<CatalogModel, 'id' | 'api'>) {
  const { t } = useTranslation()
  if (api !== 'chat') return NO_VALUE
  return (
    <Link
      to={`/play?model=${encodeURIComponent(id)}`}
      aria-label={t('catalog.action.tryNamed', { id })}
    >
      {t('catalog.action.try')}
    </Link>
  )
}
