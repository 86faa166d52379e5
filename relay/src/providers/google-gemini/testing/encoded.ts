import { type ProviderCall, UnsupportedParameterError } from '../../../codec/provider-codec.ts'
import { isRecord, type JsonRecord, parseJson } from '../../../json-value.ts'
import { geminiCodec } from '../codec.ts'

export const QUESTION = [{ role: 'user', content: 'What time is it?' }]

type Options = {
  model?: string
  stream?: boolean
  channel?: Partial<ProviderCall['channel']>
}

export function encoded(
  request: JsonRecord,
  { model = 'gemini-2.5-flash', stream = false, channel = {} }: Options = {},
) {
  const { url, headers, body } = geminiCodec.encode({
    endpoint: 'chat',
    request: { messages: QUESTION, ...request },
    model,
    stream,
    channel: { baseUrl: '', key: 'AIza-x', other: '', ...channel },
    now: 0,
    id: 'request-7',
  })
  const json = parseJson(body.toString())
  return { url, headers, json: isRecord(json) ? json : {} }
}

export function refusal(request: JsonRecord): string | null {
  try {
    encoded(request)
  } catch (error) {
    if (error instanceof UnsupportedParameterError) return error.param
    throw error
  }
  throw new Error('nothing was refused')
}

export const functionTool = (name: string, more: JsonRecord = {}) => ({
  type: 'function',
  function: { name, ...more },
})
