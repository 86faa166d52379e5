import { expect, test, vi } from 'vitest'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { FairScheduler } from '../scheduler/fair-scheduler.ts'
import { ChunkPacer } from './chunk-pacer.ts'

/** Not the scheduler of the process, whose slice other tests may have used up. */
const scheduler = new FairScheduler()

function open(give: (text: string) => void = () => {}) {
  const heard: string[] = []
  const reader = {
    onChunk: (chunk: Buffer) => {
      heard.push(chunk.toString())
      give(chunk.toString())
    },
    pause: () => heard.push('pause'),
    resume: () => heard.push('resume'),
    onError: (error: unknown) => heard.push(String(error)),
  }
  const pacer = new ChunkPacer(reader, scheduler)
  const send = (text: string) => pacer.push(Buffer.from(text))
  return { pacer, heard, send }
}

/** Occupies the scheduler until the returned function is called. */
function keepBusy() {
  let isOver = false
  const work = function* () {
    while (!isOver) yield
  }
  const end = scheduler.run('busy', work())
  return async () => {
    isOver = true
    await end
  }
}

test('a chunk is delivered at once if there is time for it', () => {
  const { pacer, heard, send } = open()
  send('a')
  expect(heard).toEqual(['a'])
  const last = vi.fn()
  pacer.afterLast(last)
  expect(last).toHaveBeenCalled()
})

test('chunks wait for their turn, in order and with their source paused', async () => {
  const free = keepBusy()
  const { pacer, heard, send } = open()
  send('a')
  send('b')
  expect(heard).toEqual(['pause'])
  expect(pacer.isWaiting).toBe(true)
  pacer.afterLast(() => heard.push('end'))
  await free()
  await waitUntil(async () => heard.includes('end'))
  expect(heard.filter((text) => text !== 'pause')).toEqual(['a', 'b', 'resume', 'end'])
})

test("nothing is delivered after a reader's error, nor after a stop", async () => {
  const free = keepBusy()
  const stumbling = open((text) => {
    if (text === 'a') throw new Error('stumbled')
  })
  stumbling.send('a')
  stumbling.send('b')
  const stopped = open()
  stopped.send('a')
  stopped.pacer.stop()
  await free()
  await waitUntil(async () => stumbling.heard.includes('Error: stumbled'))
  expect(stumbling.heard).not.toContain('b')
  expect(stopped.heard).not.toContain('a')
})
