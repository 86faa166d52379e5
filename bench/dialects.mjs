// Measures the cost of translating between dialects and of counting a prompt: see LAB.md.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'
import { addToken, signIn, startServerAt } from './rows.mjs'

const EVENTS = 50
const PAUSE_US = 1000
/** V8 compiles the code of a request only after some thousand requests. */
const WARM_UP_ROUNDS = 3
const PROMPT_BYTES = 100_000
/** Multiples of a stream of chat completions that passes through. */
const TRANSLATED_FACTOR_MAX = 1.5
const PASSED_FACTOR_MAX = 1.15
const COUNTED_MS_MAX = 30

/**
 * `type` of a channel; `path` of a client's requests, the text that marks the end of a stream, and
 * the number of stream events that carry no text, without the closing event.
 */
const WIRES = {
  Chat: {
    type: 1001,
    model: 'gpt-4o-mini',
    path: () => '/v1/chat/completions',
    closing: '[DONE]',
    frame: ({ name }) => (name === 'Chat' ? 2 : 3),
  },
  Responses: {
    type: 1002,
    model: 'gpt-4.1-mini',
    path: () => '/v1/responses',
    closing: '"response.completed"',
    frame: () => 7,
  },
  Messages: {
    type: 1003,
    model: 'claude-haiku-4-5',
    path: () => '/v1/messages',
    closing: '"message_stop"',
    frame: () => 4,
  },
  Gemini: {
    type: 24,
    model: 'gemini-2.5-flash',
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    closing: '"finishReason":"STOP"',
    frame: () => 0,
  },
}

const NAMES = Object.keys(WIRES)
const PAIRS = NAMES.flatMap((client) => NAMES.map((provider) => ({ client, provider })))

const print = (text) => process.stdout.write(`${text}\n`)

const TEXT = 'Summarise the "quarterly" report\nfor the board, and keep figures exact. '.repeat(14)

/** A conversation of 2 KiB. The pause stands in its text, which no translation changes. */
function streamBody(client, model) {
  const texts = [TEXT, TEXT.slice(7), `Go on. mock_delay_us ${PAUSE_US}`]
  const turns = (assistant) => texts.map((text, at) => [at === 1 ? assistant : 'user', text])
  if (client === 'Gemini') {
    const contents = turns('model').map(([role, text]) => ({ role, parts: [{ text }] }))
    return { contents, generationConfig: { maxOutputTokens: EVENTS } }
  }
  const messages = turns('assistant').map(([role, content]) => ({ role, content }))
  if (client === 'Responses') {
    return { model, max_output_tokens: EVENTS, stream: true, store: false, input: messages }
  }
  const asksUsage = client === 'Chat' ? { stream_options: { include_usage: true } } : {}
  return { model, max_tokens: EVENTS, stream: true, ...asksUsage, messages }
}

function promptBody() {
  const line = 'The quick brown fox counts 1234 tokens, and the lazy dog pays for each of them. '
  const content = line.repeat(Math.ceil(PROMPT_BYTES / line.length)).slice(0, PROMPT_BYTES)
  return { model: WIRES.Chat.model, messages: [{ role: 'user', content }] }
}

async function openGateway(bench) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const dataFolder = mkdtempSync(join(bench.folder, 'dialects-'))
  const server = { ...bench, dataFolder, port: await freePort(), cpu: bench.cpus?.gateway }
  const gateway = startServerAt(server)
  const call = await signIn(gateway, `http://127.0.0.1:${server.port}`)
  for (const [name, { type, model }] of Object.entries(WIRES)) {
    await call('POST', '/api/channel/', {
      type,
      name,
      key: 'sk-upstream-0123456789',
      base_url: `http://127.0.0.1:${mockPort}`,
      models: model,
      group: 'default',
    })
  }
  return { ...server, mock, gateway, key: await addToken(call) }
}

