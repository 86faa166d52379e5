import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import { countText } from '../tokens/count-text.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import { NO_USAGE } from '../usage/usage.ts'
import { missing, wrongType } from '../wires/openai-chat/check-fields.ts'
import { readJsonTask, summaryIn } from './json-task.ts'
import type { TaskReader } from './task.ts'

/** OpenAI's default model for this endpoint. */
const DEFAULT_MODEL = 'omni-moderation-latest'

/**
 * Moderations are free at most providers; otherwise they are charged by the tokens of the texts.
 */
export const readModeration: TaskReader = (endpoint, body) =>
  readJsonTask(
    { endpoint, body },
    {
      defaultModel: DEFAULT_MODEL,
      metered: ['input'],
      check: ({ input }) => checkInput(input),
      terms: ({ json, body: bytes }) => ({
        promptTokensUpperBound: bytes.length,
        outputLimit: 0,
        readAnswer,
        measure: async (_answer, context) => {
          const text = textsOf(json['input']).join('\n')
          const tokens = await countText(context.model, text, context)
          return { ...NO_USAGE, promptTokens: Math.min(tokens, bytes.length) }
        },
      }),
    },
  )

function checkInput(input: unknown): RequestProblem | null {
  if (input === undefined || input === null) return missing('input', 'Give a text')
  if (typeof input === 'string') return null
  const isList = Array.isArray(input) && input.length > 0
  const isKnown = (item: unknown) => typeof item === 'string' || isRecord(item)
  if (isList && input.every(isKnown)) return null
  return wrongType('input', 'a string, or an array of strings or of parts')
}

const textsOf = (input: unknown): string[] =>
  typeof input === 'string'
    ? [input]
    : listOf(input).map((item) => textOf(item) || textOf(member(item, 'text')))

function readAnswer(body: Buffer): AnswerSummary {
  const json = jsonIn(body)
  return summaryIn(json, listOf(member(json, 'results')).length > 0)
}
