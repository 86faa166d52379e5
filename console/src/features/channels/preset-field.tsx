import { Anchor, Select } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ChannelPreset, presets } from '@tollgate/relay/presets'

const data = presets.map(({ id, name }) => ({ value: id, label: name }))

/** Offers providers without a channel type of their own; the choice fills the form. */
export function PresetField({ onChoose }: { onChoose: (preset: ChannelPreset) => void }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<ChannelPreset | null>(null)
  const choose = (id: string | null) => {
    const preset = presets.find((candidate) => candidate.id === id) ?? null
    setChosen(preset)
    if (preset !== null) onChoose(preset)
  }
  return (
    <Select
      label={t('channel.form.preset')}
      placeholder={t('channel.form.presetNone')}
      description={
        chosen === null ? (
          t('channel.form.presetHint')
        ) : (
          <Anchor href={chosen.page} target="_blank" rel="noreferrer" size="xs">
            {t('channel.form.presetPage', { name: chosen.name })}
          </Anchor>
        )
      }
      data={data}
      searchable
      clearable
      selectFirstOptionOnChange
      nothingFoundMessage={t('common.form.noResults')}
      value={chosen?.id ?? null}
      onChange={choose}
    />
  )
}
