import { expect, test } from 'vitest'
import { readEvents, readPiece } from './read-answer.ts'

async function eventsOf(pieces: readonly string[]): Promise<unknown[]> {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece))
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of bytes) controller.enqueue(piece)
      controller.close()
    },
  })
  const events: unknown[] = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

test('events are read however the stream is cut, up to its end mark', async () => {
  const text =
    ': comment\r\n\r\ndata: {"a":"你"}\n\nevent: x\ndata:{"b":2}\n\ndata: [DONE]\n\ndata: {"c":3}\n'
  const expected = [{ a: '你' }, { b: 2 }]
  expect(await eventsOf([text])).toEqual(expected)
  expect(await eventsOf(text.split(/(?=.)/su))).toEqual(expected)
})

test('text, reasoning and calls are read from events and from whole answers', () => {
  expect(readPiece({ choices: [{ delta: { content: 'Hi', reasoning: 'so' } }] })).toEqual({
    text: 'Hi',
    reasoning: 'so',
    images: [],
    finishReason: '',
    calls: [],
  })
  const call = { id: 'c', function: { name: 'f', arguments: '{}' } }
  expect(readPiece({ choices: [{ message: { content: null, tool_calls: [call] } }] })).toEqual({
    text: '',
    reasoning: '',
    images: [],
    finishReason: '',
    calls: [{ index: 0, id: 'c', name: 'f', arguments: '{}' }],
  })
  expect(readPiece({ choices: [], usage: {} })).toBeNull()
})

test('images, refusals and the reason of the end are read', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const images = [image('data:image/png;base64,AA'), image('https://site.example/a.png')]
  expect(readPiece({ choices: [{ delta: { images }, finish_reason: 'length' }] })).toMatchObject({
    text: '',
    images: ['data:image/png;base64,AA'],
    finishReason: 'length',
  })
  expect(readPiece({ choices: [{ message: { content: null, refusal: 'No.' } }] })).toMatchObject({
    text: 'No.',
  })
})

test('an event that reports an error throws it', () => {
  expect(() => readPiece({ error: { message: 'overloaded' } })).toThrow('overloaded')
})
