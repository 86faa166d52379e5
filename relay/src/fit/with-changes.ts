import { type JsonRecord, omit } from '../bytes/json-value.ts'
import type { ChatForm, Settings } from '../form/request.ts'

/** Replaces members in place; undefined removes a member. The same object if nothing changes. */
export function withChanges(json: JsonRecord, changes: JsonRecord): JsonRecord {
  const entries = Object.entries(changes).filter(([name, value]) => json[name] !== value)
  if (entries.length === 0) return json
  const removed = entries.flatMap(([name, value]) => (value === undefined ? [name] : []))
  const replaced = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return { ...omit(json, ...removed), ...replaced }
}

export function withSettings(form: ChatForm, changes: JsonRecord): ChatForm {
  // Safe because rules of `fit` set values of the type that the setting has.
  const settings = withChanges(form.settings, changes) as Settings
  return settings === form.settings ? form : { ...form, settings }
}
