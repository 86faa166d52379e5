import { Button, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import { isOptionKey, type OptionKey } from '@tollgate/contract'
import type { Translate } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { confirm } from '../../lib/confirm.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import { changesOf, type Drafts, findProblem } from './drafts.ts'
import { ManagedField } from './managed-field.tsx'
import { consoleMove, type Move } from './moved-console.ts'
import { useOptionContext } from './option-context.ts'
import { OptionField } from './option-field.tsx'
import { optionsQuery, useSaveOptions } from './queries.ts'
import classes from './settings.module.css'

export function OptionForm({ id, keys }: { id: string; keys: readonly OptionKey[] }) {
  const { t } = useTranslation()
  const { stored, onUnsaved } = useOptionContext()
  const { form, submit, save } = useOptionForm(keys)
  const element = useRef<HTMLFormElement>(null)
  const changeCount = changesOf(form.watch(), stored).length
  const isUnsaved = changeCount > 0

  useEffect(() => {
    onUnsaved(id, isUnsaved)
    return () => onUnsaved(id, false)
  }, [id, isUnsaved, onUnsaved])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    element.current?.requestSubmit()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut in addition to the Save button
    <form
      ref={element}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) submit()
      }}
    >
      <Stack gap="lg">
        {keys.map((key) => (
          <ManagedField key={key} name={key}>
            <OptionField name={key} form={form} />
          </ManagedField>
        ))}
      </Stack>
      <div className={classes['bar']} data-unsaved={isUnsaved || undefined}>
        <Button
          type="submit"
          variant={isUnsaved ? 'filled' : 'default'}
          loading={save.isPending}
          title={t('common.form.shortcut')}
          aria-describedby={`${id}-changes`}
        >
          {t('common.action.save')}
        </Button>
        {isUnsaved && (
          <Button variant="default" onClick={() => form.reset()}>
            {t('settings.form.discard')}
          </Button>
        )}
        <Text id={`${id}-changes`} c="dimmed" size="sm">
          {isUnsaved && t('settings.form.changes', { count: changeCount })}
        </Text>
      </div>
    </form>
  )
}

const draftsOf = (keys: readonly OptionKey[], stored: Drafts) =>
  Object.fromEntries(keys.map((key) => [key, stored[key] ?? '']))

/** Errors carry no text, which is looked up on display in the current language. */
function checkDrafts(drafts: Drafts): FieldErrors<Record<string, string>> {
  const wrong = Object.keys(drafts).filter(
    (key) => isOptionKey(key) && findProblem(key, drafts[key] ?? '', 'en') !== null,
  )
  return Object.fromEntries(wrong.map((key) => [key, { type: 'invalid' }]))
}

/** A mistyped address would lock out everyone not working on the server itself. */
const confirmMove = ({ address, by }: Move, t: Translate) =>
  confirm({
    title: t('settings.move.title', { address }),
    body: t(by === 'ServerAddress' ? 'settings.move.server' : 'settings.move.console', {
      address,
      host: window.location.host,
    }),
    verb: t('settings.move.verb'),
    danger: true,
  })

function useOptionForm(keys: readonly OptionKey[]) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { stored } = useOptionContext()
  const save = useSaveOptions()
  const form = useForm<Record<string, string>>({
    defaultValues: draftsOf(keys, stored),
    mode: 'onBlur',
    resolver: (values) => {
      const errors = checkDrafts(values)
      return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} }
    },
  })
  const send = async (drafts: Record<string, string>) => {
    const changes = changesOf(drafts, stored)
    if (changes.length === 0) {
      form.reset(draftsOf(keys, stored))
      showInfo(t('settings.form.unchanged'))
      return
    }
    const move = consoleMove(changes, stored, window.location.host)
    if (move !== null && !(await confirmMove(move, t))) return
    const saved: OptionKey[] = []
    const refused = new Map<OptionKey, string>()
    save.mutate(
      {
        changes,
        onSaved: (key) => saved.push(key),
        onRefused: (key, reason) => refused.set(key, reason),
      },
      {
        onSettled: () => {
          const fresh = client.getQueryData(optionsQuery.queryKey) ?? {}
          for (const key of saved) form.resetField(key, { defaultValue: fresh[key] ?? '' })
          for (const [key, message] of refused) {
            form.setError(key, { type: 'server', message }, { shouldFocus: true })
          }
          if (refused.size === 0) showSuccess(t('settings.form.saved'))
        },
      },
    )
  }
  return { form, save, submit: () => void form.handleSubmit(send)() }
}
