import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ownBillingEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { Link, useSearchParams } from '../../lib/router/router.tsx'
import { Page } from '../../ui/page.tsx'

/** Opened by the link in a mail. Mail servers open links too, so only the button switches off. */
export function StopPage() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const body = { user_id: Number(params.get('user')), signature: params.get('signature') ?? '' }
  const isComplete = Number.isSafeInteger(body.user_id) && body.user_id > 0 && body.signature !== ''
  const stop = useMutation({
    mutationFn: () => call(ownBillingEndpoints.stopReminder, { body }),
  })
  return (
    <Page title={t('billingTitle.stop')} width="form">
      <Stack gap="md" align="flex-start" aria-live="polite">
        {!isComplete && <Text>{t('billing.stop.broken')}</Text>}
        {isComplete && (
          <Text>{stop.isSuccess ? t('billing.stop.done') : t('billing.stop.body')}</Text>
        )}
        {isComplete && !stop.isSuccess && (
          <Button loading={stop.isPending} onClick={() => stop.mutate()}>
            {t('billing.stop.button')}
          </Button>
        )}
        <Link to="/billing">{t('billing.stop.billing')}</Link>
      </Stack>
    </Page>
  )
}
