import fc from 'fast-check'
import type { JsonRecord } from '../../src/bytes/json-value.ts'

/*
 * Conversations as agents have them: several turns, whose thoughts, names and ids come from models
 * of different vendors, since a session can move from one provider to another.
 */

type Call = { readonly id: string; readonly name: string; readonly result: string }

type Turn = {
  readonly asked: string
  readonly hasImage: boolean
  /** The seal is the signature of the thought: none, or that of some vendor. */
  readonly thought: { readonly text: string; readonly seal: string } | null
  readonly said: string
  readonly calls: readonly Call[]
}

export type Conversation = {
  readonly turns: readonly Turn[]
  /** The last question; null if the results of the last turn are new. */
  readonly question: string | null
  readonly system: string
  readonly limit: number
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly stop: readonly string[]
  readonly effort: 'none' | 'low' | 'xhigh' | undefined
  readonly user: string | undefined
  readonly choice: 'auto' | 'any' | undefined
  readonly stream: boolean
  readonly schema: JsonRecord | undefined
}

const NAMES = ['weather', 'mcp.fs/read', '1st_tool', '天气', `${'long_'.repeat(14)}name`, 'fs-read']
/** Beginnings of ids: OpenAI, Anthropic, Kimi, DeepSeek, other gateways. */
const IDS = [
  'call_',
  'toolu_',
  'functions.weather:',
  `call_00_${'x'.repeat(45)}`,
  'chatcmpl-tool-',
  '',
]
const SEALS = ['', 'EpQBCkYIBRgC', 'CiQBjz1rXyab', '0b5c1d70-4f8a-4c1e-9d2b-7a6e5f4d3c2b']
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const turn = fc.record({
  asked: fc.constantFrom('What is the weather?', 'Go on.'),
  hasImage: fc.boolean(),
  thought: fc.option(fc.record({ text: fc.constant('Hm.'), seal: fc.constantFrom(...SEALS) })),
  said: fc.constantFrom('', 'Let me see.'),
  calls: fc.array(
    fc.record({
      id: fc.constantFrom(...IDS),
      name: fc.constantFrom(...NAMES),
      result: fc.constantFrom('7 degrees', ''),
    }),
    { maxLength: 2 },
  ),
})

/** Every id is unique, and a turn without calls says something. */
const complete = (turns: readonly Turn[]): Turn[] =>
  turns.map((one, index) => ({
    ...one,
    said: one.calls.length > 0 ? one.said : 'Done.',
    calls: one.calls.map((call, at) => ({ ...call, id: `${call.id}${index}${at}` })),
  }))

export const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    turns: fc.array(turn, { maxLength: 3 }).map(complete),
    question: fc.option(fc.constant('And now?')),
    system: fc.constantFrom('', 'Be brief.'),
    limit: fc.constantFrom(2000, 200_000),
    temperature: maybe(fc.constantFrom(0.3, 1)),
    topP: maybe(fc.constantFrom(0.5)),
    stop: fc.constantFrom([], ['END'], ['a', 'b', 'c', 'd', 'e', 'f']),
    effort: maybe(fc.constantFrom('none', 'low', 'xhigh')),
    user: maybe(fc.constantFrom('customer-7', `{"device_id":"${'7'.repeat(150)}"}`)),
    choice: maybe(fc.constantFrom('auto', 'any')),
    stream: fc.boolean(),
    schema: maybe(
      fc.constantFrom(
        { type: 'object', properties: { city: { type: 'string' } } },
        {
          type: 'object',
          anyOf: [{ required: ['city'] }],
          properties: { city: { type: 'string' } },
        },
        { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      ),
    ),
  })
  .map(({ question, ...given }) => {
    const endsInResults = (given.turns.at(-1)?.calls.length ?? 0) > 0
    return { ...given, question: endsInResults ? question : (question ?? 'And now?') }
  })

const defined = (members: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const some = (...given: (JsonRecord | false)[]): JsonRecord[] =>
  given.filter((one) => one !== false)

const textOf = (text: string) => text !== '' && { type: 'text', text }

/** Names of all tools that were called; without tools the list is absent. */
function declared<Tool>(
  { turns, schema }: Conversation,
  write: (name: string, schema: JsonRecord) => Tool,
) {
  const names = new Set(turns.flatMap(({ calls }) => calls.map(({ name }) => name)))
  if (schema !== undefined) names.add('weather')
  if (names.size === 0) return undefined
  return [...names].map((name) => write(name, schema ?? { type: 'object', properties: {} }))
}

const hasTools = (given: Conversation) => declared(given, String) !== undefined

export function inMessages(given: Conversation): JsonRecord {
  const { turns, question, system, limit, temperature, topP, stop, effort, user, choice } = given
  const source = { type: 'base64', media_type: 'image/png', data: PNG }
  const messages = turns.flatMap(({ asked, hasImage, thought, said, calls }) => [
    {
      role: 'user',
      content: some(textOf(asked), hasImage && { type: 'image', source }),
    },
    {
      role: 'assistant',
      content: some(
        thought !== null && { type: 'thinking', thinking: thought.text, signature: thought.seal },
        textOf(said),
        ...calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })),
      ),
    },
    ...(calls.length === 0 ? [] : [{ role: 'user', content: calls.map(resultBlock) }]),
  ])
  return defined({
    model: 'm',
    max_tokens: limit,
    system: system || undefined,
    messages: question === null ? messages : [...messages, { role: 'user', content: question }],
    temperature,
    top_p: topP,
    stop_sequences: stop.length === 0 ? undefined : stop,
    metadata: user === undefined ? undefined : { user_id: user },
    thinking: effort === 'none' ? { type: 'disabled' } : undefined,
    output_config: effort === 'low' || effort === 'xhigh' ? { effort } : undefined,
    tools: declared(given, (name, input_schema) => ({ name, input_schema })),
    tool_choice: choice !== undefined && hasTools(given) ? { type: choice } : undefined,
    stream: given.stream || undefined,
  })
}

