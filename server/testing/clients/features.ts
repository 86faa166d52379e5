import assert from 'node:assert/strict'
import { type Answer, type Client, type Input, PLAIN, type Place, PNG, WEATHER } from './client.ts'
import {
  type ReceivedChat,
  CITIES,
  COMPLETION_TOKENS,
  HELLO,
  PROMPT_TOKENS,
  readJson,
  SYSTEM,
  REASONING,
  VECTORS,
  WEATHER_JSON,
} from './received-chat.ts'

/* The features that every client tries with every provider. Assertions check both ends. */

export type Run = {
  client: Client
  place: Place
  refused: Place
  /** Providers that a session may come from. */
  formers: readonly Former[]
  asked: () => readonly (ReceivedChat | { embed: string[] })[]
}

export type Former = { name: string; place: Place }

/** Done, or done with a limitation that an operator should know. */
export type Done = 'done' | 'one-by-one' | 'left-out'

export type Feature = {
  name: string
  isIn: (client: Client) => boolean
  run: (run: Run) => Promise<Done>
}

const everywhere = () => true

function chatsOf({ asked }: Run): ReceivedChat[] {
  return asked().map((one) => {
    if ('embed' in one) throw new Error('texts to embed have come in a chat')
    return one
  })
}

function lastOf(run: Run): ReceivedChat {
  const last = chatsOf(run).at(-1)
  if (last === undefined) throw new Error('nothing has reached the provider')
  return last
}

const text = (said: string): Input => ({ type: 'text', text: said })

async function says(run: Run, stream: boolean): Promise<Done> {
  const answer = await run.client.open(run.place, { ...PLAIN, stream })(text('Who are you?'))
  assert.equal(answer.text, HELLO)
  const last = lastOf(run)
  assert.deepEqual(last.texts, [SYSTEM, 'Who are you?'])
  if (last.stream !== null) assert.equal(last.stream, stream)
  return 'done'
}

async function tellsUsage(run: Run): Promise<Done> {
  for (const stream of [false, true]) {
    const answer = await run.client.open(run.place, { ...PLAIN, stream })(text('Who are you?'))
    assert.deepEqual(answer.usage, { prompt: PROMPT_TOKENS, completion: COMPLETION_TOKENS })
  }
  return 'done'
}

const weatherIn = (city: unknown) => `${String(city)} has 7 degrees`
const cityOf = ({ arguments: given }: Answer['calls'][number]) =>
  CITIES.find((city) => JSON.stringify(given) === JSON.stringify({ city }))

