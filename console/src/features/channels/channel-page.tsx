import { Button, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Channel, CHANNEL_STATUS } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration, NO_VALUE } from '../../lib/format.ts'
import { useManaged } from '../../lib/managed.ts'
import { useCosts, marginOf } from '../../lib/margins.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useParams, useSearchParams } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { successText } from '../../lib/success.ts'
import { Choice } from '../../ui/choice.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Failed } from '../../ui/failed.tsx'
import { GroupTags } from '../../ui/group-tags.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ManagedNote } from '../../ui/managed-note.tsx'
import { MarginText } from '../../ui/margin.tsx'
import '../../ui/margin.messages.ts'
import { Page } from '../../ui/page.tsx'
import { RetryLine } from '../../ui/retry-line.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { ChannelErrors } from './channel-errors.tsx'
import { ChannelKeys } from './channel-keys.tsx'
import { ChannelModels } from './channel-models.tsx'
import { ChannelWeek } from './channel-week.tsx'
import classes from './channels.module.css'
import { HEALTH_TONES, sinceText } from './health-word.ts'
import { channelQuery } from './queries.ts'
import { testState } from './response-time.ts'
import { useChannelToggle } from './use-channel-toggle.ts'
import { useEndpointName } from './use-endpoint-name.ts'
import { useKeys, useTraffic, weekSpan } from './view-queries.ts'
import './view.messages.ts'

const TABS = ['models', 'keys', 'errors'] as const

const loadTestDialog = async () => (await import('./test-dialog.tsx')).TestDialog

/** A channel before its form: how it does, and what its parts do. */
export function ChannelPage() {
  const { t } = useTranslation()
  const id = Number(useParams()['id'])
  const channel = useQuery({ ...channelQuery(id), refetchOnWindowFocus: true })
  const managed = useManaged()
  const title = t('channelTitle.view')
  if (channel.error && !channel.data) {
    const retry = () => void channel.refetch()
    const list = { path: '/channel', title: t('channelTitle.list') }
    return <Failed title={title} message={errorText(channel.error)} onRetry={retry} list={list} />
  }
  if (!channel.data || managed.isPending) return <Loading page={title} />
  return <Loaded channel={channel.data} onChange={() => void channel.refetch()} />
}

function Loaded({ channel, onChange }: { channel: Channel; onChange: () => void }) {
  const { t } = useTranslation()
  const [isTesting, setIsTesting] = useState(false)
  const { toggle, isPending } = useChannelToggle(onChange)
  const traffic = useTraffic(channel.id)
  const mark = useManaged().ofChannel(channel.id)
  const { id, name, status } = channel
  const isEnabled = status === CHANNEL_STATUS.enabled
  const close = () => {
    setIsTesting(false)
    onChange()
  }
  return (
    <Page
      title={name}
      width="table"
      actions={
        <>
          <Switch
            label={t('channel.list.enabled')}
            checked={isEnabled}
            disabled={isPending}
            onChange={() => toggle(channel)}
          />
          <Button component={Link} to={`/log?channel=${id}`} variant="default">
            {t('channelView.requests')}
          </Button>
          <Button component={Link} to={`/channel/edit/${id}`} variant="default">
            {t('channelView.settings')}
          </Button>
          <Button onClick={() => setIsTesting(true)}>{t('channel.action.test')}</Button>
        </>
      }
    >
      {mark && <ManagedNote mark={mark} />}
      <Facts channel={channel} />
      {traffic.isPending ? <Loading page={name} /> : <Parts channel={channel} traffic={traffic} />}
      {isTesting && (
        <LazyPart
          name={t('channel.action.test')}
          load={loadTestDialog}
          props={{ channel, onClose: close }}
          onFail={close}
        />
      )}
    </Page>
  )
}

type PartsProps = { channel: Channel; traffic: ReturnType<typeof useTraffic> }

/** The chart, then a part as a tab. Drawn at once, since the chart would push the tabs down. */
function Parts({ channel, traffic }: PartsProps) {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'models'
  const keys = useKeys(channel.id, tab === 'keys')
  const isLocked = useManaged().ofChannel(channel.id)?.isLocked === true
  return (
    <>
      {traffic.data && <ChannelWeek hours={traffic.data.hours} />}
      <div className={classes['tabs']}>
        <Choice
          label={t('channelView.tabs')}
          options={TABS.map((value) => ({ value, label: t(`channelView.${value}`) }))}
          value={tab}
          onChange={(next) => setParams({ tab: next }, { replace: true })}
        />
      </div>
      {tab === 'keys' ? (
        <LoadedSection id="keys" title={t('channelView.keys')} query={keys}>
          {(list) => <ChannelKeys channel={channel} keys={list} isLocked={isLocked} />}
        </LoadedSection>
      ) : (
        <LoadedSection id={tab} title={t(`channelView.${tab}`)} query={traffic}>
          {({ models, errors }) =>
            tab === 'models' ? (
              <ChannelModels channel={channel} models={models} />
            ) : (
              <ChannelErrors id={channel.id} errors={errors} />
            )
          }
        </LoadedSection>
      )}
    </>
  )
}

function Facts({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const span = weekSpan(new Date(nowSeconds() * 1000))
  const costs = useCosts({ by: ['channel'], span, keys: [String(channel.id)] })
  const { word, reason, since, attempts, faults } = channel.health
  const time = sinceText(since, Math.floor(nowSeconds()))
  const shown = since === 0 ? reason : t('channel.health.since', { reason, time })
  const type = descriptorOf(channel.type)?.name[currentLanguage()] ?? String(channel.type)
  return (
    <>
      <p className={classes['healthLine']}>
        <StateDot tone={HEALTH_TONES[word]} text={t(`channel.health.${word}`)} />
        <span>{shown}</span>
      </p>
      <DescriptionList
        items={[
          { name: t('channelView.type'), value: type },
          { name: t('channelView.groups'), value: <GroupTags group={channel.group} wraps /> },
          ...(channel.tag === '' ? [] : [{ name: t('channel.tag.label'), value: channel.tag }]),
          {
            name: t('channelView.success'),
            value: successText({ requests: attempts, failures: faults }),
          },
          {
            name: t('channelView.margin'),
            value:
              costs.error && !costs.data ? (
                <RetryLine error={costs.error} onRetry={() => void costs.refetch()} />
              ) : (
                <MarginText margin={marginOf(costs.data ?? [], quotaPerUnit)} />
              ),
          },
          { name: t('channelView.tested'), value: <TestText channel={channel} /> },
        ]}
      />
    </>
  )
}

function TestText({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const endpointName = useEndpointName()
  const { test_model: model, test_time, test_endpoint, test_error, response_time } = channel
  const { word } = testState(channel)
  if (word === 'untested') return t('channel.list.untested')
  const result = word === null ? formatDuration(response_time) : test_error
  const endpoint = endpointName(test_endpoint) || NO_VALUE
  return (
    <>
      {`${t('channelView.testedAs', { model, endpoint, result })} · `}
      <Time seconds={test_time} />
    </>
  )
}
