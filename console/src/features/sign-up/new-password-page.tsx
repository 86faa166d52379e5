import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { sessionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { Link, useSearchParams } from '../../lib/router/router.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Page } from '../../ui/page.tsx'

/** Target of the link in password reset mails. */
export function NewPasswordPage() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const email = params.get('email') ?? ''
  const token = params.get('token') ?? ''
  return (
    <Page title={t('entryTitle.reset')} width="narrow">
      {email === '' || token === '' ? (
        <Stack gap="lg">
          <Alert color="red" role="alert">
            {t('entry.confirm.broken')}
          </Alert>
          <Link to="/reset">{t('entry.confirm.newMail')}</Link>
        </Stack>
      ) : (
        <Confirm email={email} token={token} />
      )}
    </Page>
  )
}

/**
 * The pressed button is gone. Focus must not land on a link, where Enter would leave before the
 * password is copied.
 */
const takeFocus = (element: HTMLElement | null) => element?.focus()

function Confirm({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation()
  const reset = useMutation({
    mutationFn: () => call(sessionEndpoints.resetPassword, { body: { email, token } }),
  })
  return (
    <Stack gap="lg">
      <TextInput label={t('entry.confirm.email')} value={email} readOnly />
      <div role="status">
        {reset.isSuccess ? (
          <Stack gap="lg" tabIndex={-1} ref={takeFocus}>
            <Alert color="green">{t('entry.confirm.done')}</Alert>
            <Copyable block label={t('entry.confirm.password')} text={reset.data.data} />
            <Button component={Link} to="/login">
              {t('entry.confirm.login')}
            </Button>
          </Stack>
        ) : (
          <Text>{t('entry.confirm.how')}</Text>
        )}
      </div>
      {!reset.isSuccess && (
        <>
          <Button loading={reset.isPending} onClick={() => reset.mutate()}>
            {t('entry.confirm.submit')}
          </Button>
          {reset.isError && <Link to="/reset">{t('entry.confirm.newMail')}</Link>}
        </>
      )}
    </Stack>
  )
}
