import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { isRecord, type JsonRecord, parseJson, textOf } from '../../src/bytes/json-value.ts'
import { descriptorOf } from '../../src/catalogue.ts'
import { isRequestProblem } from '../../src/errors/request-problem.ts'
import { type ProviderDescriptor, RELAY_PATHS } from '../../src/provider.ts'
import { anthropicDialect } from '../../src/wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../../src/wires/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../../src/wires/gemini/dialect.ts'
import { chatDialect } from '../../src/wires/openai-responses/chat-dialect.ts'
import { createResponsesDialect } from '../../src/wires/openai-responses/dialect.ts'
import { cipherFor } from '../../src/wires/openai-responses/testing/readable-cipher.ts'
import { encodeChat, encodeRead, type Provider, readChat, requestOf } from '../client-request.ts'
import { DIALECT_FIXTURES, dialectOf } from '../dialect-pairs.ts'
import { type Fixture, fixturesIn } from '../fixture-pairs.ts'
import {
  type Conversation,
  conversation,
  inChat,
  inGemini,
  inMessages,
  inResponses,
} from './conversations.ts'
import { deepseek } from './deepseek.rules.ts'
import { mimo } from './mimo.rules.ts'
import { openai } from './openai.rules.ts'
import { qwen } from './qwen.rules.ts'
import { brokenRules, type StrictVendor, type VendorRequest } from './strict-vendor.ts'
import { vendorOfType } from './vendors.ts'
import { vllm } from './vllm.rules.ts'
import { xai } from './xai.rules.ts'

/* Requests that the relay sends, of the fixture pairs and of generated conversations. */

/** A request as the vendor sees it; null if the URL is not that of a chat. */
export function requestTo(
  vendor: StrictVendor,
  { url, headers, body }: { url: string; headers: VendorRequest['headers']; body: unknown },
): VendorRequest | null {
  const { pathname, search } = new URL(url)
  const called = pathname + search
  if (!vendor.chatPath.test(called) || !isRecord(body)) return null
  const request = { path: called, headers, body }
  return { ...request, model: vendor.modelOf(request) }
}

export type Found = Record<string, string[]>

const PROVIDERS = path.join(import.meta.dirname, '../../src/providers')

/** Rules that expected requests of the fixture pairs break, by fixture and its variant. */
export function brokenInFixtures(): Found {
  const found: Found = {}
  for (const { name, vendor, sent } of fixtureRequests()) {
    const request = requestTo(vendor, sent)
    const broken = request === null ? [] : brokenRules(vendor, request).map(({ id }) => id)
    if (broken.length > 0) found[name] = broken
  }
  return found
}

type Sent = { url: string; headers: VendorRequest['headers']; body: unknown }

export function fixtureRequests(): { name: string; vendor: StrictVendor; sent: Sent }[] {
  return [...fixtureFolders()].flatMap(({ name, folder, isClient }) => {
    const about = read(path.join(folder, 'about.json'))
    const vendor = isClient ? openai : vendorOfType(Number(about['type']))
    if (vendor === undefined) return []
    return fixturesIn(folder, 'requests').flatMap((fixture) => {
      const requests = isClient
        ? translated(name, fixture, textOf(about['path']))
        : encoded(fixture)
      return requests.flatMap((sent, index) => {
        const of = `${name}/${fixture.name.replace('requests/', '')} ${index + 1}`
        return sent === null ? [] : [{ name: of, vendor, sent }]
      })
    })
  })
}

function* fixtureFolders(): Generator<{ name: string; folder: string; isClient: boolean }> {
  for (const name of readdirSync(PROVIDERS)) {
    const folder = path.join(PROVIDERS, name, '__fixtures__')
    if (existsSync(folder)) yield { name, folder, isClient: false }
  }
  for (const [name, folder] of Object.entries(DIALECT_FIXTURES)) {
    // OpenAI gets the bytes of its own clients, whose faults are theirs.
    if (name !== 'openai') yield { name, folder, isClient: true }
  }
}

/** What the codec of a provider made of a fixture. */
function encoded({ expectedPath }: Fixture): (Sent | null)[] {
  const variants = listIn(parseJson(readFileSync(expectedPath, 'utf8')))
  const [first = {}] = variants
  return variants.map((variant) => sentIn({ ...partOf(first), ...variant }))
}

/** A chat in a client's dialect, as a model of OpenAI gets it. */
function translated(dialect: string, { bytes }: Fixture, chatPath: string): (Sent | null)[] {
  const [target] = ofType(1, 'gpt-4.1')
  if (target === undefined) throw new Error('there is no vendor of type 1')
  const provider = providerAt(target)
  return listIn(parseJson(bytes.toString())).map((given) => {
    const { path: requestPath = chatPath, body } = requestOf(given)
    const isChat =
      !/embed|completions$|count/i.test(requestPath) || requestPath === RELAY_PATHS.chat
    if (!isChat) return null
    const sent = encodeChat(dialectOf(dialect, requestPath), provider, {
      model: target.model,
      body,
    })
    return isRequestProblem(sent) ? null : { ...sent, body: parseJson(sent.body.toString()) }
  })
}

const listIn = (json: unknown) => (Array.isArray(json) ? json : [json]).filter(isRecord)

const partOf = ({ url, headers }: JsonRecord) => ({ url, headers })

/** Null for a refusal. */
function sentIn({ url, headers, body }: JsonRecord): Sent | null {
  if (!isRecord(body) || !isRecord(headers)) return null
  const told = Object.entries(headers).map(([name, value]) => [name, textOf(value)] as const)
  return { url: textOf(url), headers: Object.fromEntries(told), body }
}

