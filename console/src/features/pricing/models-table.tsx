import { Button } from '@mantine/core'
import type { ModelPriceRow, OwnPrice } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice } from '../../lib/format-price.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { type ManagedMark, useManaged } from '../../lib/managed.ts'
import { ManagedBadge } from '../../ui/managed-note.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import type { EditedRow } from './price-draft.ts'

const COLUMNS = ['input', 'output', 'cached', 'cache_write'] as const

const dollarsOf = (price: OwnPrice, part: (typeof COLUMNS)[number]): string => {
  const dollars = 'per_call' in price ? undefined : price[part]
  return dollars === undefined ? NO_VALUE : formatPrice(dollars)
}

type Props = {
  /** Models without a price, which stand before the others. */
  unpriced: readonly string[]
  rows: readonly ModelPriceRow[]
  onEdit: (row: EditedRow) => void
}

/** Dollars per million tokens; a price by the call has its own column. */
export function ModelsTable({ unpriced, rows, onEdit }: Props) {
  const { t } = useTranslation()
  const { ofPrice } = useManaged()
  return (
    <PlainTable label={t('pricing.model.title')}>
      <thead>
        <tr>
          <th scope="col">{t('pricing.unpriced.model')}</th>
          {COLUMNS.map((part) => (
            <th key={part} scope="col" data-align="right">
              {t(`pricing.model.part.${part}`)}
            </th>
          ))}
          <th scope="col" data-align="right">
            {t('pricing.model.part.per_call')}
          </th>
          <th scope="col">{t('pricing.model.layer')}</th>
          <th scope="col">{t('pricing.model.planned')}</th>
          <th scope="col" data-actions>
            {t('common.table.actions')}
          </th>
        </tr>
      </thead>
      <tbody>
        {unpriced.map((model) => (
          <tr key={model}>
            <td>{model}</td>
            <td colSpan={COLUMNS.length + 1}>
              <StateDot tone="bad" text={t('pricing.model.noPrice')} />
            </td>
            <td>{NO_VALUE}</td>
            <td>{NO_VALUE}</td>
            <td data-actions>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('pricing.unpriced.setOf', { model })}
                disabled={ofPrice(model)?.isLocked === true}
                onClick={() => onEdit({ model, price: null })}
              >
                {t('pricing.unpriced.set')}
              </Button>
            </td>
          </tr>
        ))}
        {rows.map((row) => (
          <tr key={row.model}>
            <td>{row.model}</td>
            {COLUMNS.map((part) => (
              <td key={part} data-align="right">
                {dollarsOf(row.price, part)}
              </td>
            ))}
            <td data-align="right">
              {'per_call' in row.price ? formatPrice(row.price.per_call) : NO_VALUE}
            </td>
            <td>
              {t(`pricing.model.from.${row.layer}`, { version: row.version })}
              <PriceBadge mark={ofPrice(row.model)} />
            </td>
            <td>{row.planned.map(({ from }) => from).join(', ') || NO_VALUE}</td>
            <td data-actions>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('pricing.feed.edit', { name: row.model })}
                disabled={ofPrice(row.model)?.isLocked === true}
                onClick={() => onEdit(row)}
              >
                {t('pricing.model.edit')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}

const PriceBadge = ({ mark }: { mark: ManagedMark | null }) => mark && <ManagedBadge mark={mark} />
