import { expect, test } from 'vitest'
import { runCommand } from '../../testing/harness/run-command.ts'

const NOWHERE = { dataDir: '/nowhere' }
const COMMANDS = ['audit', 'backup', 'config', 'doctor', 'import', 'reset-root', 'restore'] as const

test.each(COMMANDS)('%s tells its use, and names an option that it does not have', async (name) => {
  const use = `use: npm run ${name}`
  const help = await runCommand(name, NOWHERE, '--help')
  expect(help.code).toBe(0)
  expect(help.output.startsWith(use)).toBe(true)
  const { code, output } = await runCommand(name, NOWHERE, '--frmo')
  expect(code).toBeGreaterThan(0)
  expect(output).toContain(`Unknown option '--frmo'; ${use}`)
  expect(output.trimEnd()).not.toContain('\n')
})