const resultBlock = ({ id, result }: Call) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: result,
})

export function inGemini(given: Conversation): JsonRecord {
  const { turns, question, system, limit, temperature, topP, stop, effort, choice } = given
  const contents = turns.flatMap(({ asked, hasImage, thought, said, calls }) => [
    {
      role: 'user',
      parts: some(
        { text: asked },
        hasImage && { inlineData: { mimeType: 'image/png', data: PNG } },
      ),
    },
    {
      role: 'model',
      parts: some(
        thought !== null && { text: thought.text, thought: true },
        said !== '' && { text: said },
        ...calls.map(({ name }, index) => ({
          functionCall: { name, args: {} },
          ...(index === 0 && thought?.seal ? { thoughtSignature: thought.seal } : {}),
        })),
      ),
    },
    ...(calls.length === 0
      ? []
      : [
          {
            role: 'user',
            parts: calls.map(({ name, result }) => ({
              functionResponse: { name, response: { output: result } },
            })),
          },
        ]),
  ])
  const functionDeclarations = declared(given, (name, parametersJsonSchema) => ({
    name,
    parametersJsonSchema,
  }))
  return defined({
    contents:
      question === null ? contents : [...contents, { role: 'user', parts: [{ text: question }] }],
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools: functionDeclarations && [{ functionDeclarations }],
    toolConfig:
      choice !== undefined && functionDeclarations
        ? { functionCallingConfig: { mode: choice.toUpperCase() } }
        : undefined,
    generationConfig: defined({
      maxOutputTokens: limit,
      temperature,
      topP,
      stopSequences: stop.length === 0 ? undefined : stop.slice(0, 5),
      thinkingConfig:
        effort === undefined ? undefined : { thinkingBudget: effort === 'none' ? 0 : 2048 },
    }),
  })
}

export function inChat(given: Conversation): JsonRecord {
  const { turns, question, system, limit, temperature, topP, stop, effort, user, choice } = given
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
  const messages = turns.flatMap(({ asked, hasImage, thought, said, calls }) => [
    { role: 'user', content: some(textOf(asked), hasImage && image) },
    defined({
      role: 'assistant',
      content: said === '' ? null : said,
      reasoning_content: thought?.text,
      tool_calls:
        calls.length === 0
          ? undefined
          : calls.map(({ id, name }) => ({
              id,
              type: 'function',
              function: { name, arguments: '{}' },
            })),
    }),
    ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ])
  const all = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...messages,
    ...(question === null ? [] : [{ role: 'user', content: question }]),
  ]
  return defined({
    model: 'm',
    messages: all,
    max_completion_tokens: limit,
    temperature,
    top_p: topP,
    stop: stop.length === 0 ? undefined : stop.slice(0, 4),
    user,
    reasoning_effort: effort,
    tools: declared(given, (name, parameters) => ({
      type: 'function',
      function: { name, parameters },
    })),
    tool_choice: chosen(given, choice),
    stream: given.stream || undefined,
  })
}

export function inResponses(given: Conversation): JsonRecord {
  const { turns, question, system, limit, temperature, topP, effort, user, choice } = given
  const input = turns.flatMap(({ asked, hasImage, thought, said, calls }) => [
    {
      role: 'user',
      content: some(
        { type: 'input_text', text: asked },
        hasImage && { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      ),
    },
    ...some(
      thought !== null && {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: thought.text }],
      },
      said !== '' && { role: 'assistant', content: [{ type: 'output_text', text: said }] },
    ),
    ...calls.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
    ...calls.map(({ id, result }) => ({
      type: 'function_call_output',
      call_id: id,
      output: result,
    })),
  ])
  return defined({
    model: 'm',
    instructions: system || undefined,
    input: question === null ? input : [...input, { role: 'user', content: question }],
    max_output_tokens: limit,
    temperature,
    top_p: topP,
    user,
    reasoning: effort === undefined ? undefined : { effort },
    tools: declared(given, (name, parameters) => ({
      type: 'function',
      name,
      parameters,
      strict: false,
    })),
    tool_choice: chosen(given, choice),
    store: false,
    stream: given.stream || undefined,
  })
}

function chosen(given: Conversation, choice: Conversation['choice']) {
  if (choice === undefined || !hasTools(given)) return undefined
  return choice === 'any' ? 'required' : choice
}
