import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ROLE } from '@tollgate/contract'
import { applyFile } from '../../src/commands/config/apply.ts'
import { FileFaults } from '../../src/commands/config/fault.ts'
import { readInstallation } from '../../src/commands/config/installation.ts'
import type { Target } from '../../src/commands/config/open-target.ts'
import { makePlan, type Plan } from '../../src/commands/config/plan.ts'
import { planJson, planLines } from '../../src/commands/config/print-plan.ts'
import { readConfigFile } from '../../src/commands/config/read-file.ts'
import { createOutgoing } from '../../src/network/outgoing.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import { openControlPlane } from '../worlds/control-plane.ts'

/** A running control plane, and a configuration file that the test writes. */
export async function openConfigWorld(kind: DatabaseKind) {
  const plane = await openControlPlane(kind)
  const root = await plane.addPerson(ROLE.root)
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-config-'))
  const file = path.join(folder, 'tollgate.yaml')
  const target: Target = {
    database: plane.database,
    settings: plane.settings,
    secrets: plane.secrets,
    upstream: { outgoing: createOutgoing() },
    now: () => plane.clock.now,
  }
  const read = (text: string) => {
    writeFileSync(file, text)
    return readConfigFile(file)
  }
  /** The lines of the plan, or those of the faults. */
  const attempt = async (run: () => Promise<Plan>, isApplied = false) => {
    try {
      const plan = await run()
      return { lines: planLines(plan, isApplied), json: JSON.stringify(planJson(plan)) }
    } catch (error) {
      if (!(error instanceof FileFaults)) throw error
      return { lines: error.lines.map((line) => line.replace(`${file}:`, '')), json: '' }
    }
  }
  return {
    plane,
    root,
    target,
    folder,
    diff: (text: string, { env = {}, prunes = false }: Rules = {}) =>
      attempt(async () => {
        const { file: wanted, report } = read(text)
        const installation = await plane.database.snapshot((tx) => readInstallation(tx, target))
        const plan = makePlan(wanted, installation, { env, prunes })
        return plan.faults.length > 0 ? report(plan.faults) : plan
      }),
    apply: (text: string, { env = {}, prunes = false, confirm = () => {} }: ApplyRules = {}) =>
      attempt(
        () => applyFile(target, read(text), { name: 'tollgate.yaml', env, prunes, confirm }),
        true,
      ),
    close: async () => {
      await plane.close()
      rmSync(folder, { recursive: true })
    },
  }
}

type Rules = { env?: NodeJS.ProcessEnv; prunes?: boolean }
type ApplyRules = Rules & { confirm?: (plan: Plan) => void }
