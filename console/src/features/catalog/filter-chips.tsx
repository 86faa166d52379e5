import { Select } from '@mantine/core'
import { MODEL_APIS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { CatalogFilter } from './catalog-filter.ts'
import classes from './catalog.module.css'

type Props = {
  filter: CatalogFilter
  vendors: readonly string[]
  onChange: (change: Partial<CatalogFilter>) => void
}

const READS = ['image', 'audio', 'video', 'pdf'] as const

export function FilterChips({ filter, vendors, onChange }: Props) {
  const { t } = useTranslation()
  const chip = (name: keyof CatalogFilter) => ({
    size: 'sm',
    clearable: true,
    clearSectionMode: 'clear' as const,
    className: classes['chip'] ?? '',
    'data-chosen': filter[name] !== '' || undefined,
    'aria-label': t(`catalog.filter.${name}`),
    placeholder: t(`catalog.filter.${name}`),
    // Choosing the same value again also clears it, which is the keyboard equivalent.
    value: filter[name] === '' ? null : filter[name],
    onChange: (value: string | null) => onChange({ [name]: value ?? '' }),
    comboboxProps: { width: 200, position: 'bottom-start' as const },
  })
  return (
    <>
      <Select {...chip('vendor')} data={[...vendors]} />
      <Select
        {...chip('api')}
        data={MODEL_APIS.map((value) => ({ value, label: t(`catalog.api.${value}`) }))}
      />
      <Select
        {...chip('reads')}
        data={READS.map((value) => ({ value, label: t(`catalog.modality.${value}`) }))}
      />
    </>
  )
}
