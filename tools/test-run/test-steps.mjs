import { findCommand, LaunchError } from '../launcher/install.mjs'
import { pathInTools } from '../launcher/processes.mjs'

const MINUTE_MS = 60_000

/**
 * Every step of `npm test`. A step counts as one item, except that steps with `countsTests` count
 * each test.
 */
const FORMAT = step('format', 1, () => [findCommand('oxfmt'), '--check'])
const LINT = {
  ...step('lint', 5, () => [
    findCommand('oxlint'),
    '--type-aware',
    '--deny-warnings',
    '--threads',
    '1',
  ]),
  // A type checker per thread takes a sixth more CPU time: each checks the types that it meets.
  env: { GOMAXPROCS: '1' },
}
const RULES = step('rules', 1, () => [pathInTools('rules/check-tree.mjs')])
const TYPES = step('types', 5, () => checkTypes('tsconfig.json'))
const CONSOLE_TYPES = step('console-types', 5, () => checkTypes('console/tsconfig.json'))
const DEAD_CODE = step('dead-code', 5, () => [findCommand('knip')])
const BUILD = step('build', 5, () => [pathInTools('build.mjs')])
const SIZES = step('sizes', 1, () => [pathInTools('sizes/check-sizes.mjs')])
const UNIT = vitestStep('unit', 30, [])
const BROWSER = vitestStep('browser', 30, ['--config', 'e2e/vitest.config.ts'])

const STAGES = [
  [[BUILD]],
  [[FORMAT, LINT, RULES, TYPES, CONSOLE_TYPES, DEAD_CODE, SIZES], [UNIT]],
  [[BROWSER]],
]

/** Four checkers, the default, take twice the CPU time: each checks the types that it meets. */
function checkTypes(project) {
  return [findCommand('typescript', 'tsc'), '--checkers', '1', '-p', project]
}

function step(name, minutes, command) {
  return { name, timeoutMs: minutes * MINUTE_MS, command }
}

function vitestStep(name, minutes, options) {
  return {
    ...step(name, minutes, (resultFile) => [
      findCommand('vitest'),
      'run',
      ...options,
      '--reporter=default',
      `--reporter=${pathInTools('test-run/test-reporter.mjs')}`,
      `--outputFile=${resultFile}`,
    ]),
    countsTests: true,
    needsMachine: true,
  }
}

/** All stages, or only the wanted steps. Some steps need a build. */
export function selectSteps(names) {
  if (!names) return STAGES
  const known = STAGES.flat(2).map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new LaunchError(`No step ${unknown.join(', ')}; there are ${known.join(', ')}.`)
  }
  const needsBuild = names.some((name) => name === 'browser' || name === 'sizes')
  const wanted = needsBuild ? [...names, 'build'] : names
  return STAGES.map((lanes) =>
    lanes.map((steps) => steps.filter(({ name }) => wanted.includes(name))),
  )
}