function read(file: string): JsonRecord {
  const json = parseJson(readFileSync(file, 'utf8'))
  return isRecord(json) ? json : {}
}

type Client = {
  readonly dialect: () => ClientDialect
  readonly write: (given: Conversation) => JsonRecord
  /** Providers of the client's own wire get its bytes, whose faults are the client's. */
  readonly wires: readonly ProviderDescriptor['dialect'][]
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  chat: { dialect: () => chatDialect, write: inChat, wires: ['openai', 'azure'] },
  responses: {
    dialect: () => createResponsesDialect({ cipherFor, now: () => 0 }),
    write: inResponses,
    wires: ['responses'],
  },
  messages: { dialect: () => anthropicDialect(cipherFor), write: inMessages, wires: ['anthropic'] },
  gemini: {
    dialect: () => geminiDialect(geminiCallAt('/v1beta/models/m:generateContent', ''), cipherFor),
    write: inGemini,
    wires: ['gemini'],
  },
}

export type Target = {
  readonly vendor: StrictVendor
  readonly type: number
  readonly model: string
  readonly baseUrl?: string
  readonly other?: string
}

const CUSTOM = 8
const ofType = (type: number, ...models: string[]): Target[] => {
  const vendor = vendorOfType(type)
  return vendor === undefined ? [] : models.map((model) => ({ vendor, type, model }))
}
const customTarget = (vendor: StrictVendor, baseUrl: string, model: string): Target => ({
  vendor,
  type: CUSTOM,
  model,
  baseUrl,
})

export const TARGETS: readonly Target[] = [
  ...ofType(1, 'gpt-4.1', 'gpt-5-mini', 'gpt-5.4'),
  ...ofType(3, 'gpt-4.1').map((target) => ({
    ...target,
    baseUrl: 'https://my-resource.openai.azure.com',
    other: '2024-10-21',
  })),
  ...ofType(14, 'claude-sonnet-4-5', 'claude-opus-4-8'),
  ...ofType(16, 'glm-4.6'),
  ...ofType(20, 'openai/gpt-4o-mini', 'deepseek/deepseek-v4-pro'),
  ...ofType(24, 'gemini-2.5-flash', 'gemini-3.1-pro-preview'),
  ...ofType(25, 'kimi-k2.6', 'kimi-k3'),
  ...ofType(27, 'MiniMax-M2'),
  ...ofType(28, 'mistral-large-latest'),
  ...ofType(29, 'openai/gpt-oss-120b', 'llama-3.3-70b-versatile'),
  ...ofType(30, 'qwen3'),
  ...ofType(35, 'command-a-03-2025'),
  ...ofType(1002, 'gpt-4.1', 'gpt-5-mini', 'gpt-5.6-sol').map((target) => ({
    ...target,
    baseUrl: 'https://api.openai.com',
  })),
  customTarget(deepseek, 'https://api.deepseek.com', 'deepseek-v4-pro'),
  customTarget(mimo, 'https://api.xiaomimimo.com/v1', 'mimo-v2.5-pro'),
  customTarget(qwen, 'https://dashscope.aliyuncs.com/compatible-mode/v1', 'qwen-plus'),
  customTarget(xai, 'https://api.x.ai', 'grok-4'),
  customTarget(vllm, 'http://vllm.example.com', 'mistral-7b-instruct'),
  customTarget(vllm, 'http://vllm.example.com', 'Qwen/Qwen3.6-27B'),
]

export function providerAt({ type, baseUrl = '', other = '' }: Target): Provider {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`no channel type ${type}`)
  return { descriptor, channel: { baseUrl, key: 'k', other } }
}

const SAMPLE = { seed: 7, numRuns: 60 }

/**
 * Rules that conversations break, by client and model; generated ones unless some are given.
 * `examples` receives the shortest conversation for each, `refusals` what the relay refuses.
 */
export function brokenInConversations({
  samples = fc.sample(conversation, SAMPLE),
  examples = {},
  refusals = [],
}: {
  samples?: readonly Conversation[]
  examples?: Record<string, Conversation>
  refusals?: string[]
} = {}): Found {
  const found: Found = {}
  for (const [client, { dialect, write, wires }] of Object.entries(CLIENTS)) {
    // Read once for all vendors.
    const reads = samples.map((given) => ({ given, request: readChat(dialect(), write(given)) }))
    for (const target of TARGETS) {
      const provider = providerAt(target)
      if (wires.includes(provider.descriptor.dialect)) continue
      const pair = `${client} to ${target.vendor.name} ${target.model}`
      const ids = new Set<string>()
      for (const { given, request: read } of reads) {
        const sent = encodeRead(provider, read, { model: target.model })
        if (isRequestProblem(sent)) {
          refusals.push(`${pair}: ${sent.message}`)
          continue
        }
        const request = requestTo(target.vendor, { ...sent, body: parseJson(sent.body.toString()) })
        if (request === null) throw new Error(`${sent.url} is no chat of ${target.vendor.name}`)
        for (const { id } of brokenRules(target.vendor, request)) {
          ids.add(id)
          const name = `${pair}: ${id}`
          const known = examples[name]
          if (known === undefined || sizeOf(given) < sizeOf(known)) examples[name] = given
        }
      }
      if (ids.size > 0) found[pair] = [...ids].toSorted()
    }
  }
  return found
}

const sizeOf = (given: Conversation) => JSON.stringify(given).length
