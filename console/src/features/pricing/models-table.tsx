import { Button } from '@mantine/core'
import type { ModelPriceRow, OwnPrice } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice } from '../../lib/format-price.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { useManaged } from '../../lib/managed.ts'
import { Brief } from '../../ui/brief.tsx'
import { ManagedBadge } from '../../ui/managed-note.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import type { EditedRow } from './price-draft.ts'

const PARTS = ['input', 'output', 'cached', 'cache_write', 'per_call'] as const

const dollarsOf = (price: OwnPrice, part: (typeof PARTS)[number]): string | undefined => {
  const { [part]: dollars }: Partial<Record<typeof part, number>> = price
  return dollars === undefined ? undefined : formatPrice(dollars)
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
  const noPrice = <StateDot tone="bad" text={t('pricing.model.noPrice')} />
  return (
    <PlainTable label={t('pricing.model.title')}>
      <thead>
        <tr>
          <th scope="col">{t('pricing.unpriced.model')}</th>
          {PARTS.map((part) => (
            <th key={part} scope="col" data-align="right" data-wide>
              {t(`pricing.model.part.${part}`)}
            </th>
          ))}
          <th scope="col" data-wide>
            {t('pricing.model.layer')}
          </th>
          <th scope="col" data-wide>
            {t('pricing.model.planned')}
          </th>
          <th scope="col" data-actions>
            {t('common.table.actions')}
          </th>
        </tr>
      </thead>
      <tbody>
        {unpriced.map((model) => (
          <tr key={model}>
            <th scope="row">
              {model}
              <Brief items={[['', noPrice]]} />
            </th>
            <td colSpan={PARTS.length} data-wide>
              {noPrice}
            </td>
            <td data-wide>{NO_VALUE}</td>
            <td data-wide>{NO_VALUE}</td>
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
          <PricedRow key={row.model} row={row} onEdit={() => onEdit(row)} />
        ))}
      </tbody>
    </PlainTable>
  )
}

function PricedRow({ row, onEdit }: { row: ModelPriceRow; onEdit: () => void }) {
  const { t } = useTranslation()
  const mark = useManaged().ofPrice(row.model)
  const { model, price, layer, version } = row
  const planned = row.planned.map(({ from }) => from).join(', ')
  const source = (
    <>
      {t(`pricing.model.from.${layer}`, { version })}
      {mark && <ManagedBadge mark={mark} />}
    </>
  )
  const known = PARTS.flatMap((part) => {
    const dollars = dollarsOf(price, part)
    return dollars === undefined ? [] : [[t(`pricing.model.part.${part}`), dollars] as const]
  })
  const plans = planned === '' ? [] : [[t('pricing.model.planned'), planned] as const]
  return (
    <tr>
      <th scope="row">
        {model}
        <Brief items={[...known, [t('pricing.model.layer'), source], ...plans]} />
      </th>
      {PARTS.map((part) => (
        <td key={part} data-align="right" data-wide>
          {dollarsOf(price, part) ?? NO_VALUE}
        </td>
      ))}
      <td data-wide>{source}</td>
      <td data-wide>{planned || NO_VALUE}</td>
      <td data-actions>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('pricing.feed.edit', { name: model })}
          disabled={mark?.isLocked === true}
          onClick={onEdit}
        >
          {t('pricing.model.edit')}
        </Button>
      </td>
    </tr>
  )
}
