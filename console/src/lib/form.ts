import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useState } from 'react'
import { type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import type { MessageKey } from '../i18n/types.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { changesOf, keepDraft, takeDraft } from './drafts.ts'
import { onFieldRefusal } from './field-refusals.ts'
import { getSession, onSessionLoss } from './session.ts'
import { showInfo } from './toast.ts'

/** The type of errors that carry the server's text instead of a key. */
export const REFUSED = 'refused'

/** Field checked by a contract schema, with an error message of the console. */
export function checked<Schema extends z.ZodType>(schema: Schema, key: MessageKey) {
  return z.custom<z.input<Schema>>((value) => schema.safeParse(value).success, { error: key })
}

/** The name that a form gives to a field of the API. */
type FieldOf = (path: string) => string

const sameName: FieldOf = (path) => path

/**
 * Form state validated on blur and on submit. A failed submit focuses the first invalid field, also
 * if the server refuses it. `fieldOf` must keep its identity.
 */
export function useZodForm<Values extends FieldValues>(
  schema: z.ZodType<Values, Values>,
  values: NoInfer<Values>,
  fieldOf = sameName,
) {
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    // Safe because a complete set of values is also a set of defaults; the generic type hides that.
    defaultValues: values as never,
    mode: 'onBlur',
    shouldFocusError: true,
  })
  useKeptDraft(form, values)
  useEffect(
    () =>
      onFieldRefusal(({ field, text }) => {
        const [name = ''] = fieldOf(field).split('.')
        if (!(name in form.getValues())) return false
        // Safe because the form has a value of this name.
        const path = name as Path<Values>
        form.setError(path, { type: REFUSED, message: text }, { shouldFocus: true })
        return isShown(form, name)
      }),
    [form, fieldOf],
  )
  return form
}

/** False for a field that was on the page and is hidden now: its error would not be seen. */
function isShown<Values extends FieldValues>(
  { control }: UseFormReturn<Values, unknown, Values>,
  name: string,
): boolean {
  const field = control._fields[name]?._f
  return !(field && 'mount' in field && field.mount === false)
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
    const { type, message } = form.getFieldState(name, form.formState).error ?? {}
    if (message === undefined) return { error: undefined, description: hint }
    // Safe because the schemas of forms carry only keys as their messages.
    const error = type === REFUSED ? message : t(message as MessageKey)
    // `aria-invalid` is explicit because password fields do not set it themselves.
    return { error, description: undefined, 'aria-invalid': true }
  }
}
