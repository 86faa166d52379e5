import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { exampleModel, useCatalog } from '../../lib/catalog.ts'
import { isFramedSite } from '../../lib/framed-site.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { useFactorRequired } from '../../lib/required-factor.ts'
import { Link } from '../../lib/router/router.tsx'
import { SITE_SANDBOX } from '../../lib/sandbox.ts'
import { selfQuery } from '../../lib/self.ts'
import { useIsAdmin, useSession } from '../../lib/session.ts'
import { modelCommand } from '../../lib/snippets/model-code.ts'
import { useServerAddress, useStatus, useSystemName } from '../../lib/status.ts'
import { setPrompted } from '../../lib/storage.ts'
import { useStored } from '../../lib/use-stored.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Page } from '../../ui/page.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { ChannelSummary, useChannelHealth } from './channel-summary.tsx'
import classes from './home-page.module.css'
import { LastFailures } from './last-failures.tsx'
import { OwnAccount } from './own-account.tsx'
import { Today, useToday } from './today.tsx'

/**
 * The operator's home page (a URL is framed, other text is Markdown), or a default page with the
 * API address and an example.
 */
export function HomePage() {
  const { t } = useTranslation()
  const name = useSystemName()
  const content = useStatus()?.home_page_content.trim() ?? ''
  if (isFramedSite(content)) {
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
      <StartGate>
        {content === '' ? (
          <QuickStart />
        ) : (
          <RichText source={content} toFragment={toSafeFragment} />
        )}
      </StartGate>
    </Page>
  )
}

const loadStart = () => import('./start/start-panel.tsx').then((module) => module.StartPanel)

/**
 * An operator's first steps, and once they are done or hidden, the state of the channels. The rest
 * of the page follows when what stands above is complete, so that nothing is pushed down.
 */
function StartGate({ children }: { children: ReactNode }) {
  const isAdmin = useIsAdmin()
  const needsFactor = useFactorRequired()
  const isOperator = isAdmin && !needsFactor
  const [hidden] = useStored('prompt-first-steps')
  const hide = useCallback(() => setPrompted('first-steps'), [])
  const isHidden = hidden === 'true'
  const { isNew, isError } = useIsNew(isOperator && !isHidden)
  const isKnown = isOperator && (isHidden || isError)
  const isHealthPending = useChannelHealth(isKnown).isPending
  const isTodayPending = useToday(isKnown).usage.isPending
  const [wasComplete, setWasComplete] = useState(false)
  if (!wasComplete && !isHealthPending && !isTodayPending) setWasComplete(true)
  useEffect(() => {
    if (isNew === false) hide()
  }, [isNew, hide])
  if (!isOperator) return children
  if (isNew === undefined && !isHidden && !isError) return <Waiting />
  if (isNew === true && !isHidden) return <FirstStart onHide={hide}>{children}</FirstStart>
  return (
    <>
      <div className={classes['operator']}>
        <ChannelSummary isWanted={isKnown} />
        <Today isWanted={isKnown} />
      </div>
      {wasComplete ? children : <Waiting />}
    </>
  )
}

/** The rest of the page waits for the steps, which would push it down, and outlives their loss. */
function FirstStart({ onHide, children }: { onHide: () => void; children: ReactNode }) {
  const [isReady, setIsReady] = useState(false)
  const ready = useCallback(() => setIsReady(true), [])
  const props = { onHide, onReady: ready }
  return (
    <>
      <LazyPart name="start" load={loadStart} props={props} onFail={ready} />
      {isReady ? children : <Waiting />}
    </>
  )
}

/** Keeps the footer below the screen. */
const Waiting = () => <div className={classes['waiting']} />

const MOST_USED = { size: 1, sort: 'used_quota', order: 'desc' } as const

/** Whether neither the operator nor anybody else has used a channel; undefined until known. */
function useIsNew(isWanted: boolean) {
  const quiet = { meta: { quiet: true } }
  const self = useQuery({ ...selfQuery, ...quiet, enabled: isWanted })
  const used = useQuery({
    queryKey: ['channels', 'start', 'used'],
    queryFn: async ({ signal }) => {
      const { data } = await call(channelEndpoints.listChannels, { query: MOST_USED }, signal)
      return data.some(({ used_quota }) => used_quota > 0)
    },
    ...quiet,
    // An administrator who joins a running installation has no requests either.
    enabled: isWanted && self.data?.request_count === 0,
  })
  const isUsed = (self.data?.request_count ?? 0) > 0 || used.data
  const [isNew, setIsNew] = useState<boolean>()
  // Fixed by the first answer, so that the steps stay when they are completed.
  if (isNew === undefined && isUsed !== undefined) setIsNew(!isUsed)
  return { isNew, isError: self.isError || used.isError }
}

function QuickStart() {
  const { t } = useTranslation()
  const user = useSession()
  const isAdmin = useIsAdmin()
  const status = useStatus()
  const address = useServerAddress()
  const { data: models = [] } = useCatalog()
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
          {t(models.length === 0 ? 'home.page.exampleModelHint' : 'home.page.exampleHint')}
        </Text>
        <Copyable
          block
          label={t('home.page.example')}
          text={modelCommand(exampleModel(models), { address, key: 'sk-…' })}
        />
        {user && (
          <Text mt="sm">
            <Link to="/token">{t('home.page.connect')}</Link>
          </Text>
        )}
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
