import { isRecord, type JsonRecord, omit, parseJson } from '../../bytes/json-value.ts'
import { wireRulesOf } from '../../cards/alphabets.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import type { ChatForm } from '../../form/request.ts'
import { readChatForm } from '../../wires/openai-chat/read-request.ts'
import { writeChat, writeChatFor } from '../../wires/openai-chat/write-request.ts'
import { fit } from '../fit.ts'

/* Tests of `fit` state forms as chat completions. */

export const formIn = (json: JsonRecord): ChatForm => readChatForm({ model: 'm', ...json })

/** The form as chat completions, without its model. */
export const chatOf = (form: ChatForm): JsonRecord => omit(plain(writeChat(form)), 'model')

/** What a provider of chat completions gets. */
export function sentChat(json: JsonRecord, card: ModelCard): JsonRecord {
  const form = formIn(json)
  const rules = wireRulesOf({ dialect: 'openai', model: form.settings.model })
  return plain(writeChatFor(fit(form, card, rules).form, card))
}

function plain(json: JsonRecord): JsonRecord {
  const written = parseJson(JSON.stringify(json))
  return isRecord(written) ? written : {}
}
