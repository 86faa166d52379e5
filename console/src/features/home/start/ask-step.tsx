import { Alert, Button, Select, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { exampleModel, useCatalog } from '../../../lib/catalog.ts'
import { splitList } from '../../../lib/format.ts'
import { createOwnToken, ownTokensQuery, usableTokens } from '../../../lib/own-tokens.ts'
import { sendChat } from '../../../lib/relay/send-chat.ts'
import { selfQuery } from '../../../lib/self.ts'
import { useRelayBase } from '../../../lib/status.ts'
import { errorText } from './errors.ts'
import classes from './start.module.css'

type Props = {
  /** The model that the test has used. */
  tested: string
  onAnswered: () => void
}

export function AskStep({ tested, onAnswered }: Props) {
  const { t } = useTranslation()
  const { data = [], isPending } = useCatalog()
  const [chosen, setChosen] = useState<string>()
  const [message, setMessage] = useState<string>(() => t('start.ask.hello'))
  const models = data.filter(({ api }) => api === 'chat').map(({ id }) => id)
  const usual = models.includes(tested) ? tested : exampleModel(data).id
  const model = chosen ?? usual
  const { answer, asking } = useAsk(onAnswered)
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (message.trim() !== '') asking.mutate({ model, message })
  }
  if (!isPending && models.length === 0) return <p>{t('start.ask.noModel')}</p>
  return (
    <form className={classes['fields']} onSubmit={submit}>
      <Select
        label={t('start.ask.model')}
        data={models}
        value={model}
        allowDeselect={false}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        onChange={(id) => id !== null && setChosen(id)}
      />
      <Textarea
        label={t('start.ask.message')}
        autosize
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={asking.isPending}>
          {t('start.ask.send')}
        </Button>
      </div>
      {(answer !== '' || asking.isSuccess) && (
        <p className={classes['answer']} role="status">
          {answer || t('start.ask.empty')}
        </p>
      )}
      {asking.error && (
        <Alert color="red" role="alert">
          {errorText(asking.error)}
        </Alert>
      )}
    </form>
  )
}

type Question = { model: string; message: string }

/** Sends an ordinary request with a token of the reader, which is created if there is none. */
function useAsk(onAnswered: () => void) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const base = useRelayBase()
  const [answer, setAnswer] = useState('')
  const tokenFor = async (model: string) => {
    const tokens = usableTokens(await client.query(ownTokensQuery))
    const allows = (models: string) => models === '' || splitList(models).includes(model)
    const token = tokens.find(({ models }) => allows(models))
    return token ?? createOwnToken(t('start.ask.token'))
  }
  const asking = useMutation({
    mutationFn: async ({ model, message }: Question) => {
      setAnswer('')
      const token = await tokenFor(model)
      await sendChat({
        base,
        key: `sk-${token.key}`,
        body: { model, messages: [{ role: 'user', content: message }], stream: true },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        onStart: () => {},
        onDelta: ({ text }) => setAnswer((before) => before + text),
      })
    },
    meta: { quiet: true },
    onSuccess: () => {
      onAnswered()
      return Promise.all([
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
        client.invalidateQueries({ queryKey: ['tokens'] }),
      ])
    },
  })
  return { answer, asking }
}

const ANSWER_MS_MAX = 120_000
