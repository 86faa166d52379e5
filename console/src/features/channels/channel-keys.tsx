import { Button, Textarea } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import type { Channel, ChannelKey } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatDuration, formatNumber, NO_VALUE } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useRefusedFields } from '../../lib/use-refused-fields.ts'
import { Brief } from '../../ui/brief.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import classes from './channels.module.css'
import { useTestChannel } from './use-test-channel.ts'
import { useKeyChange } from './view-queries.ts'

const FIELDS = ['key']

const TONES = { enabled: 'good', refused: 'bad', disabled: 'off' } as const

type Props = {
  channel: Channel
  keys: readonly ChannelKey[]
  /** Keys can be tested only. */
  isLocked: boolean
}

/** The keys of the channel, masked. */
export function ChannelKeys({ channel, keys, isLocked }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <PlainTable label={t('channelView.keys')}>
        <thead>
          <tr>
            <th scope="col">{t('channelView.key')}</th>
            <th scope="col">{t('channelView.state')}</th>
            <th scope="col" data-align="right" data-wide>
              {t('channelView.answered')}
            </th>
            <th scope="col" data-align="right" data-wide>
              {t('channelView.failed')}
            </th>
            <th scope="col" data-wide>
              {t('channelView.lastError')}
            </th>
            <th scope="col">{t('common.table.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <code>{key.masked}</code> <small>{key.id}</small>
                <Brief
                  items={[
                    [t('channelView.answered'), formatNumber(key.answers)],
                    [t('channelView.failed'), formatNumber(key.faults)],
                    [t('channelView.lastError'), <LastError key={key.id} of={key} />],
                  ]}
                />
              </th>
              <td>
                <StateDot tone={TONES[key.state]} text={t(`channelView.${key.state}`)} />
              </td>
              <td data-align="right" data-wide>
                {formatNumber(key.answers)}
              </td>
              <td data-align="right" data-wide>
                {formatNumber(key.faults)}
              </td>
              <td data-wraps data-wide>
                <LastError of={key} />
              </td>
              <td>
                <KeyActions channel={channel} of={key} isLocked={isLocked} />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      {!isLocked && <AddKeys id={channel.id} />}
    </>
  )
}

const LastError = ({ of: { last_error, last_error_time } }: { of: ChannelKey }) => (
  <>
    {last_error || NO_VALUE} {last_error_time > 0 && <Time seconds={last_error_time} />}
  </>
)

type ActionsProps = { channel: Channel; of: ChannelKey; isLocked: boolean }

function KeyActions({ channel: { id, name }, of: key, isLocked }: ActionsProps) {
  const { t } = useTranslation()
  const change = useKeyChange(id)
  const test = useTestChannel()
  const isDisabled = key.state === 'disabled'
  const next = isDisabled ? 'enable' : 'disable'
  const remove = async () => {
    const yes = await confirm({
      title: t('channelView.removeTitle', { key: key.id }),
      body: t('channelView.removeBody'),
      verb: t('channelView.removeVerb'),
      danger: true,
    })
    if (yes) change.mutate({ key_id: key.id, action: 'remove' })
  }
  const testKey = {
    label: t('channel.action.test'),
    act: () => test.mutate({ id, name, key_id: key.id }),
  }
  const changes = [
    {
      label: t(`channelView.${next}`),
      act: () => change.mutate({ key_id: key.id, action: next }),
    },
    { label: t('channelView.remove'), act: () => void remove() },
  ]
  const actions = isLocked ? [testKey] : [testKey, ...changes]
  const isBusy = change.isPending || test.isPending
  return (
    <span className={classes['keyActions']}>
      {actions.map(({ label, act }) => (
        <button
          key={label}
          type="button"
          className={classes['help']}
          aria-label={t('channelView.ofKey', { action: label, key: key.id })}
          aria-disabled={isBusy}
          onClick={isBusy ? undefined : act}
        >
          {label}
        </button>
      ))}
      <LastTest of={key} />
    </span>
  )
}

function LastTest({ of: { test_time, response_time, test_error } }: { of: ChannelKey }) {
  const { t } = useTranslation()
  if (test_time === 0) return null
  const hasPassed = test_error === ''
  return (
    <>
      {hasPassed ? (
        <StateDot
          tone="good"
          text={t('channelView.keyPassed', { time: formatDuration(response_time) })}
        />
      ) : (
        <StateDot tone="bad" text={t('channel.list.testFailed')} reason={test_error} isHintOnly />
      )}
      <Ago seconds={test_time} format={(ago) => `· ${ago}`} />
    </>
  )
}

function AddKeys({ id }: { id: number }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const { refused, forget, refOf } = useRefusedFields(FIELDS)
  const add = useKeyChange(id)
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    add.mutate(
      { key: text },
      {
        onSuccess: () => {
          setText('')
          showSuccess(t('channelView.added'))
        },
      },
    )
  }
  return (
    <form className={classes['addKeys']} onSubmit={save}>
      <Textarea
        ref={refOf('key')}
        label={t('channelView.addKeys')}
        description={t('channelView.addHint')}
        autosize
        minRows={2}
        maxRows={8}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          forget()
        }}
        error={refused['key']}
      />
      <Button type="submit" loading={add.isPending} disabled={text.trim() === ''}>
        {t('channelView.add')}
      </Button>
    </form>
  )
}
