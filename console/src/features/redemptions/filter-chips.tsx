import { REDEMPTION_EXPIRIES, REDEMPTION_STATES } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { useBatches } from './queries.ts'
import type { RedemptionFilter } from './redemption-filter.ts'

type Props = { filter: RedemptionFilter; onChange: (change: Partial<RedemptionFilter>) => void }

export function FilterChips({ filter, onChange }: Props) {
  const { t } = useTranslation()
  const names = (useBatches().data ?? []).map(({ batch }) => batch)
  const chip = (name: keyof RedemptionFilter) => ({
    label: t(`redemption.filter.${name}`),
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <>
      <FilterChip
        {...chip('batch')}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        // A value in the address is shown although there is no such batch any more.
        data={
          filter.batch === '' || names.includes(filter.batch) ? names : [filter.batch, ...names]
        }
      />
      <FilterChip
        {...chip('state')}
        data={REDEMPTION_STATES.map((value) => ({ value, label: t(`redemption.list.${value}`) }))}
      />
      <FilterChip
        {...chip('expiry')}
        data={REDEMPTION_EXPIRIES.map((value) => ({
          value,
          label: t(`redemption.expiry.${value}`),
        }))}
      />
    </>
  )
}
