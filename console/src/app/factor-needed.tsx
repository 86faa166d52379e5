import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { Page } from '../ui/page.tsx'
import './factor-needed.messages.ts'

/** Replaces every page that the server refuses until the account has a second factor. */
export function FactorNeeded() {
  const { t } = useTranslation()
  return (
    <Page title={t('factorNeeded.page.title')} width="text">
      <Stack gap="lg" align="flex-start">
        <Text role="alert">{t('factorNeeded.page.body')}</Text>
        <Button component={Link} to="/setting">
          {t('factorNeeded.page.settings')}
        </Button>
      </Stack>
    </Page>
  )
}
