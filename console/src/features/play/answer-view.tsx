import { Textarea } from '@mantine/core'
import { Copy } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import type { Answer, ToolCall } from './conversation.ts'
import classes from './play.module.css'
import { ReceiptLine } from './receipt-line.tsx'
import { toAnswerFragment } from './to-answer-fragment.ts'
import { useFailureReason } from './use-failure-reason.ts'

type Props = {
  answer: Answer
  /** Absent once the results were sent. */
  onResult: ((call: string, result: string) => void) | undefined
}

/** Text while it comes, Markdown once the answer is complete. */
export function AnswerView({ answer, onResult }: Props) {
  const { t } = useTranslation()
  const { state, model, text, reasoning, calls } = answer
  const isRunning = state === 'running'
  const isEmpty = text === '' && reasoning === '' && calls.length === 0
  return (
    <article aria-busy={isRunning}>
      <div className={classes['head']}>
        <strong>{model}</strong>
        {text !== '' && !isRunning && (
          <IconButton
            size={24}
            aria-label={t('play.message.copy', { model })}
            onClick={() => void copyText(text)}
          >
            <Copy size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      {reasoning !== '' && (
        <details className={classes['reasoning']}>
          <summary>{t('play.message.reasoning')}</summary>
          <p className={classes['text']}>{reasoning}</p>
        </details>
      )}
      {isRunning && <p className={classes['text']}>{text}</p>}
      {!isRunning && text !== '' && <RichText source={text} toFragment={toAnswerFragment} />}
      {calls.map((call) => (
        <Call key={call.id} call={call} onResult={onResult} />
      ))}
      {isRunning && isEmpty && <p className={classes['note']}>{t('play.message.running')}</p>}
      {state === 'finished' && isEmpty && (
        <p className={classes['note']}>{t('play.message.empty')}</p>
      )}
      {state === 'stopped' && <p className={classes['note']}>{t('play.message.stopped')}</p>}
      {state === 'failed' && <Failure answer={answer} />}
      {!isRunning && <ReceiptLine answer={answer} />}
    </article>
  )
}

/** The reason in the reader's language, and what the API said. */
function Failure({ answer: { error, errorCode } }: Pick<Props, 'answer'>) {
  const { t } = useTranslation()
  const reason = useFailureReason(errorCode)
  return (
    <div className={classes['error']} role="alert">
      <p className={classes['text']}>
        {reason === '' ? t('play.message.failed') : t('play.message.failedFor', { reason })}
      </p>
      {error !== '' && <p className={classes['note']}>{error}</p>}
    </div>
  )
}

function Call({ call, onResult }: { call: ToolCall; onResult: Props['onResult'] }) {
  const { t } = useTranslation()
  const { id, name, result } = call
  return (
    <div className={classes['call']}>
      <span>{t('play.message.call', { name })}</span>
      <pre className={classes['json']}>{call.arguments}</pre>
      {onResult ? (
        <Textarea
          label={t('play.message.result', { name })}
          autosize
          value={result}
          onChange={(event) => onResult(id, event.currentTarget.value)}
        />
      ) : (
        result !== '' && <pre className={classes['json']}>{result}</pre>
      )}
    </div>
  )
}
