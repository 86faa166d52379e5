import { type Channel, channelEdit } from '@tollgate/contract'
import { splitList, typedList, typedModels } from '../../lib/format.ts'

/** As typed. An empty text leaves the field as it is, apart from tag and mapping. */
export type BulkEdit = {
  priority: string
  weight: string
  /** Null leaves the tag; an empty text removes it. */
  tag: string | null
  /** Null leaves the model mapping; an empty text removes it. */
  mapping: string | null
  addGroups: string
  removeGroups: string
  addModels: string
  removeModels: string
}

export const NO_EDIT: BulkEdit = {
  priority: '',
  weight: '',
  tag: null,
  mapping: null,
  addGroups: '',
  removeGroups: '',
  addModels: '',
  removeModels: '',
}

type Changed = Partial<
  Pick<Channel, 'priority' | 'weight' | 'tag' | 'model_mapping' | 'group' | 'models'>
>

/** What the edit changes at a channel; null if nothing. */
export function changesOf(channel: Channel, edit: BulkEdit): Changed | null {
  const wanted: Changed = {
    ...(edit.priority !== '' && { priority: Number(edit.priority) }),
    ...(edit.weight !== '' && { weight: Number(edit.weight) }),
    ...(edit.tag !== null && { tag: edit.tag.trim() }),
    ...(edit.mapping !== null && { model_mapping: edit.mapping.trim() }),
    group: editedList(channel.group, typedList(edit.addGroups), typedList(edit.removeGroups)),
    models: editedList(channel.models, typedModels(edit.addModels), typedModels(edit.removeModels)),
  }
  const changed = Object.entries(wanted).filter(
    // Safe because the names are those of `Changed`.
    ([name, value]) => value !== channel[name as keyof Changed],
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}

function editedList(list: string, added: readonly string[], removed: readonly string[]): string {
  const gone = new Set(removed)
  const kept = [...new Set([...splitList(list), ...added])]
  return kept.filter((name) => !gone.has(name)).join(',')
}

/** The channels that would be left without a model or group, which the server refuses. */
export const emptied = (channels: readonly Channel[], edit: BulkEdit): Channel[] =>
  channels.filter((channel) => {
    const { group, models } = changesOf(channel, edit) ?? {}
    return group === '' || models === ''
  })

const WHOLE_NUMBER = /^-?\d{1,7}$/

export const isNumber = (text: string): boolean => text === '' || WHOLE_NUMBER.test(text)

export const isMapping = (text: string | null): boolean =>
  text === null || channelEdit.shape.model_mapping.safeParse(text.trim()).success
