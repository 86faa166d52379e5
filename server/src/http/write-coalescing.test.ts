import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { flushAfterPoll, flushAfterTick, flushHeldAfterTick, isIdle } from './write-coalescing.ts'

function recorder(sent: string[]) {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      sent.push(String(bytes))
      done()
    },
    writev: (pieces, done) => {
      sent.push(pieces.map(({ chunk }: { chunk: Buffer }) => String(chunk)).join(''))
      done()
    },
  })
}

test('writes of one turn, also by promises, are sent after the last of them, in one piece per socket', async () => {
  const sent: string[] = []
  const one = recorder(sent)
  const other = recorder(sent)
  const write = async (socket: Writable, text: string) => {
    await Promise.resolve()
    flushAfterTick(socket)
    socket.write(text)
    sent.push(`wrote ${text}`)
  }
  await Promise.all([write(one, 'a'), write(other, 'b'), write(one, 'c')])
  expect(sent).toEqual(['wrote a', 'wrote b', 'wrote c'])
  await new Promise(setImmediate)
  expect(sent.slice(3)).toEqual(['ac', 'b'])

  flushAfterTick(one)
  one.write('d')
  await new Promise(setImmediate)
  expect(sent.slice(5)).toEqual(['d'])
})

test('what is held until all sockets were read is flushed after the last of them', async () => {
  const sent: string[] = []
  const read = (name: string) =>
    setImmediate(() => {
      sent.push(`read ${name}`)
      flushAfterPoll({ flush: () => sent.push(name) })
    })
  read('a')
  read('b')
  await new Promise(setImmediate)
  expect(sent).toEqual(['read a', 'read b'])
  await new Promise(setImmediate)
  expect(sent.slice(2)).toEqual(['a', 'b'])
})

test('what is held is flushed after the code that runs, in order', async () => {
  const sent: string[] = []
  for (const name of ['a', 'b']) flushHeldAfterTick({ flush: () => sent.push(name) })
  await Promise.resolve()
  expect(sent).toEqual([])
  await new Promise(setImmediate)
  expect(sent).toEqual(['a', 'b'])
})

test('a socket is idle unless it is corked or has unsent bytes', () => {
  const socket = new Writable({ write: () => {} })
  expect(isIdle(socket)).toBe(true)
  socket.cork()
  expect(isIdle(socket)).toBe(false)
  socket.uncork()
  socket.write('x')
  expect(isIdle(socket)).toBe(false)
})

test('a socket that is corked already is flushed by whoever corked it', async () => {
  const sent: string[] = []
  const socket = recorder(sent)
  socket.cork()
  flushAfterTick(socket)
  socket.write('x')
  await new Promise(setImmediate)
  expect(sent).toEqual([])
  socket.uncork()
  expect(sent).toEqual(['x'])
})

test('a socket that is closed or ended meanwhile delays no other', async () => {
  const sent: string[] = []
  const [destroyed, ended, other] = [recorder(sent), recorder(sent), recorder(sent)]
  for (const socket of [destroyed, ended, other]) {
    flushAfterTick(socket)
    socket.write('x')
  }
  destroyed.destroy()
  ended.end('y')
  await new Promise(setImmediate)
  expect(sent).toEqual(['xy', 'x'])
})
