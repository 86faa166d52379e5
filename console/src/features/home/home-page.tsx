import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useCallback } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { exampleModel, useCatalog } from '../../lib/catalog.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { useFactorRequired } from '../../lib/required-factor.ts'
import { Link } from '../../lib/router/router.tsx'
import { SITE_SANDBOX } from '../../lib/sandbox.ts'
import { useIsAdmin, useSession } from '../../lib/session.ts'
import { modelCommand } from '../../lib/snippets/model-code.ts'
import { useServerAddress, useStatus, useSystemName } from '../../lib/status.ts'
import { setPrompted } from '../../lib/storage.ts'
import { useStored } from '../../lib/use-stored.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Page } from '../../ui/page.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { ChannelSummary } from './channel-summary.tsx'
import classes from './home-page.module.css'
import { LastFailures } from './last-failures.tsx'
import { OwnAccount } from './own-account.tsx'
import { Today } from './today.tsx'

/**
 * The operator's home page (a URL is framed, other text is Markdown), or a default page with the
 * API address and an example.
 */
export function HomePage() {
  const { t } = useTranslation()
  const name = useSystemName()
  const content = useStatus()?.home_page_content.trim() ?? ''
  if (/^https:\/\/\S+$/.test(content)) {
    return (
      <iframe
        src={content}
        title={t('home.page.frame')}
        sandbox={SITE_SANDBOX}
        className={classes['frame']}
      />
    )
  }
  return (
    <Page title={name} width="text">
      <StartGate />
      {content === '' ? <QuickStart /> : <RichText source={content} toFragment={toSafeFragment} />}
    </Page>
  )
}

const loadStart = () => import('./start/start-panel.tsx').then((module) => module.StartPanel)

/** An operator's first steps, and once they are done or hidden, the state of the channels. */
function StartGate() {
  const isAdmin = useIsAdmin()
  const needsFactor = useFactorRequired()
  const [hidden] = useStored('prompt-first-steps')
  const hide = useCallback(() => setPrompted('first-steps'), [])
  if (!isAdmin || needsFactor) return null
  if (hidden === 'true') {
    return (
      <div className={classes['operator']}>
        <ChannelSummary />
        <Today />
      </div>
    )
  }
  return <LazyPart name="start" load={loadStart} props={{ onHide: hide }} />
}

function QuickStart() {
  const { t } = useTranslation()
  const user = useSession()
  const isAdmin = useIsAdmin()
  const status = useStatus()
  const address = useServerAddress()
  const model = exampleModel(useCatalog().data)
  return (
    <Stack gap="xl">
      {user ? <OwnAccount /> : <Text>{t('home.page.intro')}</Text>}
      {/* The numbers above lead operators to all failures. */}
      {user && !isAdmin && <LastFailures />}
      <section>
        <Title order={2}>{t('home.page.address')}</Title>
        <Text c="dimmed" mb="sm">
          {t('home.page.addressHint')}
        </Text>
        <Copyable block label={t('home.page.address')} text={`${address}/v1`} />
      </section>
      <section>
        <Title order={2}>{t('home.page.example')}</Title>
        <Text c="dimmed" mb="sm">
          {t('home.page.exampleHint')}
        </Text>
        <Copyable
          block
          label={t('home.page.example')}
          text={modelCommand(model, { address, key: 'sk-…' })}
        />
      </section>
      {!user && (
        <Group gap="sm">
          <Button component={Link} to="/login">
            {t('home.page.login')}
          </Button>
          {status?.register_enabled && status.password_register_enabled && (
            <Button component={Link} to="/register" variant="default">
              {t('home.page.register')}
            </Button>
          )}
          {status?.public_catalog && (
            <Button component={Link} to="/catalog" variant="default">
              {t('home.page.models')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
