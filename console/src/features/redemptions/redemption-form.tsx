import { NumberInput, TextInput } from '@mantine/core'
import { Controller } from 'react-hook-form'
import { REDEMPTIONS_PER_CALL_MAX } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { FormShell } from '../../ui/form-shell.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import { fieldOf, redemptionForm, type RedemptionValues } from './redemption-values.ts'

type Props = {
  initial: RedemptionValues
  /** True when creating codes, which also asks for their number. */
  isNew: boolean
  isSaving: boolean
  onSave: (values: RedemptionValues, allowLeave: () => void) => void
}

export function RedemptionForm({ initial, isNew, isSaving, onSave }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const money = useMoney()
  const form = useZodForm(redemptionForm, initial, fieldOf)
  const hints = useHints(form)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => onSave(values, allowLeave))}
      onCancel={() => void navigate('/redemption')}
      isSaving={isSaving}
      {...(isNew && { saveLabel: t('redemption.form.create') })}
    >
      <TextInput
        label={t('redemption.form.name')}
        autoComplete="off"
        autoFocus={isNew}
        {...form.register('name')}
        {...hints('name', t('redemption.form.nameHint'))}
      />
      <Controller
        control={form.control}
        name="quota"
        render={({ field }) => (
          <QuotaField
            label={t('redemption.form.quota')}
            money={money}
            {...field}
            {...hints('quota', t('redemption.form.quotaHint'))}
          />
        )}
      />
      <Controller
        control={form.control}
        name="expires"
        render={({ field }) => (
          <DateTimeField
            label={t('redemption.form.expires')}
            {...field}
            {...hints('expires', t('redemption.form.expiresHint'))}
          />
        )}
      />
      {isNew && (
        <TextInput
          label={t('redemption.form.batch')}
          autoComplete="off"
          {...form.register('batch')}
          {...hints('batch', t('redemption.form.batchHint'))}
        />
      )}
      {isNew && (
        <Controller
          control={form.control}
          name="count"
          render={({ field }) => (
            <NumberInput
              label={t('redemption.form.count')}
              allowDecimal={false}
              {...field}
              onChange={(count) => field.onChange(Number(count))}
              {...hints('count', t('redemption.form.countHint', { max: REDEMPTIONS_PER_CALL_MAX }))}
            />
          )}
        />
      )}
    </FormShell>
  )
}
