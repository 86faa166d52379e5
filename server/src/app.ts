import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { createControlPlane } from './admin/control-plane.ts'
import type { Env } from './env.ts'
import { createGateway } from './gateway/routes.ts'
import { createLedger } from './ledger/create-ledger.ts'
import type { Secrets } from './secrets.ts'
import { openSettings } from './settings/settings.ts'
import type { Database } from './store/database.ts'
import { createUpstream } from './upstream/send.ts'

export type App = {
  serve: (request: IncomingMessage, response: ServerResponse) => void
  /** Takes no new relay request and resolves when none is running. */
  drain: () => Promise<void>
  close: () => Promise<void>
}

export type AppDeps = {
  env: Env
  database: Database
  secrets: Secrets
  run: string
  log: Logger
  version: string
  consoleDir: string
}

const isRelayPath = (url: string) => /^\/v1(?:[/?]|$)/.test(url)

/** Wires the data plane and the control plane over one database. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { env, database, secrets, run, log } = deps
  const now = Date.now
  const settings = await openSettings(database, log)
  const ledger = createLedger({
    database,
    run,
    now,
    keepsLog: () => {
      const { LogConsumeEnabled, LogErrorEnabled } = settings.current()
      return { settled: LogConsumeEnabled, void: LogErrorEnabled }
    },
  })
  const upstream = createUpstream()
  const gateway = await createGateway({
    database,
    settings,
    ledger,
    secrets,
    upstream,
    trustedProxies: env.TRUSTED_PROXIES,
    log,
    now,
    random: Math.random,
  })
  const controlPlane = await createControlPlane({
    ...deps,
    settings,
    ledger,
    upstream,
    now,
    startedAt: Math.floor(now() / 1000),
  })
  return {
    serve: (request, response) => {
      if (isRelayPath(request.url ?? '')) gateway.serve(request, response)
      else controlPlane.routing(request, response)
    },
    drain: () => gateway.drain(),
    close: async () => {
      await controlPlane.close()
      await upstream.close()
    },
  }
}