/** Runs the tool loop and returns the number of rounds. */
async function callTools(run: Run, stream: boolean, cities: readonly string[]): Promise<number> {
  const chat = run.client.open(run.place, { ...PLAIN, stream, tools: true })
  let answer = await chat(text(`What is the weather in ${cities.join(' and ')}?`))
  let rounds = 0
  while (answer.calls.length > 0 && rounds < cities.length) {
    rounds += 1
    for (const call of answer.calls) assert.equal(call.name, WEATHER.name)
    const results = answer.calls.map((call) => ({
      id: call.id,
      name: call.name,
      text: weatherIn(cityOf(call)),
    }))
    answer = await chat({ type: 'results', results })
  }
  for (const city of cities) assert.ok(answer.text.includes(weatherIn(city)), answer.text)
  const last = lastOf(run)
  assert.deepEqual(
    last.calls,
    cities.map((city) => ({ name: WEATHER.name, arguments: { city } })),
  )
  assert.equal(last.results.length, cities.length)
  for (const asked of chatsOf(run)) {
    assert.deepEqual(
      asked.tools.map(({ name }) => name),
      [WEATHER.name],
    )
    assert.match(JSON.stringify(asked.tools), /"properties":\{"city":\{"type":"string"/)
  }
  return rounds
}

async function usesOneTool(run: Run, stream: boolean): Promise<Done> {
  assert.equal(await callTools(run, stream, CITIES.slice(0, 1)), 1)
  return 'done'
}

async function usesToolsAtOnce(run: Run): Promise<Done> {
  const whole = await callTools(run, false, CITIES)
  assert.equal(await callTools(run, true, CITIES), whole)
  return whole === 1 ? 'done' : 'one-by-one'
}

async function showsImage(run: Run): Promise<Done> {
  const answer = await run.client.open(
    run.place,
    PLAIN,
  )({
    type: 'text',
    text: 'What is it?',
    png: PNG,
  })
  assert.deepEqual(lastOf(run).images, [PNG])
  assert.deepEqual(lastOf(run).texts, [SYSTEM, 'What is it?'])
  assert.equal(answer.text, 'Pictures: 1')
  return 'done'
}

async function keepsToSchema(run: Run): Promise<Done> {
  const chat = run.client.open(run.place, { ...PLAIN, schema: true })
  const answer = await chat(text('What is the weather?'))
  assert.match(JSON.stringify(lastOf(run).schema), /"degrees":\{"type":"integer"/)
  assert.deepEqual(readJson(answer.text), readJson(WEATHER_JSON))
  return 'done'
}

async function thinks(run: Run): Promise<Done> {
  for (const stream of [false, true]) {
    const chat = run.client.open(run.place, { ...PLAIN, stream, reasoning: true })
    const answer = await chat(text('Who are you?'))
    assert.equal(answer.text, HELLO)
    const { reasoning } = lastOf(run)
    if (reasoning === 'none') continue
    const isShown = reasoning === 'shown' && !run.client.hidesReasoning
    assert.equal(answer.reasoning, isShown ? REASONING : '')
  }
  const told = chatsOf(run).filter(({ reasoning }) => reasoning !== 'none').length
  assert.ok(told === 0 || told === 2, 'a wish to think is told now and then')
  return told === 0 ? 'left-out' : 'done'
}

/** After a tool call, the model must get its own reasoning back together with the result. */
async function goesOnThinking(run: Run): Promise<Done> {
  for (const stream of [false, true]) {
    const chat = run.client.open(run.place, { ...PLAIN, stream, tools: true, reasoning: true })
    const { calls } = await chat(text('What is the weather in Oslo?'))
    const results = calls.map(({ id, name }) => ({ id, name, text: weatherIn('Oslo') }))
    const answer = await chat({ type: 'results', results })
    assert.match(answer.text, /Oslo has 7 degrees/)
  }
  const shown = chatsOf(run).filter(({ reasoningCount: thoughts }) => thoughts > 0).length
  assert.ok(shown === 0 || shown === 2, 'thoughts go back now and then')
  return shown === 0 ? 'left-out' : 'done'
}

/** The next question, whose history has the reasoning of the last answer. */
async function asksAgain(run: Run): Promise<Done> {
  for (const stream of [false, true]) {
    const chat = run.client.open(run.place, { ...PLAIN, stream, reasoning: true })
    await chat(text('Who are you?'))
    assert.equal((await chat(text('And who am I?'))).text, HELLO)
    assert.deepEqual(lastOf(run).texts, [SYSTEM, 'Who are you?', 'And who am I?'])
  }
  return 'done'
}

/** A session with reasoning and a tool call of another provider continues here. */
async function movesHere(run: Run): Promise<Done> {
  for (const former of run.formers) {
    const chat = run.client.open(former.place, { ...PLAIN, tools: true, reasoning: true })
    const results = ({ calls }: Answer, city: string): Input => ({
      type: 'results',
      results: calls.map(({ id, name }) => ({ id, name, text: weatherIn(city) })),
    })
    const first = await chat(text('What is the weather in Oslo?'))
    await chat(results(first, 'Oslo'))
    const second = await chat(text('And in Rome?'), run.place)
    const answer = await chat(results(second, 'Rome'), run.place)
    assert.match(answer.text, /Rome has 7 degrees/, former.name)
    assert.deepEqual(
      lastOf(run).calls,
      CITIES.map((city) => ({ name: WEATHER.name, arguments: { city } })),
      former.name,
    )
  }
  return 'done'
}

/**
 * The client must raise its own error class, both for the gateway's errors and for the provider's.
 */
async function tellsFailures(run: Run): Promise<Done> {
  const { client, place, refused } = run
  for (const stream of [false, true]) {
    const failing = async (at: Place) => {
      const chat = client.open(at, { ...PLAIN, stream })
      const error: unknown = await chat(text('Who are you?')).then(
        () => null,
        (reason: unknown) => reason,
      )
      const failure = client.failureOf(error)
      assert.ok(failure, `no error of the client's own: ${String(error)}`)
      return failure
    }
    const ofStranger = await failing({ ...place, key: 'sk-nobody' })
    assert.equal(ofStranger.status, 401)
    const ofRefused = await failing(refused)
    assert.ok(ofRefused.status >= 500, `the status is ${ofRefused.status}`)
    assert.match(ofRefused.message, /refused its credentials/)
  }
  assert.equal(run.asked().length, 0)
  return 'done'
}

async function embeds(run: Run): Promise<Done> {
  const { client, place } = run
  assert.deepEqual(await client.embed?.(place, ['one', 'two']), VECTORS)
  const [asked] = run.asked()
  assert.ok(asked !== undefined && 'embed' in asked)
  assert.deepEqual(asked.embed, ['one', 'two'])
  return 'done'
}

async function counts(run: Run): Promise<Done> {
  const { client, place } = run
  const few = (await client.count?.(place, 'hi')) ?? 0
  const many = (await client.count?.(place, 'hi '.repeat(100))) ?? 0
  assert.ok(few > 0 && many > few + 90, `${few} and ${many} tokens`)
  assert.equal(run.asked().length, 0)
  return 'done'
}

export const FEATURES: readonly Feature[] = [
  { name: 'Text', isIn: everywhere, run: (run) => says(run, false) },
  { name: 'Stream', isIn: everywhere, run: (run) => says(run, true) },
  { name: 'Usage', isIn: everywhere, run: tellsUsage },
  { name: 'Tool', isIn: everywhere, run: (run) => usesOneTool(run, false) },
  { name: 'Tool, streamed', isIn: everywhere, run: (run) => usesOneTool(run, true) },
  { name: 'Parallel tools', isIn: everywhere, run: usesToolsAtOnce },
  { name: 'Image', isIn: everywhere, run: showsImage },
  { name: 'JSON schema', isIn: everywhere, run: keepsToSchema },
  { name: 'Reasoning', isIn: everywhere, run: thinks },
  { name: 'Thoughts sent back', isIn: everywhere, run: goesOnThinking },
  { name: 'Second turn', isIn: everywhere, run: asksAgain },
  { name: 'Session from elsewhere', isIn: everywhere, run: movesHere },
  { name: 'Errors', isIn: everywhere, run: tellsFailures },
  { name: 'Embeddings', isIn: ({ embed }) => embed !== undefined, run: embeds },
  { name: 'Count tokens', isIn: ({ count }) => count !== undefined, run: counts },
]
