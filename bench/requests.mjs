// Measures reading a request and writing it to a provider of its own wire: see README.md.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const TURNS = 20
const TOOLS = 25
const REPEATS = 200
const WARM_UP_ROUNDS = 10
const MS_MAX = 0.3

const PLAIN = { encrypt: (text) => text, decrypt: (text) => text }

const print = (text) => process.stdout.write(`${text}\n`)

const SENTENCE =
  'The "quick" brown fox counts 1234 tokens, and the lazy dog pays for each of them.\n'
const text = (bytes) => SENTENCE.repeat(Math.ceil(bytes / SENTENCE.length)).slice(0, bytes)

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Absolute path of the file.' },
    offset: { type: 'integer', description: 'First line.' },
    pattern: { type: 'string', description: text(60) },
  },
  required: ['path'],
}

/** A conversation of an agent: 93 kB in Anthropic's form, as many bytes in the others. */
const WIRES = {
  'Anthropic Messages': {
    dialect: ({ anthropicDialect }) => anthropicDialect(() => PLAIN),
    model: 'claude-sonnet-4-5',
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 8192,
      stream: true,
      system: [{ type: 'text', text: text(12_000), cache_control: { type: 'ephemeral' } }],
      tools: Array.from({ length: TOOLS }, (_tool, at) => ({
        name: `tool_${at}`,
        description: text(700),
        input_schema: schema,
      })),
      messages: [
        { role: 'user', content: text(2000) },
        ...Array.from({ length: TURNS }, (_turn, at) => [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: text(200), signature: `Er${'sig0'.repeat(90)}` },
              { type: 'text', text: text(120) },
              { type: 'tool_use', id: `toolu_${at}`, name: `tool_${at}`, input: { path: '/a/b' } },
            ],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: text(1500) }],
          },
        ]).flat(),
      ],
    },
  },
  'OpenAI Responses': {
    msMax: 0.7,
    dialect: ({ createResponsesDialect }) =>
      createResponsesDialect({ now: () => 0, cipherFor: () => PLAIN }),
    model: 'gpt-5.4',
    body: {
      model: 'gpt-5.4',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: text(12_000),
      tools: Array.from({ length: TOOLS }, (_tool, at) => ({
        type: 'function',
        name: `tool_${at}`,
        description: text(700),
        parameters: schema,
        strict: false,
      })),
      input: [
        { role: 'user', content: text(2000) },
        ...Array.from({ length: TURNS }, (_turn, at) => [
          { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: 'gAAA'.repeat(150) },
          { role: 'assistant', content: [{ type: 'output_text', text: text(120) }] },
          {
            type: 'function_call',
            call_id: `call_${at}`,
            name: `tool_${at}`,
            arguments: '{"path":"/a/b"}',
          },
          { type: 'function_call_output', call_id: `call_${at}`, output: text(1500) },
        ]).flat(),
      ],
    },
  },
  Gemini: {
    msMax: 0.7,
    dialect: ({ geminiDialect }) =>
      geminiDialect(
        { model: 'gemini-3-pro', method: 'streamGenerateContent', asEvents: true },
        () => PLAIN,
      ),
    model: 'gemini-3-pro',
    body: {
      systemInstruction: { parts: [{ text: text(12_000) }] },
      tools: [
        {
          functionDeclarations: Array.from({ length: TOOLS }, (_tool, at) => ({
            name: `tool_${at}`,
            description: text(700),
            parametersJsonSchema: schema,
          })),
        },
      ],
      contents: [
        { role: 'user', parts: [{ text: text(2000) }] },
        ...Array.from({ length: TURNS }, (_turn, at) => [
          {
            role: 'model',
            parts: [
              { text: text(120) },
              {
                functionCall: { name: `tool_${at}`, args: { path: '/a/b' } },
                thoughtSignature: 'CiQB'.repeat(150),
              },
            ],
          },
          {
            role: 'user',
            parts: [{ functionResponse: { name: `tool_${at}`, response: { output: text(1500) } } }],
          },
        ]).flat(),
      ],
    },
  },
}

/** Reads requests with the relay of a checkout, and writes their bytes for the provider. */
async function openRelay(folder, { dialect, model, body }) {
  const relay = await import(pathToFileURL(join(folder, 'relay/src/index.ts')).href)
  const { readRequest } = dialect(relay)
  const bytes = Buffer.from(JSON.stringify(body))
  return () => {
    const request = relay.finish(readRequest('chat', Buffer.from(bytes), {}))
    return request.native.encode({ model }).length
  }
}

function measure(pass) {
  const startedAt = process.cpuUsage()
  for (let repeat = 0; repeat < REPEATS; repeat += 1) pass()
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1000 / REPEATS
}

/** `args[0]` is the folder of another checkout to compare with; it needs no build. */
export async function measureRequests({ root }, { isQuick, args: [other] }) {
  const folders = [root, ...(other === undefined ? [] : [resolve(other)])]
  const faults = []
  print('| Wire | body kB | this build, ms | the other, ms |')
  print('| --- | ---: | ---: | ---: |')
  for (const [name, wire] of Object.entries(WIRES)) {
    const relays = []
    for (const folder of folders) relays.push(await openRelay(folder, wire))
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) relays.map(measure)
    const rounds = Array.from({ length: isQuick ? 5 : 25 }, () => relays.map(measure))
    // V8's other threads count too, so the lowest round describes the code.
    const [mine, others = null] = folders.map((_folder, at) =>
      Math.min(...rounds.map((round) => round[at])),
    )
    const kilobytes = JSON.stringify(wire.body).length / 1000
    const compared = others === null ? '–' : others.toFixed(3)
    print(`| ${name} | ${kilobytes.toFixed(0)} | ${mine.toFixed(3)} | ${compared} |`)
    const max = wire.msMax ?? MS_MAX
    if (mine > max) faults.push(`${name}: ${mine.toFixed(3)} ms, above ${max} ms`)
  }
  return faults
}
