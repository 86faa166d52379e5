import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('thread-memory.ts', import.meta.url).href

/** In megabytes, after a thread has made much garbage. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads'
  import { limitThreadMemory } from '${MODULE}'
  if (process.argv[1] === 'limited') limitThreadMemory()
  const work = \`
    const kept = []
    for (let made = 0; made < 3e6; made += 1) kept[made % 20000] = { made, list: [made] }
    const spaces = require('node:v8').getHeapSpaceStatistics()
    const young = spaces.find(({ space_name }) => space_name === 'new_space')
    require('node:worker_threads').parentPort.postMessage(young.space_size / 1024 ** 2)\`
  new Worker(work, { eval: true, execArgv: [] }).on('message', (size) => console.log(size))`

function youngMegabytes(how: string): number {
  const flags = ['--max-semi-space-size=32', '--input-type=module', '-e', PROGRAM, how]
  return Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
}

test('threads keep less garbage than the main thread may', () => {
  expect(youngMegabytes('limited')).toBeLessThanOrEqual(4)
  expect(youngMegabytes('as they are')).toBeGreaterThan(4)
})
