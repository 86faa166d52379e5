import { catalogue } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { FilterChip } from '../../ui/filter-chip.tsx'
import { type ChannelFilter, STATUS_CHOICES } from './channel-filter.ts'
import { useChannelSummary } from './queries.ts'
import { matchTypes } from './type-options.ts'

type Props = {
  keyword: string
  filter: ChannelFilter
  onChange: (change: Partial<ChannelFilter>) => void
}

const LABELS = {
  status: 'channel.column.status',
  type: 'channel.column.type',
  group: 'channel.health.group',
  tag: 'channel.tag.label',
  model: 'channel.health.model',
} as const

const STATUSES = ['enabled', 'notEnabled', 'disabled', 'autoDisabled'] as const

const OPTIONS_SHOWN = 100
const NO_NAMES: readonly string[] = []

export function FilterChips({ keyword, filter, onChange }: Props) {
  const { t } = useTranslation()
  const summary = useChannelSummary(keyword, filter)
  const { groups = NO_NAMES, models = NO_NAMES, tags = NO_NAMES } = summary ?? {}
  const knownTags = withChosen(tags, filter.tag)
  const chip = (name: keyof typeof LABELS) => ({
    label: t(LABELS[name]),
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <>
      <FilterChip
        {...chip('status')}
        data={STATUSES.map((name) => ({
          value: STATUS_CHOICES[name],
          label: t(`channel.filter.${name}`),
        }))}
      />
      <FilterChip
        {...chip('type')}
        searchable
        filter={matchTypes}
        nothingFoundMessage={t('common.form.noResults')}
        data={catalogue.map(({ type, name }) => ({
          value: String(type),
          label: name[currentLanguage()],
        }))}
      />
      <FilterChip
        {...chip('group')}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        data={withChosen(groups, filter.group)}
      />
      {knownTags.length > 0 && (
        <FilterChip
          {...chip('tag')}
          searchable
          limit={OPTIONS_SHOWN}
          nothingFoundMessage={t('common.form.noResults')}
          data={knownTags}
        />
      )}
      <FilterChip
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
