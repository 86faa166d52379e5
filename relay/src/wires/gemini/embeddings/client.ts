import { readJson } from '../../../bytes/json-parse.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../../bytes/json-value.ts'
import { writeJson } from '../../../bytes/json-write.ts'
import type { Steps } from '../../../bytes/steps.ts'
import { textsOf } from '../../../form/request.ts'
import { fieldError } from '../../fields.ts'
import { readField, readListField } from '../fields.ts'
import { messageParts, placedParts } from '../read-parts.ts'

/** Throws `UnsupportedParameterError`. */
export function oneEmbedding(request: JsonRecord): JsonRecord {
  return { input: textToEmbed(request, 'content'), ...optionsOf(request) }
}

/** The texts of a batch, each with its title, which the model reads too. */
export const textsToEmbed = (request: JsonRecord): JsonRecord => ({
  input: readListField(request, 'requests').map((one, index) => {
    const text = textToEmbed(one, `requests.${index}.content`)
    const title = textOf(optionsOf(one)['title'])
    return title === '' ? text : `${title}\n${text}`
  }),
})

/** All contents of a batch must have the same options. */
export function manyEmbeddings(request: JsonRecord): JsonRecord {
  const requests = readListField(request, 'requests')
  if (requests.length === 0) throw fieldError('requests', 'must have at least one request')
  const first = optionsOf(requests[0])
  const alike = JSON.stringify(first)
  const input = requests.map((one, index) => {
    if (JSON.stringify(optionsOf(one)) !== alike) {
      const rule =
        'must have the options of the first request (taskType, title, outputDimensionality)'
      throw fieldError(`requests.${index}`, rule)
    }
    return textToEmbed(one, `requests.${index}.content`)
  })
  return { input, ...first }
}

function textToEmbed(request: unknown, path: string): string {
  const parts = placedParts(readField(request, 'content'), path, { losses: new Set() }).flatMap(
    messageParts,
  )
  if (parts.length === 0) throw fieldError(path, 'must have a text')
  if (parts.some(({ type }) => type !== 'text')) throw fieldError(path, 'must be text')
  return textsOf(parts).join('\n')
}

/** Only Google uses the task type and the title. */
function optionsOf(request: unknown): JsonRecord {
  const config = readField(request, 'embedContentConfig')
  const option = (name: string) => readField(request, name) ?? readField(config, name)
  const dimensions = option('outputDimensionality')
  const [task, title] = [textOf(option('taskType')), textOf(option('title'))]
  return {
    ...(typeof dimensions === 'number' ? { dimensions } : {}),
    ...(task === '' ? {} : { task_type: task }),
    ...(title === '' ? {} : { title }),
  }
}

export function* oneEmbeddingAnswer(body: Buffer): Steps<Buffer> {
  const [embedding] = yield* vectorsOf(body)
  return yield* writeJson({ embedding }, body.length)
}

export function* manyEmbeddingsAnswer(body: Buffer): Steps<Buffer> {
  return yield* writeJson({ embeddings: yield* vectorsOf(body) }, body.length)
}

function* vectorsOf(body: Buffer): Steps<JsonRecord[]> {
  const data = member(yield* readJson(body), 'data')
  const items = Array.isArray(data) ? data.filter(isRecord) : []
  return items.map(({ embedding }) => ({ values: embedding }))
}
