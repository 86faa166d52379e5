import { NativeSelect } from '@mantine/core'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints } from '../../lib/form.ts'
import { useMoney } from '../../lib/status.ts'
import { QuotaField } from '../../ui/quota-field.tsx'
import type { TokenValues } from './token-values.ts'

const PERIODS = [
  { value: '', label: 'token.form.budgetNone' },
  { value: 'day', label: 'token.form.budgetDay' },
  { value: 'week', label: 'token.form.budgetWeek' },
  { value: 'month', label: 'token.form.budgetMonth' },
] as const

type Props = { form: UseFormReturn<TokenValues, unknown, TokenValues> }

export function BudgetFields({ form }: Props) {
  const { t } = useTranslation()
  const money = useMoney()
  const hints = useHints(form)
  const period = form.watch('budget_period')
  return (
    <>
      <NativeSelect
        label={t('token.form.budget')}
        data={PERIODS.map(({ value, label }) => ({ value, label: t(label) }))}
        {...form.register('budget_period')}
        {...hints('budget_period', t('token.form.budgetHint'))}
      />
      {period !== '' && (
        <Controller
          control={form.control}
          name="budget_quota"
          render={({ field }) => (
            <QuotaField
              label={t('token.form.budgetQuota')}
              money={money}
              {...field}
              {...hints('budget_quota', t('token.form.budgetQuotaHint'))}
            />
          )}
        />
      )}
    </>
  )
}
