import { Text } from '@mantine/core'
import { type Channel, CHANNEL_STATUS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { daysText } from '../../lib/days-text.ts'
import { formatDuration, formatNumber, formatTime } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { successText, successTone } from '../../lib/success.ts'
import { Sparkline } from '../../ui/chart/sparkline.tsx'
import { NumberCell } from '../../ui/data-table/number-cell.tsx'
import { ManagedBadge } from '../../ui/managed-note.tsx'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { balanceText } from './balance.ts'
import { useChanges, useHealthOf, useMarkOf } from './channel-rows.tsx'
import classes from './channels.module.css'
import { latencies } from './health.ts'
import { testState } from './response-time.ts'
import { useIsAsking } from './use-balance.ts'
import { useIsTesting } from './use-test-channel.ts'

export function NameCell({ channel: { id, name } }: { channel: Channel }) {
  const mark = useMarkOf(id)
  const cut = <TruncatedText text={name} width={180} />
  if (!mark) return cut
  return (
    <span className={classes['name']}>
      {cut}
      <ManagedBadge mark={mark} />
    </span>
  )
}

export function StatusCell({ status }: { status: number }) {
  const { t } = useTranslation()
  switch (status) {
    case CHANNEL_STATUS.enabled:
      return <StateDot tone="good" text={t('channel.list.enabled')} />
    case CHANNEL_STATUS.disabled:
      return <StateDot tone="off" text={t('channel.list.disabled')} />
    case CHANNEL_STATUS.autoDisabled:
      return <StateDot tone="bad" text={t('channel.list.autoDisabled')} />
    default:
      return <StateDot tone="off" text={t('common.state.unknown')} />
  }
}

export function ResponseCell({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { test } = useChanges()
  const isRunning = useIsTesting(channel.id)
  const { id, name, response_time, test_time, test_error } = channel
  const { tone, word } = testState(channel)
  const shown = word === null ? formatDuration(response_time) : t(`channel.list.${word}`)
  const text = isRunning ? t('channel.list.testing') : shown
  const again = t('channel.list.testNow', { name, time: formatTime(test_time) })
  const hint = [test_error === '' ? t(`channel.tone.${tone}`) : test_error, again].join('\n')
  return (
    <span className={classes['measured']}>
      <Latency id={id} name={name} />
      <button
        type="button"
        className={classes['value']}
        data-tone={tone}
        data-hint={hint}
        aria-label={`${text}. ${hint}`}
        aria-disabled={isRunning}
        onClick={isRunning ? undefined : () => test({ id, name })}
      >
        {text}
      </button>
    </span>
  )
}

function Latency({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation()
  const { start, stat } = useHealthOf(id)
  const median = stat?.latency_p50 ?? null
  const label =
    median === null ? '' : t('channel.list.latency', { name, time: formatDuration(median) })
  return (
    <span className={classes['line']}>
      {stat && median !== null && <Sparkline values={latencies(stat, start)} label={label} />}
    </span>
  )
}

export function SuccessCell({ health: { attempts, faults } }: Pick<Channel, 'health'>) {
  const { t } = useTranslation()
  const counted = { requests: attempts, failures: faults }
  const hint = t('channel.health.attempts', {
    attempts: formatNumber(attempts),
    faults: formatNumber(faults),
  })
  const text = successText(counted)
  return (
    <span
      className={classes['value']}
      data-tone={successTone(counted)}
      data-hint={hint}
      aria-label={`${text}. ${hint}`}
      role="img"
    >
      {text}
    </span>
  )
}

export function BalanceCell({ channel }: { channel: Channel }) {
  const { t, language } = useTranslation()
  const { askBalance } = useChanges()
  const isAsking = useIsAsking(channel.id)
  const balance = balanceText(channel)
  if (balance === null) {
    return (
      <span className={classes['value']} data-tone="off">
        {t('channel.list.balanceUnsupported')}
      </span>
    )
  }
  const { id, name, balance_updated_time } = channel
  const time = formatTime(balance_updated_time)
  const hint = t('channel.list.askBalance', { name, time })
  const text = isAsking ? t('channel.list.asking') : balance
  const lasts = daysText(channel.days_left, language)
  return (
    <>
      {/* Before the balance, so that balances end below each other. */}
      {lasts !== null && (
        <Text span size="xs" c="dimmed" mr={4} title={t('channel.list.lastsHint')}>
          {t('channel.list.lasts', { time: lasts })}
        </Text>
      )}
      <button
        type="button"
        className={classes['value']}
        title={hint}
        aria-label={`${text}. ${hint}`}
        aria-disabled={isAsking}
        onClick={isAsking ? undefined : () => askBalance({ id })}
      >
        {text}
      </button>
    </>
  )
}

type OrderProps = { channel: Channel; field: 'priority' | 'weight' }

export function OrderCell({ channel, field }: OrderProps) {
  const { t } = useTranslation()
  const { patch } = useChanges()
  const mark = useMarkOf(channel.id)
  return (
    <span className={classes['order']}>
      <NumberCell
        label={t(`channel.list.${field}Of`, { name: channel.name })}
        value={channel[field]}
        {...(field === 'weight' && { min: 0 })}
        disabled={mark?.isLocked === true}
        onSave={(value) => {
          const input = field === 'weight' ? { weight: value } : { priority: value }
          patch({ row: channel, input })
        }}
      />
    </span>
  )
}

export function Used({ quota }: { quota: number }) {
  return <Money quota={quota} column="used_quota" settings={useMoney()} />
}
