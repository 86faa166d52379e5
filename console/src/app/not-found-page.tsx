import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('app.notFound.title')} width="text">
      <Stack gap="lg" align="flex-start">
        <Text>{t('app.notFound.body')}</Text>
        <Button component={Link} to="/">
          {t('app.notFound.home')}
        </Button>
      </Stack>
    </Page>
  )
}
