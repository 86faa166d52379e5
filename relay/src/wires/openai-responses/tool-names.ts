import { digestOf } from '../../fit/digest.ts'
import type { BuiltInType } from './built-in-tools.ts'

export type ToolName = {
  readonly name: string
  /** Null for a tool outside of namespaces. */
  readonly namespace: string | null
}

/** The client's definition of a tool that was translated to a function. */
export type ClientTool = ToolName & {
  /**
   * How clients read its calls: a function with JSON text as `arguments`, a custom tool with a text
   * as `input`, the client's own search for tools with an object as `arguments`, or a tool that
   * OpenAI defines.
   */
  readonly form: 'function' | 'custom' | 'tool_search' | BuiltInType
}

/** The search has no name of its own. */
export const SEARCH_NAME = 'tool_search'

const NAME_LENGTH_MAX = 64
const DIGEST_LENGTH = 10

/**
 * The functions' names for the provider, which knows no namespaces. A tool keeps its name unless
 * another tool has the same one. The names do not depend on the order of the tools, so a cached
 * prompt stays valid.
 */
export class ToolNames {
  readonly #byKey = new Map<string, string>()
  readonly #byProviderName = new Map<string, ClientTool>()
  /** Tools of each name. */
  readonly #sameNamed = new Map<string, ClientTool[]>()

  constructor(tools: readonly ClientTool[]) {
    for (const tool of tools) {
      const others = this.#sameNamed.get(tool.name)
      if (others === undefined) this.#sameNamed.set(tool.name, [tool])
      else others.push(tool)
    }
    const [unique, ambiguous] = [
      tools.filter((tool) => this.#keepsName(tool)),
      tools.filter((tool) => !this.#keepsName(tool)),
    ]
    for (const tool of unique) this.#add(tool, tool.name)
    for (const tool of ambiguous.toSorted(byKey)) {
      const name = qualifiedName(tool)
      this.#add(tool, this.#byProviderName.has(name) ? withDigest(name, keyOf(tool)) : name)
    }
  }

  get size(): number {
    return this.#byKey.size
  }

  has(providerName: string): boolean {
    return this.#byProviderName.has(providerName)
  }

  /** For a tool of the request or a call of its history, whose tool may be gone. */
  providerName(tool: ToolName): string {
    const known = this.#byKey.get(keyOf(tool))
    if (known !== undefined) return known
    const [only, ...others] = this.#sameNamed.get(tool.name) ?? []
    if (only === undefined) return tool.name
    if (tool.namespace !== null) return qualifiedName(tool)
    return others.length === 0 ? this.providerName(only) : tool.name
  }

  /** Some models prefix the name of a tool that was declared without its namespace. */
  clientTool(providerName: string): ClientTool | null {
    const known = this.#byProviderName.get(providerName)
    if (known !== undefined) return known
    const bare = providerName.slice(
      Math.max(lastEnd(providerName, '.'), lastEnd(providerName, '__')),
    )
    const [only, ...others] = this.#sameNamed.get(bare) ?? []
    return only === undefined || only.namespace === null || others.length > 0 ? null : only
  }

  #keepsName(tool: ToolName): boolean {
    return tool.namespace === null || this.#sameNamed.get(tool.name)?.length === 1
  }

  #add(tool: ClientTool, name: string): void {
    this.#byKey.set(keyOf(tool), name)
    this.#byProviderName.set(name, tool)
  }
}

export const NO_NAMES = new ToolNames([])

/** Distinct for tools that differ. */
export const keyOf = ({ name, namespace }: ToolName) => JSON.stringify([namespace, name])

function qualifiedName(tool: ToolName): string {
  const given = `${tool.namespace?.replace(/_+$/, '') ?? ''}__${tool.name}`
  const name = given.replaceAll(/[^\w-]/g, '_')
  return name === given && name.length <= NAME_LENGTH_MAX ? name : withDigest(name, keyOf(tool))
}

function withDigest(name: string, key: string): string {
  return `${name.slice(0, NAME_LENGTH_MAX - DIGEST_LENGTH - 1)}_${digestOf(key, DIGEST_LENGTH)}`
}

function byKey(one: ToolName, other: ToolName): number {
  return keyOf(one) < keyOf(other) ? -1 : 1
}

function lastEnd(text: string, separator: string): number {
  const at = text.lastIndexOf(separator)
  return at === -1 ? 0 : at + separator.length
}
