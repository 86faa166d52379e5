import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Cancelled } from '../../lib/cancelled.ts'
import { errorText } from '../../lib/report-error.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'

const NAME_LENGTH_MAX = 40

type Props = {
  title: string
  hint: string | undefined
  verb: string
  initial: string
  /** A rejection is shown and keeps the dialog open. */
  onSave: (name: string) => Promise<void>
  onClose: () => void
}

export function PasskeyNameDialog({ title, hint, verb, initial, onSave, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const input = useRef<HTMLInputElement>(null)
  const [value, setValue] = useState(initial.slice(0, NAME_LENGTH_MAX))
  const save = useMutation({ mutationFn: onSave, meta: { quiet: true } })
  const name = value.trim()
  const submit = () => {
    if (name === '') input.current?.focus()
    else if (!save.isPending) save.mutate(name)
  }
  const { error } = save
  const refusal = error && !(error instanceof Cancelled) && errorText(error)
  return (
    <FormDialog onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          {hint !== undefined && <Text>{hint}</Text>}
          <TextInput
            ref={input}
            label={t('account.passkey.name')}
            description={t('account.passkey.nameHint')}
            value={value}
            error={name === '' ? t('common.form.required') : refusal}
            errorProps={{ role: 'alert' }}
            maxLength={NAME_LENGTH_MAX}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <Button type="submit" loading={save.isPending}>
            {verb}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}
