import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { isObject, type Row, textsIn } from '../../../other-gateways/row.ts'
import { ConfigurationError } from '../../../process/env.ts'

const INCLUDES_MAX = 20

export type LitellmConfig = {
  /** Entries of `model_list`. */
  readonly models: readonly Row[]
  /** `litellm_settings` and `router_settings`. */
  readonly settings: Row
}

/** Reads a configuration file and the files that it includes. */
export function readConfig(file: string): LitellmConfig {
  const files = [resolve(file)]
  const models: Row[] = []
  let settings: Row = {}
  for (let index = 0; index < Math.min(files.length, INCLUDES_MAX); index += 1) {
    const current = files[index] ?? ''
    const yaml = readYaml(current)
    const names = textsIn(yaml['include'])
    files.push(...names.map((name) => resolve(dirname(current), name)))
    const list = yaml['model_list']
    if (Array.isArray(list)) models.push(...list.filter(isObject))
    for (const name of ['litellm_settings', 'router_settings']) {
      if (isObject(yaml[name])) settings = { ...settings, ...yaml[name] }
    }
  }
  return { models, settings }
}

function readYaml(file: string): Row {
  try {
    const yaml: unknown = parse(readFileSync(file, 'utf8'))
    if (isObject(yaml)) return yaml
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`--from: ${file} cannot be read: ${reason}`)
  }
  throw new ConfigurationError(`--from: ${file} is not a configuration of LiteLLM.`)
}
