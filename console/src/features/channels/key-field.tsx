import { Button, Input, PasswordInput, Switch, Textarea } from '@mantine/core'
import { useEffect, useState } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import type { Channel } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints } from '../../lib/form.ts'
import { type ChannelValues, countKeys, isMoved } from './channel-values.ts'
import classes from './channels.module.css'

type Props = {
  stored: Channel | null
  type: number
  form: UseFormReturn<ChannelValues, unknown, ChannelValues>
}

/** Key input. A stored key is never shown and can only be replaced. */
export function KeyField({ stored, type, form }: Props) {
  const { t } = useTranslation()
  const [isReplacing, setIsReplacing] = useState(false)
  const base_url = useWatch({ control: form.control, name: 'base_url' })
  const needsAgain = stored !== null && isMoved(stored, { type, base_url })
  if (stored === null) return <KeyInput isNew type={type} form={form} note={null} />
  if (isReplacing || needsAgain) {
    const note = t(needsAgain ? 'channelForm.keyAgain' : 'channelForm.keyKeep')
    return <KeyInput isNew={false} type={type} form={form} note={note} hasFocus={isReplacing} />
  }
  return (
    <Input.Wrapper
      label={t('channelForm.key')}
      labelElement="div"
      description={t('channelForm.keyStoredHint')}
    >
      <div className={classes['stored']}>
        <span>{t('channelForm.keyStored')}</span>
        <Button size="compact-sm" variant="default" onClick={() => setIsReplacing(true)}>
          {t('channelForm.keyReplace')}
        </Button>
      </div>
    </Input.Wrapper>
  )
}

type InputProps = {
  isNew: boolean
  type: number
  form: Props['form']
  note: string | null
  hasFocus?: boolean
}

function KeyInput({ isNew, type, form, note, hasFocus = false }: InputProps) {
  const { t } = useTranslation()
  const hints = useHints(form)
  const [isBatch, setIsBatch] = useState(false)
  const { keyFormat: format, usualKey } = descriptorOf(type) ?? {}
  const { setFocus } = form
  useEffect(() => {
    if (hasFocus) setFocus('key')
  }, [hasFocus, setFocus])
  const hint = [
    format !== undefined && t('channelForm.keyFormat', { format }),
    isBatch && t('channelForm.onePerLine'),
    isNew && usualKey !== undefined && t('channelForm.keyOptional'),
    note ?? t('channelForm.keyHint'),
  ].filter((part) => part !== false)
  const fieldHints = hints('key', hint.join(currentLanguage() === 'zh' ? '' : ' '))
  const props = {
    label: t('channelForm.key'),
    placeholder: format ?? '',
    ...form.register('key'),
    ...fieldHints,
    // Mantine's password field does not set this attribute.
    'aria-invalid': fieldHints.error !== undefined,
  }
  return (
    <div>
      {isBatch ? (
        <Textarea
          className={classes['code'] ?? ''}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          autoComplete="off"
          {...props}
        />
      ) : (
        <PasswordInput
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
          {...props}
        />
      )}
      <Switch
        mt="sm"
        size="xs"
        label={t(isNew ? 'channelForm.batch' : 'channelForm.severalKeys')}
        description={t(isNew ? 'channelForm.batchHint' : 'channelForm.severalKeysHint')}
        checked={isBatch}
        onChange={(event) => setIsBatch(event.currentTarget.checked)}
      />
      {isNew && isBatch && <KeysTogether form={form} />}
    </div>
  )
}

/** Whether each line becomes a channel or all keys belong to a single channel. */
function KeysTogether({ form }: { form: Props['form'] }) {
  const { t } = useTranslation()
  const [key, isTogether] = useWatch({ control: form.control, name: ['key', 'multi_key'] })
  const count = countKeys(key)
  return (
    <>
      <Switch
        mt="sm"
        size="xs"
        label={t('channelForm.multiKey')}
        description={t('channelForm.multiKeyHint')}
        {...form.register('multi_key')}
      />
      <p className={classes['keyCount']} role="status">
        {t(isTogether ? 'channelForm.keysTogether' : 'channelForm.keysApart', { count })}
      </p>
    </>
  )
}
