import { expect, test } from 'vitest'
import { z } from 'zod'
import { answerChat, answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'
import { deriveSecrets } from '../../../secrets.ts'

/* Signatures that clients of Messages and Gemini keep for the gateway, and that may be altered. */

const PREFIX = 'tg2.reasoning_details.'
const DETAIL = { type: 'reasoning.encrypted', data: 'kept by the client', index: 0 }
const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Noon.', reasoning_details: [DETAIL] },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
}

const partSchema = z.looseObject({ text: z.string(), thoughtSignature: z.string().optional() })
const blockSchema = z.looseObject({ type: z.string(), signature: z.string().optional() })

type Client = {
  readonly path: string
  /** The request that asks, or that sends back an answer with this signature. */
  readonly body: (signature?: string) => object
  readonly signatureIn: (answer: unknown) => string
}

const CLIENTS: Readonly<Record<string, Client>> = {
  Messages: {
    path: '/v1/messages',
    body: (signature) => {
      const user = { role: 'user', content: 'What time is it?' }
      const thought = { type: 'thinking', thinking: 'Hm.', signature }
      const answer = { role: 'assistant', content: [thought, { type: 'text', text: 'Noon.' }] }
      const messages = signature === undefined ? [user] : [user, answer, user]
      return { model: MODEL, max_tokens: 50, messages }
    },
    signatureIn: (answer) => {
      const { content } = z.object({ content: z.array(blockSchema) }).parse(answer)
      return content.find(({ type }) => type === 'thinking')?.signature ?? ''
    },
  },
  Gemini: {
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: (signature) => {
      const user = { role: 'user', parts: [{ text: 'What time is it?' }] }
      const said = { role: 'model', parts: [{ text: 'Noon.', thoughtSignature: signature }] }
      const generationConfig = { maxOutputTokens: 50 }
      return { contents: signature === undefined ? [user] : [user, said, user], generationConfig }
    },
    signatureIn: (answer) => {
      const content = z.object({ content: z.object({ parts: z.array(partSchema) }) })
      const { candidates } = z.object({ candidates: z.array(content) }).parse(answer)
      return candidates[0]?.content.parts[0]?.thoughtSignature ?? ''
    },
  },
}

const script = [answerJson(COMPLETION), answerChat('It is noon.')]
const OPENROUTER = 20

/** A world whose provider gave reasoning, and the signature that the client has of it. */
async function reasoned({ path, body, signatureIn }: Client) {
  const world = await setUp([{ type: OPENROUTER, script }])
  const response = await world.ask(body(), { path })
  expect(response.status).toBe(200)
  return { world, signature: signatureIn(await response.json()) }
}

async function sendBack(world: World, { path, body }: Client, signature: string) {
  const response = await world.ask(body(signature), { path })
  const sent = world.upstream.requestsOf('p0').at(-1)?.body.toString() ?? ''
  return {
    status: response.status,
    adapted: response.headers.get('x-tollgate-adapted'),
    hasReasoning: sent.includes(DETAIL.data),
    hasAnswer: sent.includes('Noon.'),
  }
}

const READ = { status: 200, adapted: null, hasReasoning: true, hasAnswer: true }
const LEFT_OUT = { status: 200, adapted: 'reasoning', hasReasoning: false, hasAnswer: true }

test.each(Object.entries(CLIENTS))('a signature for %s is checked', async (_name, client) => {
  const { world, signature } = await reasoned(client)
  expect(signature).toMatch(/^tg2\.reasoning_details\.[\w-]+$/)
  const bytes = Buffer.from(signature.slice(PREFIX.length), 'base64url')
  expect(bytes.toString()).not.toContain(DETAIL.data)
  expect(await sendBack(world, client, signature)).toEqual(READ)
  const flipped = (index: number) => {
    const altered = Buffer.from(bytes)
    altered[index] = (altered[index] ?? 0) ^ 1
    return PREFIX + altered.toString('base64url')
  }
  const entries = JSON.stringify([DETAIL])
  const encoded = Buffer.from(entries).toString('base64url')
  const foreign = deriveSecrets('another key').contentCipherFor(world.user).encrypt(entries)
  const altered = [
    ...[0, 6, 18, 34, bytes.length - 1].map(flipped),
    signature.slice(0, -8),
    PREFIX,
    `${PREFIX}${foreign}`,
    `${PREFIX}${encoded}`,
    `${PREFIX}${'A'.repeat(1_000_000)}`,
    `tg1.reasoning_details.${encoded}`,
  ]
  for (const one of altered) expect(await sendBack(world, client, one)).toEqual(LEFT_OUT)
  const user = await world.addUser({ quota: 1e9 })
  const { key } = await world.addToken({ user })
  expect(await sendBack({ ...world, key }, client, signature)).toEqual(LEFT_OUT)
  const { logs } = await world.books()
  expect(logs.map(({ quota }) => quota)).toContain(COST)
  expect(logs).toHaveLength(2 + altered.length)
})
