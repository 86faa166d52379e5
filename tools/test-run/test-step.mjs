import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import path from 'node:path'
import { exitCodeOf, killGroup, startNode } from '../launcher/processes.mjs'

const OUTPUT_BYTES_MAX = 5_000_000

/**
 * Runs one step and counts its tests. The output is buffered, so that parallel steps stay readable.
 */
export async function runStep(step, context) {
  const startedAt = Date.now()
  try {
    return await attempt(step, startedAt, context)
  } catch (error) {
    return result(step, startedAt, { failed: 1, output: String(error.stack) })
  }
}

async function attempt(step, startedAt, { node, folder, lacking }) {
  if (step.needsMachine && lacking) return result(step, startedAt, { failed: 1, output: lacking })
  const resultFile = path.join(folder, `${step.name}.json`)
  const { code, output } = await runCaptured(node, step.command(resultFile), step)
  if (!step.countsTests) return result(step, startedAt, { ...countStep(code), output })
  const { leftOut, ...counts } = countTests(resultFile, code)
  const notices = leftOut.map((name) => `\nLeft out: ${name}`).join('')
  return result(step, startedAt, { ...counts, output: output + notices })
}

function result({ name, countsTests }, startedAt, counts) {
  const ms = Date.now() - startedAt
  return { name, countsTests, ms, passed: 0, flaky: [], files: [], ...counts }
}

async function runCaptured(node, args, { timeoutMs, env = {}, niceness = 0 }) {
  const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const child = startNode(node, args, { env: { ...colors, ...env }, output: 'pipe' })
  if (niceness > 0) setPriority(child.pid, niceness)
  const chunks = []
  let bytes = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes <= OUTPUT_BYTES_MAX) chunks.push(chunk)
    })
  }
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    killGroup(child)
  }, timeoutMs)
  const code = await exitCodeOf(child)
  clearTimeout(timer)
  const notice = timedOut ? `\nStopped: not finished after ${timeoutMs / 60_000} minutes.\n` : ''
  return { code, output: Buffer.concat(chunks).toString() + notice }
}

function countStep(code) {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A skipped test counts as failed, and so does a run that broke without a failed test. */
function countTests(resultFile, code) {
  const report = readReport(resultFile)
  if (!report) return { passed: 0, failed: 1, leftOut: [] }
  const { passed, total, ...lists } = report
  const failed = total - passed
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1), ...lists }
}

function readReport(resultFile) {
  if (!existsSync(resultFile)) return undefined
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'))
  } catch {
    return undefined
  }
}
