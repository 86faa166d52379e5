import { PasswordInput, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { useHints } from '../../lib/form.ts'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'

type Props = {
  isNew: boolean
  type: number
  form: UseFormReturn<ChannelValues, unknown, ChannelValues>
}

/** The key, or one per line; a stored key is never shown and stays when nothing is typed. */
export function KeyField({ isNew, type, form }: Props) {
  const { t } = useTranslation()
  const hints = useHints(form)
  const [isBatch, setIsBatch] = useState(false)
  const format = descriptorOf(type)?.keyFormat
  const plainHint = t(isNew ? 'channel.form.keyHint' : 'channel.form.keyKeep')
  const hint =
    format === undefined
      ? plainHint
      : t(isNew ? 'channel.form.keyFormat' : 'channel.form.keyKeepFormat', { format })
  const input = { label: t('channel.form.key'), placeholder: format ?? '', autoComplete: 'off' }
  return (
    <div>
      {isBatch ? (
        <Textarea
          className={classes['code'] ?? ''}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          {...input}
          {...form.register('key')}
          {...hints('key', t('channel.form.batchHint'))}
        />
      ) : (
        <PasswordInput
          {...input}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
          {...form.register('key')}
          {...hints('key', hint)}
        />
      )}
      {isNew && (
        <Switch
          mt="sm"
          size="xs"
          label={t('channel.form.batch')}
          checked={isBatch}
          onChange={(event) => setIsBatch(event.currentTarget.checked)}
        />
      )}
    </div>
  )
}
