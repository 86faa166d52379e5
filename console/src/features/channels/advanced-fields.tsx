import { Anchor, TagsInput, Textarea } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../../i18n/setup.ts'
import { useHints } from '../../lib/form.ts'
import './advanced.messages.ts'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'
import { HeaderRows } from './header-rows.tsx'
import { ruleBrokenBy } from './override-rules.ts'

const DOCUMENTATION = '/api/docs'

const EXAMPLES = {
  set_parameters: '{"temperature": 0.6, "thinking.type": "disabled"}',
  card: '{"my-model*": {"reasoning": {"efforts": ["low", "high"]}}}',
} as const

const TEXTS = ['set_parameters', 'remove_parameters', 'card'] as const
const NAMES = ['headers', ...TEXTS] as const

type Props = { form: UseFormReturn<ChannelValues, unknown, ChannelValues> }

/** Closed unless the channel has such settings, or one of them is wrong. */
export function AdvancedFields({ form }: Props) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(() => NAMES.some((name) => form.getValues(name).length > 0))
  useOpenForProblems(form, setIsOpen)
  const hints = useFieldHints(form)
  const textarea = (name: keyof typeof EXAMPLES, label: string, hint: string) => (
    <Textarea
      label={label}
      className={classes['code'] ?? ''}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      placeholder={EXAMPLES[name]}
      {...form.register(name)}
      {...hints(name, hint)}
    />
  )
  return (
    <details
      className={classes['advanced']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{t('advanced.field.title')}</summary>
      <div className={classes['advancedFields']}>
        <p className={classes['advancedHint']}>
          {t('advanced.field.hint')}{' '}
          <Anchor href={DOCUMENTATION} target="_blank" rel="noreferrer" underline="always" inherit>
            {t('advanced.field.documentation')}
          </Anchor>
        </p>
        <Controller
          control={form.control}
          name="headers"
          render={({ field }) => (
            <HeaderRows field={field} errors={form.formState.errors.headers} />
          )}
        />
        {textarea('set_parameters', t('advanced.field.set'), t('advanced.field.setHint'))}
        <Controller
          control={form.control}
          name="remove_parameters"
          render={({ field }) => (
            <TagsInput
              label={t('advanced.field.remove')}
              acceptValueOnBlur
              {...field}
              {...hints('remove_parameters', t('advanced.field.removeHint'))}
            />
          )}
        />
        {textarea('card', t('advanced.field.card'), t('advanced.field.cardHint'))}
      </div>
    </details>
  )
}

const isAdvanced = (name: string) => NAMES.some((own) => own === name)

/** A closed field cannot get the focus, so it gets it once it is shown. */
function useOpenForProblems(form: Props['form'], setIsOpen: (isOpen: boolean) => void) {
  const { errors, submitCount } = form.formState
  const { setFocus } = form
  useEffect(() => {
    const wrong = NAMES.find((name) => errors[name] !== undefined)
    if (submitCount === 0 || wrong === undefined) return
    setIsOpen(true)
    const isElsewhere = Object.keys(errors).some((name) => !isAdvanced(name))
    if (isElsewhere) return
    const frame = requestAnimationFrame(() => setFocus(wrong))
    return () => cancelAnimationFrame(frame)
    // Typing in a wrong field must not move the focus, so only a submit counts.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [submitCount])
}

/** Names the rule of the contract that a field breaks. */
function useFieldHints(form: Props['form']) {
  const hints = useHints(form)
  return (name: (typeof TEXTS)[number], hint: string) => {
    const shown = hints(name, hint)
    if (form.formState.errors[name]?.message !== 'advanced.field.ruleBroken') return shown
    return { ...shown, error: ruleBrokenBy(name, form.getValues(), currentLanguage()) }
  }
}
