import { zodResolver } from '@hookform/resolvers/zod'
import { type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import type { MessageKey } from '../i18n/types.ts'

/** A field that must pass a schema of the contract; what it says when it does not is ours. */
export function checked<Schema extends z.ZodType>(schema: Schema, key: MessageKey) {
  return z.custom<z.input<Schema>>((value) => schema.safeParse(value).success, { error: key })
}

/** Form state that mirrors the form; checked on blur and on submit, focus goes to the first error. */
export function useZodForm<Values extends FieldValues>(
  schema: z.ZodType<Values, Values>,
  values: NoInfer<Values>,
) {
  return useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    // Safe because a whole set of values is a set of defaults too; the generic type hides that.
    defaultValues: values as never,
    mode: 'onBlur',
    shouldFocusError: true,
  })
}

/** Hint below a field, or its error in place of the hint. */
export function useHints<Values extends FieldValues>(form: UseFormReturn<Values, unknown, Values>) {
  const { t } = useTranslation()
  return (name: Path<Values>, hint?: string) => {
    const message = form.getFieldState(name, form.formState).error?.message
    // Safe because the schemas of forms carry only keys as their messages.
    if (message !== undefined) return { error: t(message as MessageKey), description: undefined }
    return { error: undefined, description: hint }
  }
}
