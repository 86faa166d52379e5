import { createHash } from 'node:crypto'
import {
  AppError,
  type ChannelImport,
  errorText,
  type ImportedChannel,
  type Language,
} from '@tollgate/contract'
import { listChannelNames, lockChannel, type ShownChannel } from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { importEntry } from './import-entry.ts'
import { type FileEntry, readChannelFile } from './read-channel-file.ts'

type Context = CallerContext & { language: Language }

/** Ends the transaction of a preview. */
class Preview extends Error {
  readonly answer: ChannelImport
  constructor(answer: ChannelImport) {
    super('the preview is complete')
    this.answer = answer
  }
}

/** Imports the file and rolls back, so that a preview makes every check of an import. */
export async function previewImport(
  deps: AdminDeps,
  context: Context,
  file: string,
): Promise<ChannelImport> {
  try {
    return await deps.database.transaction(async (tx) => {
      throw new Preview(await importInto(tx, deps, context, file))
    })
  } catch (error) {
    if (error instanceof Preview) return error.answer
    throw error
  }
}

export const importChannels = (
  deps: AdminDeps,
  context: Context,
  { file, digest }: { file: string; digest: string },
): Promise<ChannelImport> =>
  deps.database.change(async (tx) => {
    const answer = await importInto(tx, deps, context, file)
    if (answer.digest !== digest) throw new AppError('import_changed')
    return answer
  })

async function importInto(
  tx: Tx,
  deps: AdminDeps,
  context: Context,
  file: string,
): Promise<ChannelImport> {
  const { source, entries } = readChannelFile(file)
  const found = await matchChannels(tx, entries)
  const locked = new Map<number, ShownChannel>()
  // Imports that run at the same time lock in the same order.
  for (const id of found.flatMap((match) => match.id ?? []).toSorted((a, b) => a - b)) {
    const channel = await lockChannel(tx, deps.database.kind, id)
    if (channel) locked.set(id, channel)
  }
  await reauthorize(tx, deps, context)
  const { language } = context
  const load = { abilities: 0 }
  const channels: ImportedChannel[] = []
  for (const [index, entry] of entries.entries()) {
    const { id, problem } = found[index] ?? {}
    const old = locked.get(id ?? 0)
    const shown = {
      line: index + 1,
      id: old?.id ?? 0,
      name: nameOf(entry),
      reason: '',
      left_out: entry.leftOut,
    }
    try {
      if (problem) throw problem
      const changes = await importEntry(tx, deps, { entry, old, load, language })
      const state = old === undefined ? 'new' : changes.length > 0 ? 'changed' : 'unchanged'
      channels.push({ ...shown, state, changes })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const reason = errorText(error.code, error.params, language)
      channels.push({ ...shown, state: 'wrong', reason, changes: [] })
    }
  }
  return { source, channels, digest: digestOf(channels) }
}

/** Texts differ between languages, and the preview may be in another one. */
const digestOf = (channels: readonly ImportedChannel[]) =>
  createHash('sha256')
    .update(JSON.stringify(channels.map(({ reason: _, ...rest }) => rest)))
    .digest('base64url')

const nameOf = ({ fields }: FileEntry) =>
  typeof fields['name'] === 'string' ? fields['name'].trim().slice(0, NAME_SHOWN_MAX) : ''

const NAME_SHOWN_MAX = 100

type Match = { id?: number; problem?: AppError }

/** An entry is the channel of its id and name, or else the only channel of its name. */
async function matchChannels(tx: Tx, entries: readonly FileEntry[]): Promise<Match[]> {
  const stored = await listChannelNames(tx)
  const byName = Map.groupBy(stored, ({ name }) => name)
  const taken = new Set<number>()
  return entries.map((entry) => {
    const name = nameOf(entry)
    const same = byName.get(name) ?? []
    const exact = same.find(({ id }) => id === entry.fields['id'])
    const [only] = same
    if (only === undefined) return {}
    if (exact === undefined && same.length > 1) {
      return { problem: new AppError('import_ambiguous', { name }) }
    }
    const { id } = exact ?? only
    if (taken.has(id)) return { problem: new AppError('import_repeated') }
    taken.add(id)
    return { id }
  })
}
