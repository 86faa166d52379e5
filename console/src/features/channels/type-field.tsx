import { type ComboboxItem, Select } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { catalogue, isServable } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { matchTypes } from './type-options.ts'
import { TypeTag } from './type-tag.tsx'

type Props = {
  /** Always offered, even if new channels cannot have this type. */
  initial: number
  value: number
  onChange: (type: number) => void
  onBlur: () => void
  name: string
  ref: Ref<HTMLInputElement>
  error: ReactNode
  description: ReactNode
}

/** Provider select, searchable by name in either language or by type number. */
export function TypeField({ initial, value, onChange, ...field }: Props) {
  const { t } = useTranslation()
  const language = currentLanguage()
  return (
    <Select
      label={t('channelForm.type')}
      data={catalogue
        .filter(({ type }) => isServable(type) || type === initial)
        .map(({ type, name }) => ({ value: String(type), label: name[language] }))}
      searchable
      selectFirstOptionOnChange
      filter={matchTypes}
      nothingFoundMessage={t('common.form.noResults')}
      renderOption={({ option }: { option: ComboboxItem }) => (
        <TypeTag type={Number(option.value)} />
      )}
      allowDeselect={false}
      value={String(value)}
      onChange={(next) => onChange(Number(next))}
      {...field}
    />
  )
}
