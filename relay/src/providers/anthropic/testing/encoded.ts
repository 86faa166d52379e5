import { type ProviderCall, UnsupportedParameterError } from '../../../codec/provider-codec.ts'
import { isRecord, parseJson } from '../../../json-value.ts'
import { anthropicCodec } from '../codec.ts'

export const QUESTION = [{ role: 'user', content: 'What time is it?' }]

export function encoded(
  request: Record<string, unknown>,
  {
    model = 'claude-opus-4-6',
    stream = false,
    channel = {},
  }: { model?: string; stream?: boolean; channel?: Partial<ProviderCall['channel']> } = {},
) {
  const { url, headers, body } = anthropicCodec.encode({
    endpoint: 'chat',
    request: { messages: QUESTION, ...request },
    model,
    stream,
    channel: { baseUrl: '', key: 'sk-ant-api03-x', other: '', ...channel },
    now: 0,
    id: 'request-7',
  })
  const json = parseJson(body.toString())
  return { url, headers, json: isRecord(json) ? json : {} }
}

export function refusal(request: Record<string, unknown>): string | null {
  try {
    encoded(request)
  } catch (error) {
    if (error instanceof UnsupportedParameterError) return error.param
    throw error
  }
  throw new Error('nothing was refused')
}

export const functionTool = (name: string, more: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name, ...more },
})
export const TOOLS = [functionTool('get_time'), functionTool('get_date')]
export const CALL = {
  id: 'toolu_1',
  type: 'function',
  function: { name: 'get_time', arguments: '{"tz":"UTC"}' },
}
