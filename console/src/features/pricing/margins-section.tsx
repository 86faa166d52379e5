import { useTranslation } from 'react-i18next'
import type { CostRow } from '@tollgate/contract'
import { formatNumber } from '../../lib/format.ts'
import { marginOf, marginSpan, useCosts } from '../../lib/margins.ts'
import { useMoney } from '../../lib/status.ts'
import { MarginText } from '../../ui/margin.tsx'
import { Money } from '../../ui/money.tsx'
import classes from './pricing.module.css'
import { Section } from './section.tsx'

/** What models earned in the last 30 days, the smallest margin first. */
export function MarginsSection() {
  const { t } = useTranslation()
  const query = useCosts({ by: ['model'], span: marginSpan(Date.now() / 1000) })
  return (
    <Section id="margins" title={t('pricing.margin.title')} query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <p className={classes['dimmed']}>{t('pricing.margin.none')}</p>
        ) : (
          <MarginsTable rows={rows} />
        )
      }
    </Section>
  )
}

function MarginsTable({ rows }: { rows: readonly CostRow[] }) {
  const { t } = useTranslation()
  const money = useMoney()
  const { quotaPerUnit } = money
  const margins = rows
    .map((row) => ({ row, margin: marginOf([row], quotaPerUnit) }))
    .toSorted((a, b) => (a.margin?.amount ?? Infinity) - (b.margin?.amount ?? Infinity))
  return (
    <div
      className={classes['frame']}
      role="region"
      aria-labelledby="margins-title"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
      tabIndex={0}
    >
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{t('pricing.unpriced.model')}</th>
            <th scope="col" data-align="right">
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
          {margins.map(({ row, margin }) => (
            <tr key={row.key}>
              <td>{row.key}</td>
              <td data-align="right">{formatNumber(row.requests)}</td>
              <td data-align="right">
                <Money quota={row.quota} settings={money} />
              </td>
              <td data-align="right">
                <MarginText margin={margin} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
