/** Parts of a name that say where a model is served, not which it is. */
const PREFIX = /^(?:~|[a-z0-9_.-]+\/)+/
/** Snapshots of one model: `-2026-03-05`, `-20251101`, `@20251101`, and Bedrock's `-v1:0`. */
const SNAPSHOT = /(?:[-@](?:20\d{2}-\d{2}-\d{2}|20\d{6}))?(?:-v\d+:\d+)?$/
/** Claude's versions are written with dots or hyphens. */
const CLAUDE = /^claude-/

/**
 * One name for the spellings of a model on bills and in requests. A dated snapshot counts as its
 * undated model on both sides; another version number is another model.
 */
export function comparableModel(name: string, aliases: ReadonlyMap<string, string>): string {
  const alias = aliases.get(name)
  const lower = (alias ?? name).trim().toLowerCase()
  const undated = lower.replace(PREFIX, '').replace(SNAPSHOT, '')
  return CLAUDE.test(undated) ? undated.replaceAll('.', '-') : undated
}
