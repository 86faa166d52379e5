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
    // Reports all that the TypeScript compiler does, in half its CPU time.
    '--type-check',
    '--deny-warnings',
    '--threads',
    '1',
  ]),
  // A type checker per thread takes a sixth more CPU time: each checks the types that it meets.
  env: { GOMAXPROCS: '1' },
}
const RULES = step('rules', 1, () => [pathInTools('rules/check-tree.mjs')])
const DEAD_CODE = step('dead-code', 5, () => [findCommand('knip')])
const BUILD = step('build', 5, () => [pathInTools('build.mjs')])
const SIZES = step('sizes', 1, () => [pathInTools('sizes/check-sizes.mjs')])
const UNIT = vitestStep('unit', 30, [])
const BROWSER = vitestStep('browser', 30, ['--config', 'e2e/vitest.config.ts'])

/** Browser tests leave the cores idle for a seventh of the time, which the checks use. */
const STAGES = [
  [[BUILD]],
  [[UNIT]],
  [[BROWSER], [FORMAT, LINT, RULES, DEAD_CODE, SIZES].map(inBackground)],
]

/** Gets less of the processor than the browser, and so more time. */
function inBackground(step) {
  return { ...step, niceness: 10, timeoutMs: 3 * step.timeoutMs }
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
