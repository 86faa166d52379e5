import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { onLanguage } from '../i18n/texts.ts'
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
  const { typed, danger = false, answer } = question
  // The question keeps the language in which it was asked; another tab may choose the language.
  useEffect(() => onLanguage(() => answer(false)), [answer])
  const submit = () => {
    if (typed && text !== typed.text) setIsWrong(true)
    else answer(true)
  }
  return (
    <Modal
      opened
      onClose={() => answer(false)}
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
          <Text>{question.body}</Text>
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
              onClick={() => answer(false)}
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
