import {
  headerText,
  bearer,
  jsonHeaders,
  versionedAddress,
} from '../../addresses/upstream-request.ts'
import { isRecord, type JsonRecord, listOf } from '../../bytes/json-value.ts'
import { RELAY_PATHS } from '../../provider.ts'
import { plainRerank, rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import { reasoningRequested } from '../../wires/openai-chat/chat-request.ts'
import { openaiFormCall } from '../../wires/openai-chat/openai-form.ts'
import type { EncodedCall, ProviderCall, TaskCall } from '../../wires/provider-codec.ts'

const BASE = { baseUrl: 'https://qianfan.baidubce.com', version: '/v2' }

/** V2 is OpenAI's format with a few members of its own. */
export function secondVersionCall(call: ProviderCall): EncodedCall {
  const [key = '', application = ''] = call.channel.key.trim().split('|')
  const isChat = call.endpoint === 'chat'
  const members = {
    model: call.model.toLowerCase(),
    ...(isChat ? chatMembers(call) : {}),
  }
  const encoded = openaiFormCall(
    { ...call, channel: { ...call.channel, key } },
    { host: 'baidu', ...BASE, members },
  )
  if (application === '') return encoded
  return { ...encoded, headers: { ...encoded.headers, appid: headerText(application) } }
}

/** Images and rerank, which only V2 has. */
export function secondVersionTask(call: TaskCall): EncodedCall {
  const [key = '', application = ''] = call.channel.key.trim().split('|')
  const json = { ...taskJson(call), model: call.model.toLowerCase() }
  if (call.endpoint === 'images') rejectImageStream(json)
  const body = call.endpoint === 'rerank' ? plainRerank(json) : json
  const path = RELAY_PATHS[call.endpoint].replace(/^\/v1/, '')
  return {
    url: versionedAddress(call.channel.baseUrl || BASE.baseUrl, BASE.version, path),
    headers: {
      ...jsonHeaders(false),
      ...bearer(key),
      ...(application === '' ? {} : { appid: headerText(application) }),
    },
    body: Buffer.from(JSON.stringify(body)),
  }
}

function chatMembers({ request, form }: ProviderCall): JsonRecord {
  const searches = isRecord(request['web_search_options']) ? { enable: true } : undefined
  const messages = listOf(request['messages']).map((message) =>
    isRecord(message) && message['role'] === 'developer' ? { ...message, role: 'system' } : message,
  )
  return {
    ...(form === undefined ? { messages } : {}),
    reasoning_effort: undefined,
    web_search_options: undefined,
    enable_thinking: request['enable_thinking'] ?? reasoningRequested(request) ?? undefined,
    web_search: request['web_search'] ?? searches,
  }
}
