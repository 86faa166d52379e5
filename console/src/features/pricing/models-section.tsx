import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MODEL_PRICES_MAX } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { Choice } from '../../ui/choice.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { ModelPriceDialog } from './model-price-dialog.tsx'
import { ModelsTable } from './models-table.tsx'
import type { EditedRow } from './price-draft.ts'
import classes from './pricing.module.css'
import { type ModelScope, modelPricesQuery } from './queries.ts'

const SCOPES: readonly ModelScope[] = ['offered', 'own', 'all']

/** What each model costs in dollars, and which layer says so. */
export function ModelsSection() {
  const { t } = useTranslation()
  const [scope, setScope] = useState<ModelScope>('offered')
  const [draft, setDraft] = useState('')
  const [keyword, setKeyword] = useState('')
  const [edited, setEdited] = useState<{ row: EditedRow | null } | null>(null)
  const query = useQuery(modelPricesQuery(scope, keyword))
  const actions = (
    <div className={classes['tools']}>
      <SearchField draft={draft} onDraft={setDraft} onSearch={setKeyword} />
      <Choice
        label={t('pricing.model.scope')}
        options={SCOPES.map((value) => ({ value, label: t(`pricing.model.${value}`) }))}
        value={scope}
        onChange={setScope}
      />
      <Button variant="default" onClick={() => setEdited({ row: null })}>
        {t('pricing.model.add')}
      </Button>
    </div>
  )
  return (
    <LoadedSection id="models" title={t('pricing.model.title')} query={query} actions={actions}>
      {({ rows, total, unpriced, unpriced_total }) => (
        <>
          {unpriced_total > 0 && (
            <p className={classes['notice']} role="note">
              {t('pricing.model.unpriced', {
                count: unpriced_total,
                number: formatNumber(unpriced_total),
              })}
            </p>
          )}
          <p className={classes['dimmed']}>{t('pricing.model.unit')}</p>
          {rows.length + unpriced.length === 0 ? (
            <p className={classes['dimmed']}>{t('pricing.model.none')}</p>
          ) : (
            <ModelsTable unpriced={unpriced} rows={rows} onEdit={(row) => setEdited({ row })} />
          )}
          {Math.max(total, unpriced_total) > MODEL_PRICES_MAX && (
            <p className={classes['dimmed']}>
              {t('pricing.model.more', {
                shown: formatNumber(unpriced.length + rows.length),
                total: formatNumber(unpriced_total + total),
              })}
            </p>
          )}
          {edited && <ModelPriceDialog row={edited.row} onClose={() => setEdited(null)} />}
        </>
      )}
    </LoadedSection>
  )
}
