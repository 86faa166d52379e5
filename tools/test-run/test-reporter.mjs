import { writeFileSync } from 'node:fs'

/**
 * Writes the result of a step to `--outputFile`. Vitest's JSON reporter does not tell which tests
 * passed only on retry.
 */
export default class TestReporter {
  onInit({ config }) {
    this.file = config.outputFile
  }

  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const namesWhere = (holds) => tests.filter(holds).map(({ fullName }) => fullName)
    const report = {
      total: tests.length,
      passed: namesWhere((test) => test.result().state === 'passed').length,
      leftOut: namesWhere((test) => !['passed', 'failed'].includes(test.result().state)),
      flaky: namesWhere((test) => test.diagnostic()?.flaky),
      files: modules.map(fileTime),
    }
    writeFileSync(this.file, JSON.stringify(report))
  }
}

/** Imports, tests and hooks; without the wait for a worker. */
function fileTime(module) {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return { name: module.relativeModuleId, ms: collectDuration + setupDuration + duration }
}
