import { Button } from '@mantine/core'
import { Braces, Copy } from 'lucide-react'
import { useRef } from 'react'
import type { Log, Receipt as ReceiptData } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { Empty } from '../../ui/empty.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useReceipt } from './queries.ts'
import { ReceiptDetails } from './receipt-details.tsx'
import { ReceiptSum } from './receipt-sum.tsx'
import classes from './receipt.module.css'

/** Expanded log row: what happened, and the charge as a verifiable calculation. */
export function Receipt({ log }: { log: Log }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useReceipt(log.id)
  if (data) return <Opened receipt={data} />
  if (error === null) return <Skeleton isRequest={log.outcome !== ''} />
  return (
    <Empty
      alert
      title={t('log.receipt.failed')}
      body={errorText(error)}
      action={
        <Button variant="default" onClick={() => void refetch()}>
          {t('common.action.retry')}
        </Button>
      }
    />
  )
}

function Opened({ receipt }: { receipt: ReceiptData }) {
  const { t } = useTranslation()
  const body = useRef<HTMLDivElement>(null)
  return (
    <div className={classes['receipt']}>
      <div className={classes['buttons']}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Copy size={14} aria-hidden />}
          onClick={() => void copyText(body.current?.innerText ?? '')}
        >
          {t('log.receipt.copy')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Braces size={14} aria-hidden />}
          onClick={() => void copyText(JSON.stringify(receipt, null, 2))}
        >
          {t('log.receipt.copyJson')}
        </Button>
      </div>
      <div ref={body}>
        <p className={classes['head']}>
          <Head receipt={receipt} />
        </p>
        <div className={classes['parts']}>
          {receipt.basis && <ReceiptSum basis={receipt.basis} receipt={receipt} />}
          <ReceiptDetails receipt={receipt} />
        </div>
      </div>
    </div>
  )
}

function Head({ receipt }: { receipt: ReceiptData }) {
  const { t } = useTranslation()
  const { channel, token_name, model_name, username, elapsed_time, first_token_time } = receipt
  const name = receipt.attempts.findLast((attempt) => attempt.channel === channel)?.channel_name
  const parts = [
    formatTime(receipt.created_at),
    model_name,
    token_name !== '' && t('log.receipt.token', { name: token_name }),
    t('log.receipt.user', { name: username }),
    channel !== 0 && t('log.receipt.channel', { id: channel, name: name ?? '' }).trim(),
    receipt.outcome !== '' && t(receipt.is_stream ? 'log.receipt.stream' : 'log.receipt.whole'),
    elapsed_time > 0 && formatDuration(elapsed_time),
    first_token_time > 0 && t('log.receipt.firstToken', { time: formatDuration(first_token_time) }),
  ]
  return parts.filter((part) => part !== false && part !== '').join(' · ')
}

const LINES = ['a', 'b', 'c', 'd', 'e', 'f']

/** Placeholder in the shape of the receipt; invisible for the first 200 ms. */
function Skeleton({ isRequest }: { isRequest: boolean }) {
  const { t } = useTranslation()
  const late = useDelayed(true)
  const lines = (
    <div>
      {LINES.map((line) => (
        <div key={line} className={classes['line']}>
          {late && <span className={classes['bone']} />}
        </div>
      ))}
    </div>
  )
  return (
    <div className={classes['receipt']} role="status" aria-busy aria-label={t('log.receipt.title')}>
      <p className={classes['head']}>{late && <span className={classes['bone']} />}</p>
      <div className={classes['parts']}>
        {isRequest && lines}
        {lines}
      </div>
    </div>
  )
}
