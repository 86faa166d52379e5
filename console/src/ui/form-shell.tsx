import { Button, Stack } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import classes from './form-shell.module.css'

type Props = {
  children: ReactNode
  onSubmit: () => void
  onCancel: () => void
  isSaving: boolean
  saveLabel?: string
  /** Nothing can be changed. */
  isLocked?: boolean
}

/** Form with a sticky Save bar. Ctrl or ⌘ + Enter submits from any field. */
export function FormShell({
  children,
  onSubmit,
  onCancel,
  isSaving,
  saveLabel,
  isLocked = false,
}: Props) {
  const { t } = useTranslation()
  const form = useRef<HTMLFormElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut in addition to the Save button
    <form
      ref={form}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSaving && !isLocked) onSubmit()
      }}
    >
      {isLocked ? (
        <fieldset disabled className={classes['locked']}>
          <Stack gap="lg">{children}</Stack>
        </fieldset>
      ) : (
        <Stack gap="lg">{children}</Stack>
      )}
      <div className={classes['bar']}>
        {!isLocked && (
          <Button type="submit" loading={isSaving} title={t('common.form.shortcut')}>
            {saveLabel ?? t('common.action.save')}
          </Button>
        )}
        <Button variant="default" onClick={onCancel}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </form>
  )
}
