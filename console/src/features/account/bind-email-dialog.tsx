import { Button, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { emailAddress, oauthEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { selfQuery } from '../../lib/self.ts'
import { showSuccess } from '../../lib/toast.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { EmailWithCode } from '../../ui/identity/email-with-code.tsx'
import { useHumanCheck } from '../../ui/identity/use-human-check.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'

const bindingForm = z.object({
  email: checked(emailAddress, 'identity.code.emailError'),
  code: checked(z.string().trim().min(1), 'common.form.required'),
})

export function BindEmailDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const client = useQueryClient()
  const human = useHumanCheck()
  const form = useZodForm(bindingForm, { email: '', code: '' })
  const hints = useHints(form)
  const bind = useMutation({
    mutationFn: (query: z.output<typeof bindingForm>) => call(oauthEndpoints.bindEmail, { query }),
    onSuccess: async () => {
      onClose()
      showSuccess(t('account.setting.emailBound'))
      await client.invalidateQueries({ queryKey: selfQuery.queryKey })
    },
  })
  const submit = form.handleSubmit((values) => {
    if (!bind.isPending) bind.mutate(values)
  })
  return (
    <FormDialog onClose={onClose} title={t('account.setting.emailTitle')}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="lg">
          <EmailWithCode
            email={form.watch('email')}
            human={human}
            onNoEmail={() => void form.trigger('email', { shouldFocus: true })}
            emailField={{
              label: t('account.setting.emailNew'),
              ...form.register('email'),
              ...hints('email'),
            }}
            codeField={{ ...form.register('code'), ...hints('code') }}
          />
          {human.widget}
          <Button type="submit" loading={bind.isPending}>
            {t('account.setting.emailTitle')}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}
