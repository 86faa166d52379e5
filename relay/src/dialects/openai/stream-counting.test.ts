import { expect, test } from 'vitest'
import { StreamWatch } from './stream.ts'

const WORDS = ['One ', 'two ', 'three ', 'four.']
const TEXT = WORDS.join('')

const event = (json: string) => `data: ${json}\n\n`
const json = JSON.stringify

/** However an event is written, its client reads the same words out of it. */
test.each<[string, (word: string) => string]>([
  [
    'a space before the colon',
    (word) => event(`{"choices":[{"delta" :{"content" :${json(word)}}}]}`),
  ],
  ['a space in the delta', (word) => event(`{"choices":[{"delta":{"content" :${json(word)}}}]}`)],
  [
    'another delta before it',
    (word) =>
      event(
        `{"meta":{"delta":0,"text":"x"},"choices":[{"delta":{"c\\u006fntent":${json(word)}}}]}`,
      ),
  ],
  ['an escaped name', (word) => event(`{"choices":[{"d\\u0065lta":{"content":${json(word)}}}]}`)],
  [
    'two lines of data',
    (word) => event(`{"choices":[{"index":0,"delta":{"content":\ndata: ${json(word)}}}]}`),
  ],
  [
    'a text behind the choices',
    (word) => event(`{"choices":[{"delta":{"content" :${json(word)}}}],"text":"x"}`),
  ],
])('words are counted with %s', (_how, write) => {
  const watch = new StreamWatch()
  for (const word of WORDS) watch.push(Buffer.from(write(word)))
  expect(watch.outputTextForCounting()).toEqual({ text: TEXT, tokensBeyond: 0 })
  expect(watch.outputBytes).toBeGreaterThanOrEqual(TEXT.length)
  expect(watch.plainText()).toBe(TEXT)
})

test('a comment is no part of the answer, however it looks', () => {
  const watch = new StreamWatch()
  const data = event('{"choices":[{"delta":{"c\\u006fntent":"One "}}]}')
  for (const said of ['One ', '', '']) {
    watch.push(Buffer.from(`: {"delta":{"content":"${said}"}}\n${data}`))
  }
  expect(watch.outputTextForCounting().text).toBe('One One One ')
})

test('what is no event yet is not counted as one, however it begins', () => {
  const watch = new StreamWatch()
  const [one = '', two = '', three = ''] = WORDS.map((word) =>
    event(json({ choices: [{ index: 0, delta: { content: word } }] })),
  )
  for (const piece of [one, two, three.slice(0, -1)]) watch.push(Buffer.from(piece))
  expect(watch.outputTextForCounting().text).toBe('One two ')
  expect(watch.push(Buffer.from(`\n${three}`)).join('')).toBe(three + three)
  expect(watch.eventCount).toBe(4)
  expect(watch.outputTextForCounting().text).toBe('One two three three ')
})

test('nothing is handed on behind what was too large, be it like what came before', () => {
  const watch = new StreamWatch({ eventBytesMax: 100 })
  const says = (content: string) =>
    Buffer.from(event(json({ choices: [{ index: 0, delta: { content } }] })))
  expect(['a', 'b'].flatMap((text) => watch.push(says(text)))).toHaveLength(2)
  expect(watch.push(says('c'.repeat(100)))).toEqual([])
  expect(watch.overflowed).toBe(true)
  expect(watch.push(says('d'))).toEqual([])
  expect(watch.outputTextForCounting().text).toBe('ab')
})

test('speech is measured by its length, and what it says is counted', () => {
  const watch = new StreamWatch()
  const second = Buffer.alloc(48_000).toString('base64')
  const audio = (said: object) => event(json({ choices: [{ index: 0, delta: { audio: said } }] }))
  watch.push(Buffer.from(audio({ id: 'a', transcript: 'One ' })))
  for (const word of WORDS.slice(1)) {
    watch.push(Buffer.from(audio({ data: second }) + audio({ transcript: word })))
  }
  expect(watch.outputTextForCounting()).toEqual({ text: TEXT, tokensBeyond: 0, speechSeconds: 3 })
  expect(watch.plainText()).toBeNull()
})

test('a thought that begins with nothing is no part of the plain text', () => {
  const watch = new StreamWatch()
  const says = (delta: object) => event(json({ choices: [{ index: 0, delta }] }))
  const thought = ['', 'secret ', 'thought'].map((text) => says({ reasoning_content: text }))
  for (const text of [says({ content: 'Hi ' }), ...thought, says({ content: 'there' })]) {
    watch.push(Buffer.from(text))
  }
  expect(watch.outputTextForCounting().text).toBe('Hi secret thoughtthere')
  expect(watch.plainText()).toBeNull()
})
