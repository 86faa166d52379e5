import { answerJson, answerStream, type Behaviour } from './scripted-upstream.ts'

/* A provider that speaks the Responses API, and requests of Codex for it. */

export const RESPONSES_MODEL = 'gpt-5.6-sol'
export const RESPONSES_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
}

export const messageItem = (text: string, id = 'msg_1') => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

const responseOf = (id: string, status: string, output: readonly object[]) => ({
  id,
  object: 'response',
  created_at: 1,
  status,
  model: RESPONSES_MODEL,
  output,
  usage: status === 'completed' ? RESPONSES_USAGE : null,
})

const event = (json: { type: string }) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`

/** A response of this id with these items, streamed if it is asked for so. */
export const answerResponse =
  (id: string, ...items: object[]): Behaviour =>
  (reply, request) => {
    const ended = responseOf(id, 'completed', items)
    if (!/"stream":\s*true/.test(request.body.toString())) return answerJson(ended)(reply, request)
    const done = items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ])
    const events = [
      { type: 'response.created', response: responseOf(id, 'in_progress', []) },
      ...done,
      { type: 'response.completed', response: ended },
    ]
    return answerStream(events.map(event))(reply, request)
  }

export const answerItems = (...items: object[]) => answerResponse('resp_1', ...items)

/** A turn of Codex, with further items and tools. */
export const codexTurn = (
  model: string,
  { items, tools = [] }: { items: readonly unknown[]; tools?: readonly object[] },
) => ({
  model,
  instructions: 'You are Codex.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rename a.txt.' }] },
    ...items,
  ],
  tools: [
    {
      type: 'function',
      name: 'shell',
      strict: false,
      parameters: { type: 'object', properties: {} },
    },
    { type: 'custom', name: 'apply_patch', description: 'Edits files', format: { type: 'text' } },
    ...tools,
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'low' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'session',
})
