import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UnpricedModel } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { useSearchParams } from '../../lib/router/router.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Time } from '../../ui/time.tsx'
import classes from './pricing.module.css'
import { unpricedQuery } from './queries.ts'
import { SetPriceDialog } from './set-price-dialog.tsx'

export function UnpricedSection() {
  const { t } = useTranslation()
  const query = useQuery(unpricedQuery)
  const [params] = useSearchParams()
  const [model, setModel] = useState(params.get('price'))
  return (
    <LoadedSection id="unpriced" title={t('pricing.unpriced.title')} query={query}>
      {(models) => (
        <>
          <ChargedNotice models={models} />
          {models.length === 0 ? (
            <p className={classes['dimmed']}>{t('pricing.unpriced.none')}</p>
          ) : (
            <UnpricedTable models={models} onSet={setModel} />
          )}
          {model !== null && <SetPriceDialog model={model} onClose={() => setModel(null)} />}
        </>
      )}
    </LoadedSection>
  )
}

/** Counts the requests whose price was a guess. */
function ChargedNotice({ models }: { models: readonly UnpricedModel[] }) {
  const { t } = useTranslation()
  const count = models.reduce((sum, { charged }) => sum + charged, 0)
  if (count === 0) return null
  return (
    <p className={classes['notice']} role="note">
      {t('pricing.unpriced.charged', { count, number: formatNumber(count) })}
    </p>
  )
}

type Props = { models: readonly UnpricedModel[]; onSet: (model: string) => void }

function UnpricedTable({ models, onSet }: Props) {
  const { t } = useTranslation()
  return (
    <PlainTable label={t('pricing.unpriced.title')}>
      <thead>
        <tr>
          <th scope="col">{t('pricing.unpriced.model')}</th>
          <th scope="col" data-align="right">
            {t('pricing.unpriced.requests')}
          </th>
          <th scope="col" data-align="right">
            {t('pricing.unpriced.rejected')}
          </th>
          <th scope="col">{t('pricing.unpriced.last')}</th>
          <th scope="col" data-actions>
            {t('common.table.actions')}
          </th>
        </tr>
      </thead>
      <tbody>
        {models.map(({ model, charged, rejected, last_at }) => (
          <tr key={model}>
            <th scope="row">{model}</th>
            <td data-align="right">{formatNumber(charged)}</td>
            <td data-align="right">{formatNumber(rejected)}</td>
            <td>
              <Time seconds={last_at} />
            </td>
            <td data-actions>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('pricing.unpriced.setOf', { model })}
                onClick={() => onSet(model)}
              >
                {t('pricing.unpriced.set')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}
