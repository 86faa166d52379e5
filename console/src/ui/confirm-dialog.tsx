import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { getOpenQuestion, onQuestion, type OpenQuestion } from '../lib/confirm.ts'

/** Renders the open question of `confirm()`. Mounted once, in the app frame. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(onQuestion, getOpenQuestion)
  return question && <Dialog key={question.title} question={question} />
}

function Dialog({ question }: { question: OpenQuestion }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const { typed, danger = false } = question
  const submit = () => {
    if (typed && text !== typed.text) setIsWrong(true)
    else question.answer(true)
  }
  return (
    <Modal
      opened
      onClose={() => question.answer(false)}
      title={question.title}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          <Text style={{ whiteSpace: 'pre-line' }}>{question.body}</Text>
          {typed && (
            <TextInput
              label={t('common.form.typeToConfirm', { text: typed.text })}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={isWrong && typed.error}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button
              variant="default"
              onClick={() => question.answer(false)}
              data-autofocus={(danger && !typed) || undefined}
            >
              {t('common.action.cancel')}
            </Button>
            <Button
              type="submit"
              color={danger ? 'red' : 'accent'}
              data-autofocus={!danger || undefined}
            >
              {question.verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
