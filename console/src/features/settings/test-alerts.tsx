import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { alertEndpoints, type AlertReceiver } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { useOptionContext } from './option-context.ts'
import classes from './settings.module.css'

/** Sends a test alert with the saved settings and shows each receiver's answer. */
export function TestAlerts() {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const isUnset =
    stored['AlertWebhookAddress'] === '' &&
    stored['AlertFeishuAddress'] === '' &&
    stored['AlertTelegramChat'] === ''
  const send = useMutation({
    mutationFn: async () => (await call(alertEndpoints.testAlerts, {})).data,
  })
  return (
    <div className={classes['action']}>
      <Button
        variant="default"
        disabled={isUnset}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {t('settings.alert.button')}
      </Button>
      <div role="status" className={classes['count']}>
        {isUnset && <p>{t('settings.alert.unset')}</p>}
        {send.data?.length === 0 && <p>{t('settings.alert.none')}</p>}
        {send.data?.map(({ receiver, problem }) => (
          <Answer key={receiver} receiver={receiver} problem={problem} />
        ))}
      </div>
    </div>
  )
}

function Answer({ receiver, problem }: { receiver: AlertReceiver; problem: string }) {
  const { t } = useTranslation()
  const name = t(`settings.alert.receiver.${receiver}`)
  return (
    <p>
      {problem === ''
        ? t('settings.alert.accepted', { name })
        : t('settings.alert.refused', { name, problem })}
    </p>
  )
}
