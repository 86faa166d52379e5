import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import type { ProviderDialect } from '../src/provider.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../src/wires/gemini/dialect.ts'
import { openaiDialect } from '../src/wires/openai-chat/dialect.ts'
import { createResponsesDialect } from '../src/wires/openai-responses/dialect.ts'
import { cipherFor } from '../src/wires/openai-responses/testing/readable-cipher.ts'
import { encodeChat, NOW } from './client-request.ts'
import { type Found, providerAt, requestTo, type Target, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/*
 * Tapes hold the requests that coding agents have sent through the gateway, with ids, paths and
 * dates replaced and long texts cut. `npm run agents -- --record` writes them.
 */

const FOLDER = path.join(import.meta.dirname, 'tapes')

const tapeSchema = z.strictObject({
  agent: z.string(),
  version: z.string(),
  /** The vendor that played the model, whose answers the history holds. */
  double: z.string(),
  requests: z.array(
    z.strictObject({
      path: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.record(z.string(), z.unknown()),
    }),
  ),
})

export type Tape = z.output<typeof tapeSchema>

export const tapeFile = ({ agent, version, double }: Omit<Tape, 'requests'>) =>
  path.join(FOLDER, `${agent}-${version}`, `${double}.json`)

export const readTapes = (): Tape[] =>
  globSync('*/*.json', { cwd: FOLDER })
    .toSorted()
    .map((name) => tapeSchema.parse(JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8'))))

type Wire = { readonly dialect: ClientDialect; readonly own: readonly ProviderDialect[] }

/** The dialect of a request, and the providers that get its own bytes. */
export function wireAt(requestPath: string): Wire {
  const { pathname, search } = new URL(requestPath, 'http://localhost')
  if (pathname.startsWith('/v1beta/')) {
    return {
      dialect: geminiDialect(geminiCallAt(pathname, search.slice(1)), cipherFor),
      own: ['gemini'],
    }
  }
  if (pathname === '/v1/messages')
    return { dialect: anthropicDialect(cipherFor), own: ['anthropic'] }
  if (pathname === '/v1/responses') {
    return { dialect: createResponsesDialect({ cipherFor, now: () => NOW }), own: ['responses'] }
  }
  if (pathname !== '/v1/chat/completions') throw new Error(`no chat at ${requestPath}`)
  return { dialect: openaiDialect, own: ['openai', 'azure'] }
}

/** The gateway sends chats of this model to OpenAI's Responses. */
const RESPONSES_ONLY = 'gpt-5.3-codex'
const GENERIC_RESPONSES = 1002
const ALL_TARGETS: readonly Target[] = [
  ...TARGETS,
  ...TARGETS.filter(({ type }) => type === GENERIC_RESPONSES)
    .slice(0, 1)
    .map((target) => ({ ...target, model: RESPONSES_ONLY })),
]

/** Rules that replayed requests break, and refusals of the gateway, by agent and model. */
export type BrokenTapes = {
  readonly translated: Found
  /** The vendor gets what the agent has sent, since both speak the same wire. */
  readonly ownWire: Found
}

export function brokenInTapes(tapes: readonly Tape[]): BrokenTapes {
  const found: BrokenTapes = { translated: {}, ownWire: {} }
  for (const { agent, requests } of tapes) {
    for (const target of ALL_TARGETS) {
      const provider = providerAt(target)
      for (const { path: requestPath, headers, body } of requests) {
        const { dialect, own } = wireAt(requestPath)
        const faults = faultsAt(
          target,
          encodeChat(dialect, provider, { model: target.model, headers, body }),
        )
        if (faults.length === 0) continue
        const list = own.includes(provider.descriptor.dialect) ? found.ownWire : found.translated
        const pair = `${agent} to ${target.vendor.name} ${target.model}`
        list[pair] = [...new Set([...(list[pair] ?? []), ...faults])].toSorted()
      }
    }
  }
  return found
}

function faultsAt({ vendor }: Target, sent: ReturnType<typeof encodeChat>): string[] {
  if (isRequestProblem(sent)) return [`refused: ${sent.message}`]
  const request = requestTo(vendor, { ...sent, body: parseJson(sent.body.toString()) })
  if (request === null) throw new Error(`${sent.url} is no chat of ${vendor.name}`)
  return brokenRules(vendor, request).map(({ id }) => id)
}
