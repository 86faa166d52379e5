import { isRecord, type JsonRecord } from '../../src/bytes/json-value.ts'
import { field, records } from './gemini-schema.ts'

/* What rules look at in requests of generateContent, and pieces of such requests. */

export const contentsOf = (body: JsonRecord) => records(body['contents'])

export const partsOf = (body: JsonRecord) => contentsOf(body).flatMap(({ parts }) => records(parts))

export const configOf = (body: JsonRecord): JsonRecord => {
  const config = field(body, 'generationConfig')
  return isRecord(config) ? config : {}
}

export const declarationsOf = (body: JsonRecord) =>
  records(body['tools']).flatMap((tool) => records(field(tool, 'functionDeclarations')))

/* Pieces of examples. */

export const says = (...contents: unknown[]) => ({ contents })
export const user = (...parts: unknown[]) => ({ role: 'user', parts })
const model = (...parts: unknown[]) => ({ role: 'model', parts })
export const HI = user({ text: 'hi' })
export const CALL = model({ functionCall: { name: 'weather', args: {} } })
export const RESULT = user({ functionResponse: { name: 'weather', response: { sky: 'fair' } } })
export const declare = (...declarations: JsonRecord[]) => ({
  tools: [{ functionDeclarations: declarations.map((own) => ({ name: 'weather', ...own })) }],
})
export const setting = (generationConfig: JsonRecord) => ({ generationConfig })
export const thinking = (thinkingConfig: JsonRecord) => setting({ thinkingConfig })
