import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerItems,
  codexTurn,
  RESPONSES_MODEL,
} from '../../../../testing/fakes/responses-provider.ts'
import {
  answerAsAsked,
  answerError,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  channelTo,
  CLAUDE,
  GEMINI,
  type NativeProvider,
  RESPONSES,
} from '../../../../testing/worlds/native-scenario.ts'
import { type Provider, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

/* Sessions of Codex that are compacted at one vendor and continued at another. */

const ITEM = { id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAAABo' }
const SUMMARY = 'Hello there'
const LOST = '[A summary of the earlier conversation that cannot be read here]'

/** Compacts, and answers everything else. */
const compacts: Behaviour = (reply, request) =>
  (request.body.includes('compaction_trigger') ? answerItems(ITEM) : answerNative(RESPONSES))(
    reply,
    request,
  )

type Vendor = Omit<Provider, 'models'>
const vendorOf = (provider: NativeProvider, mapping: string, script: Behaviour[]): Vendor => ({
  ...channelTo(provider, ...script),
  mapping,
})

const CHAT: Vendor = { script: [answerAsAsked], mapping: 'gpt-4o-mini' }
const MESSAGES = vendorOf(CLAUDE, 'claude-sonnet-4-5', [answerNative(CLAUDE)])
const GOOGLE = vendorOf(GEMINI, 'gemini-3-pro-preview', [answerNative(GEMINI)])
const OPENAI = vendorOf(RESPONSES, RESPONSES_MODEL, [compacts])
/** An address with Responses that compacts nothing. */
const OWN_SERVER = vendorOf(RESPONSES, 'qwen3-coder', [answerNative(RESPONSES)])

const VENDORS = { CHAT, MESSAGES, GOOGLE, OPENAI, OWN_SERVER }
type Name = keyof typeof VENDORS
const NAMES: readonly Name[] = ['CHAT', 'MESSAGES', 'GOOGLE', 'OPENAI', 'OWN_SERVER']
const PAIRS = NAMES.flatMap((one) =>
  NAMES.filter((other) => other !== one).map((other) => [one, other] as const),
)

const TURN = [
  { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"command":["mv"]}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'renamed' },
]
const NEXT = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Done?' }] }

const itemSchema = z.looseObject({ type: z.string() })
const doneSchema = z.object({ item: itemSchema })

/** Asks as Codex does; returns the items of the answer. */
async function ask(world: World, model: string, items: readonly unknown[]) {
  const answer = await world.ask(codexTurn(model, { items }), { path: '/v1/responses' })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toContain('"type":"response.completed"')
  const done = [...text.matchAll(/^data: (.*"response\.output_item\.done".*)$/gm)]
  const output = done.map(([, data = '']) => doneSchema.parse(JSON.parse(data)).item)
  return { output, adapted: answer.headers.get('x-tollgate-adapted')?.split(', ') ?? [] }
}

const sentTo = ({ upstream }: World, name: string, turn = -1) =>
  upstream.requestsOf(name).at(turn)?.body.toString() ?? ''

const worldOf = (first: Vendor, second: Vendor) =>
  setUp(
    [
      { ...first, models: 'first' },
      { ...second, models: 'second' },
    ],
    {
      options: [
        ['ModelRatio', '{"first":0.075,"second":0.075}'],
        ['CompletionRatio', '{"first":4,"second":4}'],
      ],
    },
  )

describe('a session of Codex', () => {
  test.each(PAIRS)('is compacted at %s and goes on at %s', async (one, other) => {
    const world = await worldOf(VENDORS[one], VENDORS[other])
    const { output } = await ask(world, 'first', [...TURN, { type: 'compaction_trigger' }])
    // Codex takes exactly one.
    expect(output.map(({ type }) => type)).toEqual(['compaction'])
    const asked = sentTo(world, 'p0')
    expect(asked).toContain('renamed')
    const isNative = one === 'OPENAI'
    expect(asked.includes('compaction_trigger')).toBe(isNative)
    expect(asked.includes('Summarize the conversation')).toBe(!isNative)

    const { output: answer, adapted } = await ask(world, 'second', [...output, NEXT])
    expect(answer).toMatchObject([{ type: 'message' }])
    const sent = sentTo(world, 'p1')
    for (const text of ['Sandbox.', 'Rename a.txt.', 'Done?']) expect(sent).toContain(text)
    expect(sent).not.toContain(ITEM.encrypted_content)
    expect(sent.includes(SUMMARY)).toBe(!isNative)
    expect(sent.includes(LOST)).toBe(isNative)
    expect(adapted.includes('messages')).toBe(isNative)
    expect(await world.charges()).toEqual([3, 3])
  })

  test('is summarized after all by a provider that refuses to compact', async () => {
    const refuses: Behaviour = (reply, request) =>
      (request.body.includes('compaction_trigger')
        ? answerError(400, { message: "Invalid value: 'compaction_trigger'." })
        : answerNative(RESPONSES))(reply, request)
    const world = await worldOf({ ...OPENAI, script: [refuses] }, CHAT)
    const { output } = await ask(world, 'first', [...TURN, { type: 'compaction_trigger' }])
    expect(output.map(({ type }) => type)).toEqual(['compaction'])
    expect(world.upstream.requestsOf('p0')).toHaveLength(2)
    await ask(world, 'second', [...output, NEXT])
    expect(sentTo(world, 'p1')).toContain(SUMMARY)
    expect(await world.charges()).toEqual([3, 3])
  })
})
