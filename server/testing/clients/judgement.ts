import { descriptorOf, type ProviderDescriptor } from '@tollgate/relay'
import type { Dialect } from './client.ts'
import type { Excuse } from './columns.ts'
import type { BrokenRule, Provider } from './world.ts'

/*
 * The provider's opinion of the requests of a cell. A request in the provider's own form passes
 * through unchanged, so the client answers for it: the column excuses such rules by their id.
 */

export type Judgement = {
  /** Why the provider cannot read a request. */
  readonly misread: readonly string[]
  /** Rules that are broken without an excuse. */
  readonly faults: readonly BrokenRule[]
  readonly excused: readonly BrokenRule[]
}

const OWN_DIALECTS: Partial<Record<ProviderDescriptor['dialect'], Dialect>> = {
  openai: 'chat',
  azure: 'chat',
  anthropic: 'messages',
  gemini: 'gemini',
}

/** Observes a provider from now on. */
export function observe(provider: Provider, dialect: Dialect): () => Judgement {
  const { column, misread, broken } = provider
  const [firstMisread, firstBroken] = [misread.length, broken.length]
  const own = descriptorOf(column.row.type)?.dialect
  const isOwnForm = own !== undefined && OWN_DIALECTS[own] === dialect
  const isExcused = ({ id }: BrokenRule) => {
    const excuse: Excuse | undefined = column.knownToFail?.[id]
    return excuse !== undefined && (isOwnForm || excuse.inEveryForm === true)
  }
  return () => {
    const rules = [...new Map(broken.slice(firstBroken).map((rule) => [rule.id, rule])).values()]
    return {
      misread: [...new Set(misread.slice(firstMisread))],
      faults: rules.filter((rule) => !isExcused(rule)),
      excused: rules.filter(isExcused),
    }
  }
}

export const textOfRule = ({ id, text }: BrokenRule) => `${text} (${id})`
