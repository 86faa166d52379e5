import { Button, Switch, TextInput } from '@mantine/core'
import { Controller } from 'react-hook-form'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useCatalog } from '../../lib/catalog.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { formatTime, MODEL_SEPARATORS } from '../../lib/format.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { useSubmitToasts } from '../../lib/submit-toasts.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { FormShell } from '../../ui/form-shell.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import { TagsField } from '../../ui/tags-field.tsx'
import { BudgetFields } from './budget-fields.tsx'
import { fieldOf, tokenForm, type TokenValues } from './token-values.ts'
import classes from './tokens.module.css'

const QUICK = [
  { label: 'token.form.never', seconds: null },
  { label: 'token.form.month', seconds: 30 * 86_400 },
  { label: 'token.form.day', seconds: 86_400 },
  { label: 'token.form.hour', seconds: 3600 },
  { label: 'token.form.minute', seconds: 60 },
] as const

const TOASTS = { 'token.form.expiresError': 'token.form.expiresToast' } as const

type Props = {
  initial: TokenValues
  isSaving: boolean
  onSave: (values: TokenValues, allowLeave: () => void) => void
}

export function TokenForm({ initial, isSaving, onSave }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const money = useMoney()
  const models = useCatalog()
  const form = useZodForm(tokenForm, initial, fieldOf)
  const hints = useHints(form)
  const toast = useSubmitToasts(TOASTS)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const isUnlimited = form.watch('unlimited_quota')
  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => onSave(values, allowLeave), toast)}
      onCancel={() => void navigate('/token')}
      isSaving={isSaving}
    >
      <TextInput
        label={t('token.form.name')}
        autoComplete="off"
        autoFocus={initial.name === ''}
        {...form.register('name')}
        {...hints('name', t('token.form.nameHint'))}
      />
      <Controller
        control={form.control}
        name="unlimited_quota"
        render={({ field: { value, ...field } }) => (
          <Switch
            label={t('token.form.unlimited')}
            description={t('token.form.unlimitedHint')}
            checked={value}
            {...field}
          />
        )}
      />
      {!isUnlimited && (
        <Controller
          control={form.control}
          name="remain_quota"
          render={({ field }) => (
            <QuotaField
              label={t('token.form.remain')}
              money={money}
              {...field}
              {...hints('remain_quota', t('token.form.remainHint'))}
            />
          )}
        />
      )}
      <BudgetFields form={form} />
      <div>
        <Controller
          control={form.control}
          name="expires"
          render={({ field }) => (
            <DateTimeField
              label={t('token.form.expires')}
              {...field}
              {...hints('expires', t('token.form.expiresHint'))}
            />
          )}
        />
        <div className={classes['quick']} role="group" aria-label={t('token.form.quick')}>
          {QUICK.map(({ label, seconds }) => (
            <Button
              key={label}
              size="compact-sm"
              variant="default"
              onClick={() => {
                const text = seconds === null ? '' : formatTime(nowSeconds() + seconds)
                form.setValue('expires', text, { shouldDirty: true, shouldValidate: true })
              }}
            >
              {t(label)}
            </Button>
          ))}
        </div>
      </div>
      <Controller
        control={form.control}
        name="models"
        render={({ field }) => (
          <TagsField
            label={t('token.form.models')}
            data={(models.data ?? []).map(({ id }) => id)}
            limit={100}
            splitChars={MODEL_SEPARATORS}
            clearable
            {...field}
            {...hints('models', t('token.form.modelsHint'))}
          />
        )}
      />
      <TextInput
        label={t('token.form.subnet')}
        autoComplete="off"
        {...form.register('subnet')}
        {...hints('subnet', t('token.form.subnetHint'))}
      />
    </FormShell>
  )
}
