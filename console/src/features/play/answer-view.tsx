import { Textarea } from '@mantine/core'
import { Copy } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { contentOf } from './answer-content.ts'
import { type Answer, isWholeCall, type ToolCall } from './conversation.ts'
import classes from './play.module.css'
import { ReceiptLine } from './receipt-line.tsx'
import { toAnswerFragment } from './to-answer-fragment.ts'
import { useFailureReason } from './use-failure-reason.ts'

type Props = {
  answer: Answer
  /** Absent once the results were sent. */
  onResult: ((call: number, result: string) => void) | undefined
}

/** Text while it comes, Markdown once the answer is complete. */
export function AnswerView({ answer, onResult }: Props) {
  const { t } = useTranslation()
  const { state, model, calls } = answer
  const { text, reasoning, images } = useMemo(() => contentOf(answer), [answer])
  const isRunning = state === 'running'
  const isEmpty = text === '' && images.length === 0 && calls.length === 0
  const end = useEndNote(answer, isEmpty)
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
      {[...images.entries()].map(([position, url]) => (
        <img
          key={position}
          className={classes['answered']}
          src={url}
          alt={t('play.message.image', { model })}
        />
      ))}
      {calls.map((call) => (
        <Call
          key={`${call.index} ${call.id}`}
          call={call}
          onResult={isWholeCall(call) ? onResult : undefined}
        />
      ))}
      {isRunning && isEmpty && reasoning === '' && (
        <p className={classes['note']}>{t('play.message.running')}</p>
      )}
      {end !== null && <p className={classes['note']}>{end}</p>}
      {state === 'failed' && <Failure answer={answer} />}
      {!isRunning && <ReceiptLine answer={answer} />}
    </article>
  )
}

/** How an answer ended, unless it is complete. */
function useEndNote({ state, finishReason, reasoning }: Answer, isEmpty: boolean): string | null {
  const { t } = useTranslation()
  if (state === 'stopped') return t('play.message.stopped')
  if (state !== 'finished') return null
  if (finishReason === 'length') return t('play.message.cut')
  if (finishReason === 'content_filter') return t('play.message.filtered')
  return isEmpty && reasoning === '' ? t('play.message.empty') : null
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
  const { index, name, result } = call
  return (
    <div className={classes['call']}>
      <span>{t('play.message.call', { name })}</span>
      <pre className={classes['json']}>{call.arguments}</pre>
      {onResult ? (
        <Textarea
          label={t('play.message.result', { name })}
          autosize
          value={result}
          onChange={(event) => onResult(index, event.currentTarget.value)}
        />
      ) : (
        result !== '' && <pre className={classes['json']}>{result}</pre>
      )}
    </div>
  )
}
