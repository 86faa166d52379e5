import type { SourceTier, SourceTiers } from './source.ts'

type Price = NonNullable<ReturnType<SourceTiers['get']>>
type Rates = Omit<SourceTier, 'above'> & { readonly cache_write?: number }

const TIER = /^tier\("[^"]*",\s*(?<sum>[^()]*)\)$/
const CONDITION = /^len\s*(?<sign><=|<)\s*(?<limit>\d+)\s*\?\s*(?<below>.*?\))\s*:\s*(?<rest>.*)$/s
const TERM = /^(?<name>p|c|cr|cc)\s*\*\s*(?<rate>\d+(?:\.\d+)?)$/
const TIERS_MAX = 10

/** Dollars per million tokens of prompt, completion, cache reads and cache writes. */
const FIELDS = { p: 'input', c: 'output', cr: 'cached', cc: 'cache_write' } as const

/**
 * The prices in an expression of New API such as `len <= 200000 ? tier("a", p * 3 + c * 15) :
 * tier("b", p * 6 + c * 22)`. Null for every other form.
 */
export function readBillingExpression(expression: string): Price | null {
  let rest = expression.trim().replace(/^v1:/, '').trim()
  const tiers: { rates: Rates; above: number }[] = []
  for (let above = 0; tiers.length < TIERS_MAX;) {
    const { groups } = CONDITION.exec(rest) ?? {}
    const rates = ratesIn(groups?.['below'] ?? rest)
    if (rates === null) return null
    tiers.push({ rates, above })
    if (groups === undefined) break
    const limit = Number(groups['limit'])
    above = groups['sign'] === '<' ? limit - 1 : limit
    rest = (groups['rest'] ?? '').trim()
  }
  const [first, ...long] = tiers
  if (first === undefined || first.rates.input === 0) return null
  return {
    ...first.rates,
    long: long.map(({ above, rates: { input, output, cached } }) => ({
      above,
      input,
      output,
      ...(cached !== undefined && { cached }),
    })),
  }
}

function ratesIn(text: string): Rates | null {
  const sum = TIER.exec(text.trim())?.groups?.['sum']
  if (sum === undefined) return null
  const rates: Record<string, number> = {}
  for (const term of sum.split('+')) {
    const { name, rate } = TERM.exec(term.trim())?.groups ?? {}
    if (name === undefined) return null
    rates[FIELDS[name as keyof typeof FIELDS]] = Number(rate) // safe because TERM has these names
  }
  const { input = 0, output = 0, ...parts } = rates
  return { input, output, ...parts }
}
