import { Button, Code, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Page } from '../ui/page.tsx'
import classes from './layout.module.css'

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`
  return error instanceof Error ? error.message : String(error)
}

export function ErrorPage() {
  const { t } = useTranslation()
  const error = useRouteError()
  return (
    <Page title={t('app.error.heading')} width="text">
      <Stack gap="lg" align="flex-start" role="alert">
        <Code className={classes['errorText'] ?? ''}>{describe(error)}</Code>
        <Text>{t('app.error.hint')}</Text>
        <Button onClick={() => window.location.reload()}>{t('app.error.reload')}</Button>
      </Stack>
    </Page>
  )
}
