import { Button, Code, Stack, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import type { Location } from '../lib/router/history.ts'
import { useLocation } from '../lib/router/router.tsx'
import { Page } from '../ui/page.tsx'
import classes from './layout.module.css'

function ErrorPage({ error }: { error: unknown }) {
  const { t } = useTranslation()
  return (
    <Page title={t('app.error.heading')} width="text">
      <Stack gap="lg" align="flex-start" role="alert">
        <Code className={classes['errorText'] ?? ''}>
          {error instanceof Error ? error.message : String(error)}
        </Code>
        <Text>{t('app.error.hint')}</Text>
        <Button onClick={() => window.location.reload()}>{t('app.error.reload')}</Button>
      </Stack>
    </Page>
  )
}

type CatcherProps = { location: Location; children: ReactNode }
type Caught = { location: Location; failure: { error: unknown } | null }

/** Shows the error of what it contains, until the reader goes elsewhere. */
class Catcher extends Component<CatcherProps, Caught> {
  override state: Caught = { location: this.props.location, failure: null }

  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } })

  static getDerivedStateFromProps = ({ location }: CatcherProps, state: Caught) =>
    location === state.location ? null : { location, failure: null }

  override render() {
    const { failure } = this.state
    return failure ? <ErrorPage error={failure.error} /> : this.props.children
  }
}

export function ErrorBoundary({ children }: { children: ReactNode }) {
  return <Catcher location={useLocation()}>{children}</Catcher>
}
