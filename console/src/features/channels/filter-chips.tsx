import { Select } from '@mantine/core'
import { catalogue } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { type ChannelFilter, STATUS_CHOICES } from './channel-filter.ts'
import classes from './channels.module.css'
import { matchTypes } from './type-options.ts'

type Props = {
  filter: ChannelFilter
  groups: readonly string[]
  models: readonly string[]
  onChange: (change: Partial<ChannelFilter>) => void
}

const LABELS = {
  status: 'channel.column.status',
  type: 'channel.column.type',
  group: 'channel.health.group',
  model: 'channel.health.model',
} as const

const STATUSES = ['enabled', 'notEnabled', 'disabled', 'autoDisabled'] as const

const OPTIONS_SHOWN = 100

export function FilterChips({ filter, groups, models, onChange }: Props) {
  const { t } = useTranslation()
  const chip = (name: 'status' | 'type' | 'group' | 'model') => ({
    size: 'sm',
    clearable: true,
    clearSectionMode: 'clear' as const,
    className: classes['chip'] ?? '',
    'data-chosen': filter[name] !== '' || undefined,
    'aria-label': t(LABELS[name]),
    placeholder: t(LABELS[name]),
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
      <Select
        {...chip('group')}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        data={withChosen(groups, filter.group)}
      />
      <Select
        {...chip('model')}
        searchable
        limit={OPTIONS_SHOWN}
        nothingFoundMessage={t('common.form.noResults')}
        data={withChosen(models, filter.model)}
      />
    </>
  )
}

/** A value in the address is shown although no channel has it any more. */
const withChosen = (values: readonly string[], chosen: string) =>
  chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