/** `given` are loadgen options that select the request. */
async function offer({ bin, cpus, port, gateway, key, folder }, body, given, { warmUp, seconds }) {
  const file = join(folder, 'dialect.json')
  writeFileSync(file, JSON.stringify(body))
  const target = ['-p', port, '-P', gateway.child.pid, '-k', key, '-b', file]
  const command = [join(bin, 'loadgen'), ...target, ...given, '-w', warmUp, '-d', seconds]
  return JSON.parse(await run(command.map(String), { cpu: cpus?.load, timeoutMs: 60_000 }))
}

function offerStreams(world, { client, provider }, time) {
  const { path, closing, frame } = WIRES[client]
  const { model } = WIRES[provider]
  const events = EVENTS + frame({ name: provider })
  const given = ['-l', path(model), '-t', closing, '-e', events, '-c', 128]
  return offer(world, streamBody(client, model), given, time)
}

const offerPrompts = (world, time) =>
  offer(world, promptBody(), ['-l', '/v1/messages/count_tokens', '-c', 1], time)

/** Streams of a pair between streams of chat completions that pass through. */
async function offerInTurn(world, pair, time) {
  const [same] = PAIRS
  const before = await offerStreams(world, same, time)
  const own = await offerStreams(world, pair, time)
  const after = await offerStreams(world, same, time)
  return { ...own, factor: (2 * own.cpu_us) / (before.cpu_us + after.cpu_us) }
}

const nameOf = ({ client, provider }) => `${client} → ${provider}`

function format(pairs, counted) {
  const rows = pairs.map(({ pair, cpu_us, factor, first_p50_us }) => {
    const firstMs = (first_p50_us / 1000).toFixed(2)
    return `| ${nameOf(pair)} | ${cpu_us.toFixed(0)} | ${factor.toFixed(2)} | ${firstMs} |`
  })
  return [
    '| Client → provider | CPU µs per stream of 50 | of Chat → Chat | first event p50 ms |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
    '',
    `A prompt of ${PROMPT_BYTES / 1000} kB is counted in ${counted.toFixed(1)} ms.`,
  ].join('\n')
}

function findFaults(pairs, counted) {
  const faults = pairs.flatMap(({ pair, factor, good, bad }) => {
    const name = nameOf(pair)
    if (good === 0 || bad > 0) return [`${name}: ${bad} bad answers, ${good} good ones`]
    const most = pair.client === pair.provider ? PASSED_FACTOR_MAX : TRANSLATED_FACTOR_MAX
    return factor > most ? [`${name}: ${factor.toFixed(2)} times, at most ${most}`] : []
  })
  const isSlow = counted > COUNTED_MS_MAX
  return isSlow
    ? [...faults, `counting: ${counted.toFixed(1)} ms, at most ${COUNTED_MS_MAX}`]
    : faults
}

/** Prints the table of medians over the rounds and returns the missed limits. */
export async function measureDialects(bench, { isQuick }) {
  const rounds = isQuick ? 1 : 3
  const time = { warmUp: 0.5, seconds: isQuick ? 1 : 2 }
  const world = await openGateway(bench)
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const pair of PAIRS) await offerStreams(world, pair, time)
  }
  const streams = PAIRS.map(() => [])
  const prompts = []
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, pair] of PAIRS.entries()) {
      streams[index].push(await offerInTurn(world, pair, time))
    }
    prompts.push(await offerPrompts(world, time))
  }
  await stop(world.gateway)
  await stop(world.mock)
  const middle = (figures, of) => median(figures.map(of))
  const pairs = PAIRS.map((pair, index) => ({
    pair,
    good: middle(streams[index], ({ good }) => good),
    bad: Math.max(...streams[index].map(({ bad }) => bad)),
    cpu_us: middle(streams[index], ({ cpu_us }) => cpu_us),
    factor: middle(streams[index], ({ factor }) => factor),
    first_p50_us: middle(streams[index], ({ first_p50_us }) => first_p50_us),
  }))
  const counted = middle(prompts, ({ p50_us }) => p50_us) / 1000
  print(`\n${format(pairs, counted)}`)
  const uncounted = prompts.some(({ good, bad }) => good === 0 || bad > 0)
  return [...findFaults(pairs, counted), ...(uncounted ? ['counting: bad answers'] : [])]
}
