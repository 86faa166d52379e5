import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { catalogue } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/setup.ts'
import { type ChannelFilter, STATUS_CHOICES } from './channel-filter.ts'
import classes from './channels.module.css'
import { matchTypes } from './type-options.ts'

type Props = { filter: ChannelFilter; onChange: (change: Partial<ChannelFilter>) => void }

const STATUSES = ['enabled', 'notEnabled', 'disabled', 'autoDisabled'] as const

export function FilterChips({ filter, onChange }: Props) {
  const { t } = useTranslation()
  const chip = (name: keyof ChannelFilter) => ({
    size: 'sm',
    clearable: true,
    clearSectionMode: 'clear' as const,
    className: classes['chip'] ?? '',
    'data-chosen': filter[name] !== '' || undefined,
    'aria-label': t(`channel.column.${name}`),
    placeholder: t(`channel.column.${name}`),
    // Choosing the same value again also clears it, which is the keyboard equivalent.
    value: filter[name] === '' ? null : filter[name],
    onChange: (value: string | null) => onChange({ [name]: value ?? '' }),
    comboboxProps: { width: 240, position: 'bottom-start' as const },
  })
  return (
    <>
      <Select
        {...chip('status')}
        data={STATUSES.map((name) => ({
          value: STATUS_CHOICES[name],
          label: t(`channel.filter.${name}`),
        }))}
      />
      <Select
        {...chip('type')}
        searchable
        filter={matchTypes}
        nothingFoundMessage={t('common.form.noResults')}
        data={catalogue.map(({ type, name }) => ({
          value: String(type),
          label: name[currentLanguage()],
        }))}
      />
    </>
  )
}
