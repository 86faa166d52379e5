import { NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Controller } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { catalogue, descriptorOf, isServable } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/setup.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { FormShell } from '../../ui/form-shell.tsx'
import { type ChannelValues, editChannelForm, newChannelForm } from './channel-values.ts'
import classes from './channels.module.css'
import { KeyField } from './key-field.tsx'
import { ModelsField } from './models-field.tsx'

type Props = {
  isNew: boolean
  initial: ChannelValues
  isSaving: boolean
  onSave: (values: ChannelValues, allowLeave: () => void) => void
}

export function ChannelForm({ isNew, initial, isSaving, onSave }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const groups = useQuery(groupsQuery)
  const form = useZodForm(isNew ? newChannelForm : editChannelForm, initial)
  const hints = useHints(form)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const language = currentLanguage()
  const type = form.watch('type')
  const types = catalogue
    .filter((descriptor) => isServable(descriptor.type) || descriptor.type === initial.type)
    .map((descriptor) => ({ value: String(descriptor.type), label: descriptor.name[language] }))

  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => onSave(values, allowLeave))}
      onCancel={() => void navigate('/channel')}
      isSaving={isSaving}
    >
      <Controller
        control={form.control}
        name="type"
        render={({ field: { value, onChange, ...field } }) => (
          <Select
            label={t('channel.form.type')}
            data={types}
            searchable
            allowDeselect={false}
            value={String(value)}
            onChange={(next) => onChange(Number(next))}
            {...field}
            {...hints('type', t('channel.form.typeHint'))}
          />
        )}
      />
      <TextInput
        label={t('channel.form.name')}
        autoComplete="off"
        {...form.register('name')}
        {...hints('name', t('channel.form.nameHint'))}
      />
      <Controller
        control={form.control}
        name="groups"
        render={({ field }) => (
          <TagsInput
            label={t('channel.form.groups')}
            data={groups.data ?? []}
            {...field}
            {...hints('groups', t('channel.form.groupsHint'))}
          />
        )}
      />
      <Controller
        control={form.control}
        name="models"
        render={({ field }) => (
          <ModelsField type={type} {...field} {...hints('models', t('channel.form.modelsHint'))} />
        )}
      />
      <KeyField isNew={isNew} type={type} form={form} />
      {(descriptorOf(type)?.fields ?? []).map((field) => (
        <TextInput
          key={field.name}
          label={field.label[language]}
          placeholder={field.placeholder ?? field.default ?? ''}
          autoComplete="off"
          required={field.required === true && field.default === undefined}
          {...form.register(field.name)}
          {...hints(field.name, field.hint[language])}
        />
      ))}
      <Textarea
        label={t('channel.form.mapping')}
        className={classes['code'] ?? ''}
        autosize
        minRows={3}
        maxRows={12}
        placeholder={'{"gpt-4o": "gpt-4o-2024-11-20"}'}
        {...form.register('model_mapping')}
        {...hints('model_mapping', t('channel.form.mappingHint'))}
      />
      <div className={classes['pair']}>
        {(['priority', 'weight'] as const).map((name) => (
          <Controller
            key={name}
            control={form.control}
            name={name}
            render={({ field }) => (
              <NumberInput
                label={t(`channel.form.${name}`)}
                allowDecimal={false}
                {...(name === 'weight' && { min: 0 })}
                {...field}
                {...hints(name, t(`channel.form.${name}Hint`))}
              />
            )}
          />
        ))}
      </div>
    </FormShell>
  )
}
