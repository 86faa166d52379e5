import { expect, test } from 'vitest'
import { get, openFastPath } from '../../testing/worlds/fast-path-world.ts'
import { ConstantHeaders, setConstantHeaders } from './constant-headers.ts'

const HEADERS = new ConstantHeaders({ 'x-one': '1', 'x-two': "a 'b'; c" })

test('are part of both kinds of answers, together with the others', async () => {
  const world = await openFastPath((_request, response) => {
    setConstantHeaders(response, HEADERS)
    response.writeHead(200, { 'x-three': '3' }).end('.')
  })
  const { socket, received: said, waitFor: hears } = world.open()
  socket.write(get('/v1/front') + get('/node'))
  await hears('HTTP/1.1 200 OK', '.')
  await expect.poll(() => said().split('HTTP/1.1').length).toBe(3)
  for (const answer of said().split('HTTP/1.1').slice(1)) {
    for (const line of ['x-one: 1', "x-two: a 'b'; c", 'x-three: 3']) {
      expect(answer.split(`${line}\r\n`)).toHaveLength(2)
    }
  }
})

test('have no effect after the head was sent', async () => {
  const thrown: unknown[] = []
  const world = await openFastPath((_request, response) => {
    response.writeHead(200)
    try {
      setConstantHeaders(response, HEADERS)
    } catch (error) {
      thrown.push(error)
    }
    response.end()
  })
  const { socket, waitFor: hears } = world.open()
  socket.write(get('/v1/front'))
  await hears('HTTP/1.1 200 OK')
  expect(thrown).toHaveLength(1)
})

test.each([{ 'x one': '1' }, { x: 'a\r\nb: c' }, { x: '你' }, { '': 'a' }])(
  'that cannot be sent are refused on creation: %j',
  (headers) => {
    expect(() => new ConstantHeaders(headers)).toThrow(TypeError)
  },
)
