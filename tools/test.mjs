import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { install, LaunchError } from './launcher/install.mjs'
import { prepareMachine } from './launcher/prepare-machine.mjs'
import { isStopping, launch } from './launcher/processes.mjs'
import { describeResult, describeRun } from './test-run/describe-run.mjs'
import { runStep } from './test-run/test-step.mjs'
import { selectSteps } from './test-run/test-steps.mjs'

await launch(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const stages = selectSteps(values.only?.split(','))
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'))
  try {
    const node = install()
    const lacking = stages.flat(2).some((step) => step.needsMachine) ? prepareMachine() : undefined
    return report(await runAll(stages, { node, folder, lacking }))
  } catch (error) {
    console.error(error instanceof LaunchError ? error.message : error)
    return report([{ passed: 0, failed: 1, flaky: [], files: [] }])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * Stages run one after the other. The lanes of a stage run in parallel, the steps of a lane in
 * order.
 */
async function runAll(stages, context) {
  const results = []
  for (const lanes of stages) {
    await Promise.all(
      lanes.map(async (steps) => {
        for (const step of steps) {
          if (isStopping()) return
          const result = await runStep(step, context)
          results.push(result)
          console.log(describeResult(result))
        }
      }),
    )
  }
  return results
}

function report(results) {
  const { text, failed } = describeRun(results, isStopping())
  console.log(text)
  return failed > 0 ? 1 : 0
}
