const SLOW_FILES_MAX = 20
/** More tests that pass only on retry mean that an error happens at times. */
export const FLAKY_MAX = 2

export function describeResult({ name, countsTests, ms, passed, failed, flaky, output }) {
  const counts = countsTests ? `, ${passed} passed, ${failed} failed` : ''
  const retried = flaky.length > 0 ? `, ${flaky.length} flaky: ${flaky.join('; ')}` : ''
  const line = `${failed > 0 ? 'FAIL' : 'ok  '} ${name} (${seconds(ms)} s${counts}${retried})`
  return failed > 0 ? `${output.trimEnd()}\n${line}` : line
}

/** The slowest test files, why the run failed although each step passed, and the sums. */
export function describeRun(results, isStopped = false) {
  const sum = (field) => results.reduce((total, result) => total + result[field], 0)
  const flaky = results.flatMap((result) => result.flaky)
  const isFlaky = flaky.length > FLAKY_MAX
  const failed = sum('failed') + (isStopped ? 1 : 0) + (isFlaky ? 1 : 0)
  const lines = [
    ...describeSlowest(results.flatMap(({ files }) => files)),
    ...(isFlaky ? [describeFlaky(flaky)] : []),
    `${sum('passed')} passed, ${failed} failed`,
  ]
  return { text: lines.join('\n'), failed }
}

function describeSlowest(files) {
  if (files.length === 0) return []
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOW_FILES_MAX)
  const lines = slowest.map(({ name, ms }) => `${seconds(ms).padStart(7)} s  ${name}`)
  return ['Slowest test files:', ...lines]
}

function describeFlaky(names) {
  const list = names.map((name) => `\n  ${name}`).join('')
  return `FAIL: ${names.length} tests passed only on retry, ${FLAKY_MAX} may:${list}`
}

function seconds(ms) {
  return (ms / 1000).toFixed(1)
}
