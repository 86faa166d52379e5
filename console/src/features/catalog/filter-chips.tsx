import { MODEL_APIS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { FilterChip } from '../../ui/filter-chip.tsx'
import type { CatalogFilter } from './catalog-filter.ts'
import { vendorName } from './vendor-names.messages.ts'

type Props = {
  filter: CatalogFilter
  vendors: readonly string[]
  onChange: (change: Partial<CatalogFilter>) => void
}

const READS = ['image', 'audio', 'video', 'pdf'] as const

export function FilterChips({ filter, vendors, onChange }: Props) {
  const { t } = useTranslation()
  const chip = (name: keyof CatalogFilter) => ({
    label: t(`catalog.filter.${name}`),
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <>
      <FilterChip
        {...chip('vendor')}
        data={vendors.map((value) => ({ value, label: vendorName(value) }))}
      />
      <FilterChip
        {...chip('api')}
        data={MODEL_APIS.map((value) => ({ value, label: t(`catalog.api.${value}`) }))}
      />
      <FilterChip
        {...chip('reads')}
        data={READS.map((value) => ({ value, label: t(`catalog.modality.${value}`) }))}
      />
    </>
  )
}
