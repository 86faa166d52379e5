import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useState } from 'react'
import { type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import type { MessageKey } from '../i18n/types.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { changesOf, keepDraft, takeDraft } from './drafts.ts'
import { getSession, onSessionLoss } from './session.ts'
import { showInfo } from './toast.ts'

/** Field checked by a contract schema, with an error message of the console. */
export function checked<Schema extends z.ZodType>(schema: Schema, key: MessageKey) {
  return z.custom<z.input<Schema>>((value) => schema.safeParse(value).success, { error: key })
}

/** Form state validated on blur and on submit. A failed submit focuses the first invalid field. */
export function useZodForm<Values extends FieldValues>(
  schema: z.ZodType<Values, Values>,
  values: NoInfer<Values>,
) {
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    // Safe because a complete set of values is also a set of defaults; the generic type hides that.
    defaultValues: values as never,
    mode: 'onBlur',
    shouldFocusError: true,
  })
  useKeptDraft(form, values)
  return form
}

/** Keeps what was typed when the session is lost and restores it after the next login. */
function useKeptDraft<Values extends FieldValues>(
  form: UseFormReturn<Values, unknown, Values>,
  values: Values,
) {
  const { t } = useTranslation()
  const [initial] = useState(values)
  useEffect(() => {
    const place = `${window.location.pathname} ${Object.keys(initial).join()}`
    const draft = takeDraft(getSession()?.id, place)
    for (const [name, value] of Object.entries(draft ?? {})) {
      // Safe because the place contains the field names, so the draft has the same fields.
      form.setValue(name as Path<Values>, value as never, { shouldDirty: true })
    }
    if (draft) showInfo(t('common.form.restored'))
    return onSessionLoss((owner) =>
      keepDraft({ owner, place, values: changesOf(form.getValues(), initial) }),
    )
  }, [form, initial, t])
}

export function useHints<Values extends FieldValues>(form: UseFormReturn<Values, unknown, Values>) {
  const { t } = useTranslation()
  return (name: Path<Values>, hint?: string) => {
    const message = form.getFieldState(name, form.formState).error?.message
    if (message === undefined) return { error: undefined, description: hint }
    // `aria-invalid` is explicit because password fields do not set it themselves. Safe because the
    // schemas of forms carry only keys as their messages.
    return { error: t(message as MessageKey), description: undefined, 'aria-invalid': true }
  }
}
