import { Button, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Controller } from 'react-hook-form'
import { z } from 'zod'
import { type OwnReminder, ownBillingEndpoints, quota } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import classes from './billing.module.css'
import { reminderQuery } from './queries.ts'

export function ReminderSection() {
  const { t } = useTranslation()
  const query = useQuery(reminderQuery)
  return (
    <LoadedSection id="reminder" title={t('billing.reminder.title')} query={query}>
      {(reminder) => <Reminder reminder={reminder} />}
    </LoadedSection>
  )
}

function Reminder({ reminder }: { reminder: OwnReminder }) {
  const { t } = useTranslation()
  if (!reminder.sends_mail) {
    return <p className={classes['zone']}>{t('billing.reminder.noServer')}</p>
  }
  if (reminder.email === '') {
    return (
      <p className={classes['zone']}>
        {t('billing.reminder.noEmail')} <Link to="/setting">{t('billing.reminder.bind')}</Link>
      </p>
    )
  }
  return <ReminderForm reminder={reminder} />
}

const reminderForm = z.object({
  isOn: z.boolean(),
  below: checked(quota.min(1), 'billing.reminder.belowError'),
})

function ReminderForm({ reminder }: { reminder: OwnReminder }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const money = useMoney()
  const { below, site_below: siteBelow, email } = reminder
  const form = useZodForm(reminderForm, {
    isOn: below !== 0,
    below: below || Math.max(1, siteBelow),
  })
  const hints = useHints(form)
  const isOn = form.watch('isOn')
  const save = useMutation({
    mutationFn: async (values: z.output<typeof reminderForm>) => {
      const body = { below: values.isOn ? values.below : 0 }
      await call(ownBillingEndpoints.setReminder, { body })
    },
    onSuccess: async () => {
      showSuccess(t('billing.reminder.saved'))
      await client.invalidateQueries({ queryKey: reminderQuery.queryKey })
    },
  })
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => {
        if (!save.isPending) save.mutate(values)
      })}
    >
      <Stack gap="md" align="flex-start">
        <p className={classes['zone']}>{t('billing.reminder.hint', { email })}</p>
        <Controller
          control={form.control}
          name="isOn"
          render={({ field: { value, ...field } }) => (
            <Switch label={t('billing.reminder.on')} checked={value} {...field} />
          )}
        />
        {isOn && (
          <Controller
            control={form.control}
            name="below"
            render={({ field }) => (
              <QuotaField
                label={t('billing.reminder.below')}
                money={money}
                {...field}
                {...hints('below')}
              />
            )}
          />
        )}
        <Button type="submit" loading={save.isPending}>
          {t('billing.reminder.save')}
        </Button>
      </Stack>
    </form>
  )
}
