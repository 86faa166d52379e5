import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { Page } from '../ui/page.tsx'

/** Unknown address, or a page this user may not open. */
export function DeadEnd({ reason }: { reason: 'notFound' | 'notAllowed' }) {
  const { t } = useTranslation()
  return (
    <Page title={t(`app.${reason}.title`)} width="text">
      <Stack gap="lg" align="flex-start">
        <Text role="alert">{t(`app.${reason}.body`)}</Text>
        <Button component={Link} to="/">
          {t('app.notFound.home')}
        </Button>
      </Stack>
    </Page>
  )
}
