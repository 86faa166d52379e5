import { Button, Textarea } from '@mantine/core'
import { Pencil, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { AnswerView } from './answer-view.tsx'
import { AttachmentView } from './composer.tsx'
import { isWholeCall, type Turn } from './conversation.ts'
import classes from './play.module.css'

type Props = {
  turn: Turn
  isLast: boolean
  isRunning: boolean
  /** Runs the turn again, with this text. Absent while nothing can be sent. */
  onRun: ((text: string) => void) | undefined
  onResult: (side: number, call: number, result: string) => void
  /** Sends the results of the calls. */
  onContinue: (() => void) | undefined
}

export function TurnView({ turn, isLast, isRunning, onRun, onResult, onContinue }: Props) {
  const { t } = useTranslation()
  const hasCalls = turn.answers.some((answer) => answer?.calls.some(isWholeCall) ?? false)
  return (
    <section className={classes['turn']}>
      <Question turn={turn} onRun={isRunning ? undefined : onRun} />
      <div className={classes['answers']} data-count={turn.answers.length}>
        {[...turn.answers.entries()].map(([side, answer]) => (
          <div key={side} className={classes['answer']}>
            {answer && (
              <AnswerView
                answer={answer}
                onResult={
                  isLast && !isRunning ? (call, result) => onResult(side, call, result) : undefined
                }
              />
            )}
          </div>
        ))}
      </div>
      {isLast && hasCalls && !isRunning && onContinue && (
        <Button variant="default" onClick={onContinue}>
          {t('play.message.sendResults')}
        </Button>
      )}
    </section>
  )
}

function Question({ turn, onRun }: Pick<Props, 'turn' | 'onRun'>) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState<string | null>(null)
  const { text, attachments } = turn
  if (text === '' && attachments.length === 0) return null
  if (draft !== null) {
    return (
      <form
        className={classes['question']}
        onSubmit={(event) => {
          event.preventDefault()
          setDraft(null)
          onRun?.(draft.trim())
        }}
      >
        <Textarea
          aria-label={t('play.message.editLabel')}
          autoFocus
          autosize
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
        <div className={classes['buttons']}>
          <Button variant="default" onClick={() => setDraft(null)}>
            {t('common.action.cancel')}
          </Button>
          <Button
            type="submit"
            disabled={!onRun || (draft.trim() === '' && attachments.length === 0)}
          >
            {t('play.message.resend')}
          </Button>
        </div>
      </form>
    )
  }
  return (
    <div className={classes['question']}>
      <div className={classes['head']}>
        <strong>{t('play.message.you')}</strong>
        {onRun && (
          <span>
            <IconButton
              size={24}
              aria-label={t('play.message.edit')}
              onClick={() => setDraft(text)}
            >
              <Pencil size={14} aria-hidden />
            </IconButton>
            <IconButton size={24} aria-label={t('play.message.rerun')} onClick={() => onRun(text)}>
              <RotateCw size={14} aria-hidden />
            </IconButton>
          </span>
        )}
      </div>
      {[...attachments.entries()].map(([position, attachment]) => (
        <AttachmentView key={position} attachment={attachment} />
      ))}
      <p className={classes['text']}>{text}</p>
    </div>
  )
}
