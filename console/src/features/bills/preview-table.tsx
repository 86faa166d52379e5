import type { BillPreview } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDecimal, formatNumber, NO_VALUE } from '../../lib/format.ts'
import { PlainTable } from '../../ui/plain-table.tsx'
import { spanText } from './period.ts'

const COUNTS = ['input', 'cached', 'written', 'output'] as const
const NANO = 1e9
const DIGITS = 6

export function PreviewTable({ rows }: Pick<BillPreview, 'rows'>) {
  const { t } = useTranslation()
  const label = t('bill.import.preview')
  return (
    <PlainTable label={label}>
      <thead>
        <tr>
          <th scope="col">{t('bill.import.utc')}</th>
          <th scope="col">{t('bill.column.model')}</th>
          <th scope="col">{t('bill.column.key')}</th>
          {COUNTS.map((name) => (
            <th key={name} scope="col" data-align="right">
              {t(`bill.column.${name}`)}
            </th>
          ))}
          <th scope="col" data-align="right">
            {t('bill.column.amount')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ from, to, model, key, amount, ...tokens }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no id and never move
          <tr key={index}>
            <td>{spanText({ start: from, end: to })}</td>
            <td>{model === '' ? NO_VALUE : model}</td>
            <td>{key === '' ? NO_VALUE : key}</td>
            {COUNTS.map((name) => (
              <td key={name} data-align="right">
                {countText(tokens[name])}
              </td>
            ))}
            <td data-align="right">
              {amount === null ? NO_VALUE : formatDecimal(amount / NANO, DIGITS)}
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}

export const countText = (count: number | null) => (count === null ? NO_VALUE : formatNumber(count))
