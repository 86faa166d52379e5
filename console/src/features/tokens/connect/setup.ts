import type { MessageKey } from '../../../i18n/types.ts'
import type { ExampleModel } from '../../../lib/catalog.ts'

/** What the set-up of a client needs. */
export type Setup = {
  /** Base URL of the API, without a path. */
  address: string
  /** With its prefix. */
  key: string
  model: ExampleModel & { context: number | null; output: number | null }
  systemName: string
}

export type StepText = Extract<MessageKey, `connect.step.${string}`>

/** What to do: a text, a file that gets the copied text, or a command that starts the client. */
export type Step = ({ text: StepText } | { file: string } | { command: string }) & {
  /** Text to copy. */
  copies?: string
  /** Opens the client, which asks before it adds the address and the key. */
  link?: string
}

export type Client = {
  id: string
  /** A proper name, the same in all languages. */
  name: string
  steps: (setup: Setup) => readonly Step[]
}

export const apiBase = ({ address }: Pick<Setup, 'address'>) => `${address}/v1`

/** A name for configuration files: letters, digits and hyphens. */
export const PROVIDER_ID = 'tollgate'
export const KEY_VARIABLE = 'TOLLGATE_API_KEY'

export const exportLine = (name: string, value: string) =>
  `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`

export const toJson = (value: unknown) => JSON.stringify(value, null, 2)

/** JSON's strings are also strings of TOML. */
export const tomlString = (text: string) => JSON.stringify(text)

/** Base64 of the text in UTF-8, escaped for an address. */
export function base64Param(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return encodeURIComponent(btoa(String.fromCodePoint(...bytes)))
}
