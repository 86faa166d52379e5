import type { CatalogModel } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice, formatShortPrice } from '../../lib/format-price.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import classes from './catalog.module.css'

const MILLION = 1e6

/** Rounded to fit the column; the title has all digits. */
export function Price({ dollars }: { dollars: number }) {
  return <span title={formatPrice(dollars)}>{formatShortPrice(dollars)}</span>
}

/** A price by the piece stands in place of the input price. */
export function InputPrice({ price }: Pick<CatalogModel, 'price'>) {
  const { t } = useTranslation()
  if (price === null) return NO_VALUE
  if (price.unit === 'token') return <Price dollars={price.input} />
  const dollars = price.unit === 'character' ? price.each * MILLION : price.each
  return (
    <span className={classes['unit']}>
      {t(`catalog.unit.${price.unit}`, { price: formatPrice(dollars) })}
    </span>
  )
}

type ModalitiesProps = { names: CatalogModel['inputs']; width?: number }

export function Modalities({ names, width = 400 }: ModalitiesProps) {
  const { t } = useTranslation()
  if (names.length === 0) return NO_VALUE
  return (
    <TruncatedText
      text={joinNames(names.map((name) => t(`catalog.modality.${name}`)))}
      width={width}
    />
  )
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
        <span className={classes['shutdown']}>{t('catalog.list.until', { day: shutdown })}</span>
      )}
    </span>
  )
}

/** Requests for a model without a price are rejected. */
export const canTry = ({ api, price }: Pick<CatalogModel, 'api' | 'price'>) =>
  api === 'chat' && price !== null

/** Leads visitors to the login first. */
export function TryLink({ model }: { model: CatalogModel }) {
  const { t } = useTranslation()
  const { id } = model
  if (!canTry(model)) return NO_VALUE
  return (
    <Link
      to={`/play?model=${encodeURIComponent(id)}`}
      aria-label={t('catalog.action.tryNamed', { id })}
    >
      {t('catalog.action.try')}
    </Link>
  )
}
