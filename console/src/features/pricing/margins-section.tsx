import type { CostRow } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { marginOf, marginSpan, useCosts } from '../../lib/margins.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { ColumnAmounts } from '../../ui/column-amounts.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { MarginText } from '../../ui/margin.tsx'
import { Money } from '../../ui/money.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import classes from './pricing.module.css'

/** What models earned in the last 30 days, the smallest margin first. */
export function MarginsSection() {
  const { t } = useTranslation()
  const query = useCosts({ by: ['model'], span: marginSpan(nowSeconds()) })
  return (
    <LoadedSection id="margins" title={t('pricing.margin.title')} query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <p className={classes['dimmed']}>{t('pricing.margin.none')}</p>
        ) : (
          <MarginsTable rows={rows} />
        )
      }
    </LoadedSection>
  )
}

const AMOUNTS = [{ id: 'quota', amount: ({ quota }: CostRow) => quota }]

function MarginsTable({ rows }: { rows: readonly CostRow[] }) {
  const { t } = useTranslation()
  const money = useMoney()
  const { quotaPerUnit } = money
  const margins = rows
    .map((row) => ({ row, margin: marginOf([row], quotaPerUnit) }))
    .toSorted((a, b) => (a.margin?.amount ?? Infinity) - (b.margin?.amount ?? Infinity))
  return (
    <PlainTable label={t('pricing.margin.title')}>
      <thead>
        <tr>
          <th scope="col">{t('pricing.unpriced.model')}</th>
          <th scope="col" data-align="right" className={classes['wide']}>
            {t('pricing.margin.requests')}
          </th>
          <th scope="col" data-align="right">
            {t('pricing.margin.charged')}
          </th>
          <th scope="col" data-align="right">
            {t('pricing.margin.amount')}
          </th>
        </tr>
      </thead>
      <tbody>
        <ColumnAmounts columns={AMOUNTS} rows={rows}>
          {margins.map(({ row, margin }) => (
            <tr key={row.key}>
              <th scope="row">{row.key}</th>
              <td data-align="right" className={classes['wide']}>
                {formatNumber(row.requests)}
              </td>
              <td data-align="right">
                <Money quota={row.quota} column="quota" settings={money} />
              </td>
              <td data-align="right">
                <MarginText margin={margin} />
              </td>
            </tr>
          ))}
        </ColumnAmounts>
      </tbody>
    </PlainTable>
  )
}
