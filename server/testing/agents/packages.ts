import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Agent } from './agents.ts'

/** The folder of the agents' packages, which `tools/agents.mjs` installs. */
export const PACKAGES = path.join(import.meta.dirname, '../../../e2e/agents')

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) })

/** From the manifest of npm or from that of Python, both of which name exact versions. */
export function versionOf({ package: name }: Agent): string {
  const manifest = readFileSync(path.join(PACKAGES, 'package.json'), 'utf8')
  const npm = manifestSchema.parse(JSON.parse(manifest)).dependencies[name]
  if (npm !== undefined) return npm
  const python = readFileSync(path.join(PACKAGES, 'requirements.txt'), 'utf8')
  const version = new RegExp(`^${name}==(\\S+)$`, 'm').exec(python)?.[1]
  if (version === undefined) throw new Error(`${name} has no version`)
  return version
}

/** Absolute paths of the command are the agent's; others are found by their name. */
export const isInstalled = (command: readonly string[]): boolean =>
  command.filter((part) => path.isAbsolute(part)).every((file) => existsSync(file))
