import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openEmptyDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import { readEnv } from '../process/env.ts'
import { openTarget } from './import/open-target.ts'

let file: string

const place = openOnce(() => openEmptyDatabase('sqlite'))
beforeAll(async () => {
  file = path.join(place.dataDir, 'tollgate.yaml')
  // As the first start of the server does.
  const { close } = await openTarget(readEnv({ DATA_DIR: place.dataDir }), {
    name: 'first start',
    isDryRun: false,
  })
  await close()
})
const run = (...args: string[]) => runCommand('config', place, ...args)

test('diff exits with 2 until the file is applied, and export writes it again', async () => {
  const key = path.join(place.dataDir, 'key')
  writeFileSync(key, 'sk-one\n')
  const channel = `{ name: one, type: openai, key: "file:${key}", models: [acme] }`
  writeFileSync(file, `version: 1\noptions: { RetryTimes: 4 }\nchannels: [${channel}]\n`)
  const different = await run('diff', file, '--json')
  expect(different.code).toBe(2)
  expect(JSON.parse(different.output)).toMatchObject({
    differences: [
      { kind: 'option', name: 'options.RetryTimes', fields: [{ before: 3, after: 4 }] },
      { kind: 'channel', name: 'one', action: 'create' },
    ],
  })
  expect((await run('apply', file)).output).toMatch(/is applied, changes: 2\n$/)
  const exported = path.join(place.dataDir, 'exported.yaml')
  expect((await run('export', exported)).output).toContain('env:TOLLGATE_ONE_KEY')
  expect(readFileSync(exported, 'utf8')).not.toContain('sk-one')

  writeFileSync(file, 'version: 1\noptions: { RetryTimes: 4 }\n')
  expect(await run('apply', file, '--prune')).toEqual({
    code: 2,
    output:
      '- channel one\nconfig: nothing was written; --yes deletes the channels marked with "-": 1\n',
  })
})

test('a mistyped action is refused in a sentence', async () => {
  const { code, output } = await run('aply')
  expect(output).toMatch(/config: could not be done: use: (?:npm run config --|tollgate config) /)
  expect(code).toBe(1)
})
