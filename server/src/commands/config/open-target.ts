import { pino } from 'pino'
import { ROLE } from '@tollgate/contract'
import { createOutgoing, type Outgoing } from '../../network/outgoing.ts'
import { ConfigurationError, type Env } from '../../process/env.ts'
import { assertFingerprint, readFingerprint } from '../../process/secret-key-check.ts'
import { setByEnv } from '../../process/set-by-env.ts'
import { deriveSecrets, type Secrets } from '../../secrets.ts'
import type { Editor } from '../../settings/editor.ts'
import { openSettings, type Settings } from '../../settings/settings.ts'
import type { Database } from '../../store/database.ts'
import { secretKeyOf } from '../doctor/data-folder.ts'
import { openForCommand } from '../open-for-command.ts'

/** A running or stopped installation that a file is compared with or applied to. */
export type Target = {
  readonly database: Database
  readonly settings: Settings
  readonly secrets: Secrets
  readonly upstream: { readonly outgoing: Outgoing }
  /** Epoch milliseconds. */
  readonly now: () => number
}

export async function openTarget(
  env: Env,
): Promise<{ readonly target: Target; readonly close: () => Promise<void> }> {
  const masterKey = secretKeyOf(env)
  if (masterKey === undefined) {
    throw new ConfigurationError(
      `DATA_DIR ${env.DATA_DIR} has no secret key; set SECRET_KEY to that of the server.`,
    )
  }
  const database = await openForCommand(env, { migrates: false })
  try {
    const secrets = deriveSecrets(masterKey)
    const fingerprint = await readFingerprint(database.kysely)
    if (fingerprint === undefined) throw neverStarted()
    assertFingerprint(fingerprint, secrets)
    const log = pino({ level: 'silent' })
    const { pinned, privateNetworks } = setByEnv(env)
    const settings = await openSettings({ database, secrets, log, pinned, privateNetworks })
    const outgoing = createOutgoing({
      privateNetworks,
      allowsPrivate: () => settings.current().ChannelPrivateNetworksEnabled,
    })
    const target = { database, settings, secrets, upstream: { outgoing }, now: Date.now }
    return { target, close: database.close }
  } catch (error) {
    await database.close()
    throw error
  }
}

const neverStarted = () => new ConfigurationError('the server has never been started.')

/** The file acts as the super administrator, who may confirm every option. */
export async function editorOf({ database, now }: Target): Promise<Editor> {
  const root = await database.kysely
    .selectFrom('users')
    .select(['id', 'username', 'role'])
    .where('role', '=', ROLE.root)
    .orderBy('id')
    .executeTakeFirst()
  if (root === undefined) throw neverStarted()
  return { actor: root, language: 'en', nowSeconds: Math.floor(now() / 1000), isFile: true }
}
