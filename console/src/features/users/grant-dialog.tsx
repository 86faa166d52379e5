import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { z } from 'zod'
import { QUOTA_MAX, topUpEndpoints, type User } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { formatQuota } from '../../lib/format.ts'
import { newRepeatId } from '../../lib/repeat-id.ts'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { USERS } from './queries.ts'

const grantForm = z.object({
  quota: checked(z.int().min(1).max(QUOTA_MAX), 'user.grant.quotaError'),
  remark: checked(z.string().max(200), 'user.grant.remarkError'),
})

export function GrantDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const money = useMoney()
  const [transactionId] = useState(newRepeatId)
  const form = useZodForm(grantForm, { quota: money.quotaPerUnit, remark: '' })
  const hints = useHints(form)
  const name = user.username
  const grant = useChange(USERS, (values: z.output<typeof grantForm>) =>
    call(topUpEndpoints.grantQuota, {
      body: { ...values, user_id: user.id, transaction_id: transactionId },
    }),
  )
  const submit = form.handleSubmit((values) => {
    if (grant.isPending) return
    grant.mutate(values, {
      onSuccess: ({ data }) => {
        onClose()
        showSuccess(t('user.grant.done', { name, amount: formatQuota(data.quota, money) }))
      },
    })
  })
  return (
    <FormDialog onClose={onClose} title={t('user.grant.title', { name })}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="lg">
          <Text>{t('user.grant.balance', { amount: formatQuota(user.quota, money) })}</Text>
          <Controller
            control={form.control}
            name="quota"
            render={({ field }) => (
              <QuotaField
                label={t('user.grant.quota')}
                money={money}
                data-autofocus
                {...field}
                {...hints('quota', t('user.grant.quotaHint'))}
              />
            )}
          />
          <TextInput
            label={t('user.grant.remark')}
            autoComplete="off"
            {...form.register('remark')}
            {...hints('remark', t('user.grant.remarkHint'))}
          />
          <Button type="submit" loading={grant.isPending}>
            {t('user.grant.title', { name })}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}
