import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import type { Channel } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useSubmitToasts } from '../../lib/submit-toasts.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { FormShell } from '../../ui/form-shell.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { AdvancedSection } from './advanced-section.tsx'
import { configOf } from './channel-overrides.ts'
import {
  type ChannelValues,
  editChannelForm,
  fieldOf,
  keyOf,
  newChannelForm,
} from './channel-values.ts'
import classes from './channels.module.css'
import { GroupFields } from './group-fields.tsx'
import { KeyField } from './key-field.tsx'
import { ModelsField } from './models-field.tsx'
import { OrderFields } from './order-fields.tsx'
import { TypeField } from './type-field.tsx'

const TOASTS = {
  'channelForm.nameError': 'channelForm.nameKeyError',
  'channelForm.keyError': 'channelForm.nameKeyError',
  'channelForm.mappingError': 'channelForm.mappingToast',
} as const

const loadPresets = async () => (await import('./preset-field.tsx')).PresetField

type Props = {
  /** The edited channel; null for a new channel. */
  stored: Channel | null
  initial: ChannelValues
  isSaving: boolean
  isLocked?: boolean
  onSave: (values: ChannelValues, allowLeave: () => void) => void
}

function sourceOf(values: ChannelValues, stored: Channel | null) {
  const { type, key, base_url, config } = values
  const sent = { type, key, base_url, config: configOf(config, values) }
  return stored === null ? { ...sent, key: keyOf(values) } : { ...sent, id: stored.id }
}

export function ChannelForm({ stored, initial, isSaving, isLocked = false, onSave }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [schema] = useState(() => (stored ? editChannelForm(stored) : newChannelForm))
  const form = useZodForm(schema, initial, fieldOf)
  const hints = useHints(form)
  const toast = useSubmitToasts(TOASTS)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const language = currentLanguage()
  const [type, mapping] = form.watch(['type', 'model_mapping'])
  const source = async () => {
    const isComplete = await form.trigger(['base_url', 'key'], { shouldFocus: true })
    return isComplete ? sourceOf(form.getValues(), stored) : null
  }

  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => onSave(values, allowLeave), toast)}
      onCancel={() => void navigate('/channel')}
      isSaving={isSaving}
      isLocked={isLocked}
    >
      {stored === null && (
        <LazyPart
          name="preset-field"
          load={loadPresets}
          props={{ form }}
          // As high as the field itself.
          fallback={
            <TextInput
              label={t('channelForm.preset.label')}
              description={t('channelForm.preset.hint')}
              disabled
            />
          }
        />
      )}
      <Controller
        control={form.control}
        name="type"
        render={({ field }) => (
          <TypeField
            initial={initial.type}
            {...field}
            {...hints('type', t('channelForm.typeHint'))}
          />
        )}
      />
      <TextInput
        label={t('channelForm.name')}
        autoComplete="off"
        {...form.register('name')}
        {...hints('name', t('channelForm.nameHint'))}
      />
      {(descriptorOf(type)?.fields ?? []).map((field) => (
        <TextInput
          key={field.name}
          label={field.label[language]}
          placeholder={field.placeholder ?? field.default ?? ''}
          autoComplete="off"
          {...form.register(field.name)}
          {...hints(field.name, field.hint[language])}
        />
      ))}
      <KeyField stored={stored} type={type} form={form} />
      <Controller
        control={form.control}
        name="models"
        render={({ field }) => (
          <ModelsField
            type={type}
            source={source}
            sent={{ stored, mapping }}
            {...field}
            {...hints('models', t('channelForm.modelsHint'))}
          />
        )}
      />
      <GroupFields form={form} />
      <Textarea
        label={t('channelForm.mapping')}
        className={classes['code'] ?? ''}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        placeholder={'{"gpt-5.4": "gpt-5.4-2026-03-05"}'}
        {...form.register('model_mapping')}
        {...hints('model_mapping', t('channelForm.mappingHint'))}
      />
      <TextInput
        label={t('channelForm.proxy')}
        placeholder="socks5://127.0.0.1:1080"
        autoComplete="off"
        spellCheck={false}
        {...form.register('proxy')}
        {...hints('proxy', t('channelForm.proxyHint'))}
      />
      <OrderFields form={form} />
      <AdvancedSection form={form} />
    </FormShell>
  )
}
