import { Anchor, Select } from '@mantine/core'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { type ChannelPreset, presets } from '@tollgate/relay/presets'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { ChannelValues } from './channel-values.ts'

const data = presets.map(({ id, name }) => ({ value: id, label: name }))

/** What a preset fills in; a name that was entered stays. */
const valuesOfPreset = ({ name, type, baseUrl, models }: ChannelPreset, given: string) => ({
  type,
  name: given.trim() === '' || isPresetName(given) ? name : given,
  base_url: baseUrl,
  models: [...models],
})

const isPresetName = (text: string) => presets.some(({ name }) => name === text)

/** Offers providers without a channel type of their own; the choice fills in the form. */
export function PresetField({ form }: { form: UseFormReturn<ChannelValues> }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<ChannelPreset | null>(null)
  const choose = (id: string | null) => {
    const preset = presets.find((candidate) => candidate.id === id) ?? null
    setChosen(preset)
    if (preset === null) return
    const { type, name, base_url, models } = valuesOfPreset(preset, form.getValues('name'))
    form.setValue('type', type, { shouldDirty: true })
    form.setValue('name', name)
    form.setValue('base_url', base_url)
    form.setValue('models', models)
    form.clearErrors()
  }
  return (
    <Select
      label={t('channelForm.preset.label')}
      placeholder={t('channelForm.preset.none')}
      description={
        chosen === null ? (
          t('channelForm.preset.hint')
        ) : (
          <Anchor href={chosen.page} target="_blank" rel="noreferrer" size="xs">
            {t('channelForm.preset.page', { name: chosen.name })}
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
