import { member, type JsonRecord, listOf, textOf } from '../../bytes/json-value.ts'

export function logprobsOf(result: unknown): JsonRecord | undefined {
  const chosen = listOf(member(result, 'chosenCandidates'))
  if (chosen.length === 0) return undefined
  const top = listOf(member(result, 'topCandidates'))
  const content = chosen.map((candidate, at) => ({
    ...tokenOf(candidate),
    top_logprobs: listOf(member(top[at], 'candidates')).map(tokenOf),
  }))
  return { content, refusal: null }
}

function tokenOf(candidate: unknown) {
  const token = textOf(member(candidate, 'token'))
  const logprob = member(candidate, 'logProbability')
  return {
    token,
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: [...Buffer.from(token)],
  }
}
