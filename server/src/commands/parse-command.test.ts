import { expect, test } from 'vitest'
import { runCommand } from '../../testing/harness/run-command.ts'
import { invocation } from './invocation.ts'

const NOWHERE = { dataDir: '/nowhere' }
const COMMANDS = ['audit', 'backup', 'config', 'doctor', 'import', 'reset-root', 'restore'] as const

test.each(COMMANDS)('%s tells its use, and names an option that it does not have', async (name) => {
  const use = `use: (?:npm run|tollgate) ${name}`
  const help = await runCommand(name, NOWHERE, '--help')
  expect(help.code).toBe(0)
  expect(help.output).toMatch(new RegExp(`^${use}`))
  const { code, output } = await runCommand(name, NOWHERE, '--frmo')
  expect(code).toBeGreaterThan(0)
  expect(output).toMatch(new RegExp(`Unknown option '--frmo'; ${use}`))
  expect(output.trimEnd()).not.toContain('\n')
})

test('a command of the sources is called by npm', () => {
  expect(invocation('audit')).toBe('npm run audit')
  expect(invocation('backup', 'FILE')).toBe('npm run backup -- FILE')
})
