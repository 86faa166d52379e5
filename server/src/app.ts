import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { createControlPlane } from './admin/control-plane.ts'
import type { Env } from './env.ts'
import { createGateway, isRelayPath } from './gateway/routes.ts'
import { createAsk } from './integrations/ask.ts'
import { startDelivering } from './jobs/deliver-messages.ts'
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

/** Wires the data plane and the control plane over one database. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { env, database, secrets, run, log } = deps
  const now = Date.now
  const settings = await openSettings({ database, secrets, log })
  const ledger = createLedger({
    database,
    run,
    now,
    keepsLog: () => {
      const { LogConsumeEnabled, LogErrorEnabled } = settings.current()
      return { settled: LogConsumeEnabled, void: LogErrorEnabled }
    },
    remindBelow: () => settings.current().QuotaRemindThreshold,
  })
  const upstream = createUpstream()
  const { ask, close: closeAsk } = createAsk()
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
    ask,
    now,
    startedAt: Math.floor(now() / 1000),
  })
  const delivery = startDelivering({ database, settings, secrets, ask, log, now })
  return {
    serve: (request, response) => {
      if (isRelayPath(request.url ?? '')) gateway.serve(request, response)
      else controlPlane.routing(request, response)
    },
    drain: () => gateway.drain(),
    close: async () => {
      await controlPlane.close()
      await delivery.stop()
      await upstream.close()
      await closeAsk()
    },
  }
}
