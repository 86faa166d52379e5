import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openEmptyDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import { openPeer } from '../../testing/import/peer-database.ts'
import { NEW_API } from '../../testing/import/peer-tables.ts'
import { claimDataFolder } from '../store/data-folder.ts'

const place = openPerTest(() => openEmptyDatabase('sqlite'))
const peer = openPerTest(() => openPeer('sqlite', NEW_API))
beforeEach(async () => {
  await peer.insert({
    users: [
      { id: 2, username: 'alice', password: '', role: 1, status: 1, quota: 5, aff_code: 'a' },
    ],
    options: [{ key: 'ModelRatio', value: '{"acme":1}' }],
    logs: [
      {
        id: 1,
        user_id: 2,
        type: 2,
        created_at: 1_795_000_000,
        model_name: 'acme',
        quota: 100,
        prompt_tokens: 50,
        completion_tokens: 0,
      },
    ],
  })
})
const run = (...args: string[]) => runCommand('import', place, '--from', peer.from, ...args)

test('prints what was imported, and that the audit is clean', async () => {
  const { code, output } = await run()
  expect(output).toMatch(/^import: New API as new-api, \d+\.\d s\n/)
  expect(output).toContain('users: 1 new\n')
  expect(output).toMatch(/import: the audit finds 0 differences\n$/)
  expect(code).toBe(0)
  expect((await runCommand('audit', place)).code).toBe(0)
})

test('compares what requests of a period cost there and here', async () => {
  await run()
  const compared = await run('--compare-logs', '--since', '2026-11-01')
  expect(compared).toEqual({
    code: 0,
    output:
      'compare: 1 requests, 1 with another charge; 100 there, 50 here\n' +
      'acme (default): 1 of 1 requests, 100 there, 50 here; 50 + 0 tokens: 100 there, 50 here\n',
  })
  const later = await run('--compare-logs', '--since', '2027-01-01')
  expect(later.output).toMatch(/^compare: 0 requests/)
})

test.each([
  [['--since', 'yesterday', '--compare-logs'], '--since must be a day such as 2026-11-20.'],
  [['--name', 'a b'], '--name must have 1 to 50 letters, digits, "_", "." and "-".'],
  [['--logs', '/nowhere.db'], '--logs: the file /nowhere.db does not exist.'],
  [['--logs', tmpdir()], `--logs: ${tmpdir()} is not a file.`],
  [
    ['--logs', 'postgres://u:p#sekret@h/db'],
    '--logs: this is no address; percent-encode special characters of the password.',
  ],
  [['--logs', 'mysql://u:sekret@127.0.0.1:1/db'], '--logs: connect ECONNREFUSED 127.0.0.1:1'],
])('%j is refused in a sentence', async (args, sentence) => {
  expect(await run(...args)).toEqual({
    code: 1,
    output: `import: could not be done: ${sentence}\n`,
  })
})

test('takes no database of Tollgate for one of One API', async () => {
  await run()
  const { code, output } = await runCommand(
    'import',
    place,
    '--from',
    join(place.dataDir, 'tollgate.db'),
  )
  expect([code, output]).toEqual([
    1,
    'import: could not be done: --from is a database of Tollgate: move it by backup and restore.\n',
  ])
})

test('does not run while a server has the data folder', async () => {
  await run()
  const folder = claimDataFolder(place.dataDir)
  expect((await run()).output).toContain('is in use by another process')
  folder.release()
})
