import { type JsonRecord, omit } from '../bytes/json-value.ts'
import type { ChatForm, Settings } from '../form/request.ts'

/** Replaces members in place; undefined removes a member. The same object if nothing changes. */
export function withChanges(json: JsonRecord, changes: JsonRecord): JsonRecord {
  const names = Object.keys(changes).filter((name) => json[name] !== changes[name])
  if (names.length === 0) return json
  const removed = names.filter((name) => changes[name] === undefined)
  const replaced = names.filter((name) => changes[name] !== undefined)
  const values = Object.fromEntries(replaced.map((name) => [name, changes[name]]))
  return { ...omit(json, ...removed), ...values }
}

export function withSettings(form: ChatForm, changes: JsonRecord): ChatForm {
  // Safe because rules of `fit` set values of the type that the setting has.
  const settings = withChanges(form.settings, changes) as Settings
  return settings === form.settings ? form : { ...form, settings }
}
