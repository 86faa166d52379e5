import { expect, test } from 'vitest'
import { watchChat } from '../wires/openai-chat/testing/chat.ts'
import { event } from './testing/chunks.ts'

const WORDS = ['One ', 'two ', 'three ', 'four.']
const TEXT = WORDS.join('')

const json = JSON.stringify
const delta = (said: object) => event({ choices: [{ index: 0, delta: said }] })
const says = (content: string) => delta({ content })

/** Clients read the same words, however an event is written. */
test.each<[string, (word: string) => string]>([
  ['a space before the colon', (word) => `{"choices":[{"delta" :{"content" :${json(word)}}}]}`],
  ['a space in the delta', (word) => `{"choices":[{"delta":{"content" :${json(word)}}}]}`],
  [
    'another delta before it',
    (word) =>
      `{"meta":{"delta":0,"text":"x"},"choices":[{"delta":{"c\\u006fntent":${json(word)}}}]}`,
  ],
  ['an escaped name', (word) => `{"choices":[{"d\\u0065lta":{"content":${json(word)}}}]}`],
  [
    'two lines of data',
    (word) => `{"choices":[{"index":0,"delta":{"content":\ndata: ${json(word)}}}]}`,
  ],
  [
    'a text behind the choices',
    (word) => `{"choices":[{"delta":{"content" :${json(word)}}}],"text":"x"}`,
  ],
])('text is counted with %s', (_how, write) => {
  const watch = watchChat()
  for (const word of WORDS) watch.push(Buffer.from(event(write(word))))
  expect(watch.outputTextForCounting()).toEqual({ text: TEXT, tokensBeyond: 0 })
  expect(watch.outputBytes).toBeGreaterThanOrEqual(TEXT.length)
  expect(watch.plainText()).toBe(TEXT)
})

/** Every event says the same, whatever the text that imitates output. */
test.each<[string, (posing: string) => string]>([
  [
    'a comment before it',
    (posing) =>
      `: {"delta":{"content":"${posing}"}}\n${event('{"choices":[{"delta":{"c\\u006fntent":"One "}}]}')}`,
  ],
  [
    'a comment behind a CR',
    (posing) =>
      `data: {"choices":[{"delta":{"c\\u006fntent":"One "}}]}\r: {"delta":{"content":"${posing}"}}\n\n`,
  ],
  [
    'a member of another object',
    (posing) => event(`{"choices":[{"delta":{"x":{"content":"${posing}"},"refusal":"One "}}]}`),
  ],
  [
    'the same member once more',
    (posing) => event(`{"choices":[{"delta":{"content":"${posing}","c\\u006fntent":"One "}}]}`),
  ],
  [
    'choices that come again',
    (posing) => {
      const choices = `"choices":[{"delta":{"content":"${posing}"}}]`
      return event(`{${choices},"choices":[{"delta":{"content" :"One "}}]}`)
    },
  ],
])('text is counted in addition to %s', (_what, write) => {
  const watch = watchChat()
  for (const posing of ['One ', '', '']) watch.push(Buffer.from(write(posing)))
  expect(watch.outputTextForCounting().text).toBe('One One One ')
})

test('a message that is repeated next to each delta is not counted', () => {
  const watch = watchChat()
  for (const said of ['One ', 'One One ', 'One One One ']) {
    const choice = { message: { content: said }, delta: { content: 'One ' } }
    watch.push(Buffer.from(event(JSON.stringify({ choices: [choice] }))))
  }
  expect(watch.outputTextForCounting().text).toBe('One One One ')
})

test('ignored members are not counted', () => {
  const watch = watchChat()
  watch.push(Buffer.from(says('One ')))
  for (const word of WORDS) watch.push(Buffer.from(delta({ x: { content: word } })))
  expect(watch.outputTextForCounting().text).toBe('One ')
})

test('the second half of a line end goes where the first went, whatever came before', () => {
  const watch = watchChat()
  const [one = '', two = '', three = ''] = ['a', 'b', 'c'].map((word) =>
    says(word).replaceAll('\n', '\r\n'),
  )
  const cut = (whole: string) => [whole.slice(0, -1), '\n']
  const pieces = [one, ...cut(two), 'garbage\r\n\r\n', ...cut(three)]
  const sent = pieces.flatMap((piece) => watch.push(Buffer.from(piece)))
  expect(Buffer.concat(sent).toString()).toBe(one + two + three)
})

test('nothing is sent or counted after the end, even if it looks like earlier events', () => {
  const watch = watchChat()
  const handedOn = [says('a'), says('b'), event('[DONE]'), says('c')].map(
    (text) => watch.push(Buffer.from(text)).length,
  )
  expect(handedOn).toEqual([1, 1, 0, 0])
  expect(watch.push(Buffer.from('\n'))).toEqual([])
  expect(watch.outputTextForCounting().text).toBe('ab')
})

test('an incomplete event is not counted, however it begins', () => {
  const watch = watchChat()
  const [one = '', two = '', three = ''] = WORDS.map(says)
  for (const piece of [one, two, three.slice(0, -1)]) watch.push(Buffer.from(piece))
  expect(watch.outputTextForCounting().text).toBe('One two ')
  expect(watch.push(Buffer.from(`\n${three}`)).join('')).toBe(three + three)
  expect(watch.eventCount).toBe(4)
  expect(watch.outputTextForCounting().text).toBe('One two three three ')
})

test('nothing is sent after an oversized event, even if it looks like earlier events', () => {
  const watch = watchChat({ eventBytesMax: 100 })
  const passed = ['a', 'b', 'c'.repeat(100), 'd'].map((text) => watch.push(Buffer.from(says(text))))
  expect(passed.map((blocks) => blocks.length)).toEqual([1, 1, 0, 0])
  expect(watch.overflowed).toBe(true)
  expect(watch.outputTextForCounting().text).toBe('ab')
})

test('audio is measured by its length, and its transcript is counted', () => {
  const watch = watchChat()
  const second = Buffer.alloc(48_000).toString('base64')
  const audio = (said: object) => delta({ audio: said })
  watch.push(Buffer.from(audio({ id: 'a', transcript: 'One ' })))
  for (const word of WORDS.slice(1)) {
    watch.push(Buffer.from(audio({ data: second }) + audio({ transcript: word })))
  }
  expect(watch.outputTextForCounting()).toEqual({ text: TEXT, tokensBeyond: 0, speechSeconds: 3 })
  expect(watch.plainText()).toBeNull()
})

test('reasoning that begins empty is no part of the plain text', () => {
  const watch = watchChat()
  const thought = ['', 'secret ', 'thought'].map((text) => delta({ reasoning_content: text }))
  for (const text of [says('Hi '), ...thought, says('there')]) watch.push(Buffer.from(text))
  expect(watch.outputTextForCounting().text).toBe('Hi secret thoughtthere')
  expect(watch.plainText()).toBeNull()
})
