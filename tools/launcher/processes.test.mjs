import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const PROCESSES = new URL('processes.mjs', import.meta.url).href
const INSTALL = new URL('install.mjs', import.meta.url).href
let folder

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-launch-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

/**
 * Starts a launcher that runs this program text, and waits until the program reports that it is up.
 */
async function launchProgram(program) {
  const file = path.join(folder, 'program.mjs')
  writeFileSync(file, `${program}\nprocess.stdout.write(\`up \${process.pid}\\n\`)`)
  return launchText(`exitCodeOf(startNode(process.execPath, [${JSON.stringify(file)}]))`)
}

function writeLauncher(main) {
  const file = path.join(folder, 'launcher.mjs')
  writeFileSync(
    file,
    `import { becomeNode, exitCodeOf, launch, startNode } from '${PROCESSES}'
     import { LaunchError } from '${INSTALL}'
     await launch(async () => ${main})`,
  )
  return file
}

async function launchText(main) {
  const launcher = spawn(process.execPath, [writeLauncher(main)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(launcher, 'close')
  const [said] = await Promise.race(
    [once(launcher.stdout, 'data').then(String), once(launcher.stderr, 'data').then(String)].map(
      (data) => data.then((text) => [text]),
    ),
  )
  return { launcher, ended, said, programId: Number(said.split(' ')[1]) }
}

const COUNTS_SIGNALS = `
  import { appendFileSync } from 'node:fs'
  const held = setInterval(() => {}, 1000)
  process.on('SIGTERM', () => {
    appendFileSync(new URL('signals', import.meta.url), 'x')
    clearInterval(held)
    setTimeout(() => process.exit(7), 200)
  })`

test('a repeated stop signal reaches the program once, and its exit code is returned', async () => {
  const { launcher, ended } = await launchProgram(COUNTS_SIGNALS)
  launcher.kill('SIGTERM')
  launcher.kill('SIGTERM')
  const [code] = await ended
  expect(code).toBe(7)
  expect(readFileSync(path.join(folder, 'signals'), 'utf8')).toBe('x')
})

test('a program does not outlive a killed launcher', async () => {
  const { launcher, ended } = await launchProgram(COUNTS_SIGNALS)
  launcher.kill('SIGKILL')
  await ended
  await vi.waitUntil(() => existsSync(path.join(folder, 'signals')), { timeout: 5_000 })
})

test("a launcher under npm stops its program when npm's shell ends", async () => {
  writeFileSync(path.join(folder, 'program.mjs'), `${COUNTS_SIGNALS}\nconsole.log('up')`)
  const launcher = writeLauncher(
    `exitCodeOf(startNode(process.execPath, [${JSON.stringify(path.join(folder, 'program.mjs'))}]))`,
  )
  const shell = spawn('/bin/sh', ['-c', '"$0" "$1"; true', process.execPath, launcher], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(shell.stdout, 'data')
  shell.kill('SIGKILL')
  await vi.waitUntil(() => existsSync(path.join(folder, 'signals')), { timeout: 5_000 })
})

/** The text of a launcher's main that becomes this program, and prints its pid. */
function becoming(program) {
  const file = path.join(folder, 'program.mjs')
  writeFileSync(file, `${program}\nprocess.stdout.write(\`up \${process.pid}\\n\`)`)
  return `becomeNode(process.execPath, ['--no-opt', ${JSON.stringify(file)}, 'given'],
    { GIVEN: 'default', NODE_ENV: 'default' })`
}

test('a program can take the place of its launcher', async () => {
  const { launcher, ended, programId } = await launchText(
    becoming(`${COUNTS_SIGNALS}
        const { GIVEN, NODE_ENV } = process.env
        if (process.execArgv.at(-1) !== '--no-opt' || process.argv[2] !== 'given') process.exit(1)
        if (GIVEN !== 'default' || NODE_ENV === 'default') process.exit(1)`),
  )
  expect(programId).toBe(launcher.pid)
  launcher.kill('SIGTERM')
  const [code] = await ended
  expect(code).toBe(7)
  expect(readFileSync(path.join(folder, 'signals'), 'utf8')).toBe('x')
})

test("a program in the place of its launcher stops once when npm's shell ends, threads included", async () => {
  const launcher = writeLauncher(
    becoming(`${COUNTS_SIGNALS}
        import { Worker } from 'node:worker_threads'
        await new Promise((up) => new Worker('setInterval(() => {}, 1000)', { eval: true })
          .once('online', up))`),
  )
  const shell = spawn('/bin/sh', ['-c', '"$0" "$1"; true', process.execPath, launcher], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(shell.stdout, 'data')
  const ended = once(shell, 'close')
  shell.kill('SIGKILL')
  await ended
  expect(readFileSync(path.join(folder, 'signals'), 'utf8')).toBe('x')
})

test('a program ended by a signal is reported as a shell reports it', async () => {
  const { programId, ended } = await launchProgram('setInterval(() => {}, 1000)')
  process.kill(programId, 'SIGKILL')
  const [code] = await ended
  expect(code).toBe(137)
})

test('a failure with a name is one sentence and exit code 1', async () => {
  const { said, ended } = await launchText(`{ throw new LaunchError('No way.') }`)
  const [code] = await ended
  expect({ said, code }).toEqual({ said: 'No way.\n', code: 1 })
})
