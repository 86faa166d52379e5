import { readFileSync } from 'node:fs'
import { isReference } from './file-schema.ts'

export type Found = { readonly value: string } | { readonly missing: string }

const ENV = 'env:'
const FILE = 'file:'

/** The value behind `env:NAME` or `file:/path`. An empty value counts as missing. */
function resolveReference(reference: string, env: NodeJS.ProcessEnv): Found {
  if (reference.startsWith(ENV)) {
    const value = env[reference.slice(ENV.length)] ?? ''
    return value === '' ? { missing: `${reference} is not set` } : { value }
  }
  try {
    const value = readFileSync(reference.slice(FILE.length), 'utf8').replace(/\r?\n$/, '')
    return value === '' ? { missing: `${reference} is empty` } : { value }
  } catch {
    return { missing: `${reference} cannot be read` }
  }
}

/** Text that is no reference stands for itself. */
export const resolveText = (text: string, env: NodeJS.ProcessEnv): Found =>
  isReference(text) ? resolveReference(text, env) : { value: text }
