import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  alertEndpoints,
  AppError,
  availabilityEndpoints,
  billEndpoints,
  catalogEndpoints,
  channelEndpoints,
  errorText,
  FRAMED_LINKS,
  logEndpoints,
  modelEndpoints,
  oauthEndpoints,
  optionEndpoints,
  type OptionValues,
  ownBillingEndpoints,
  modelPriceEndpoints,
  priceEndpoints,
  redemptionEndpoints,
  secondFactorEndpoints,
  secondFactorSignInEndpoints,
  selfEndpoints,
  sessionEndpoints,
  statEndpoints,
  statusEndpoints,
  tokenEndpoints,
  topUpEndpoints,
  userEndpoints,
  userTokenEndpoints,
} from '@tollgate/contract'
import { limitBodyTime } from '../http/body-time.ts'
import { isUnderApi, limitCalls } from '../http/call-limit.ts'
import { type ClientAddress, createClientAddress } from '../http/client-address.ts'
import { compressAnswers } from '../http/compress.ts'
import { createConsoleHost } from '../http/console-host.ts'
import { createErrorHandler, readLanguage, sendUnknownPath } from '../http/errors.ts'
import { type MountDeps, mount } from '../http/mount.ts'
import { newRequestId } from '../http/request-id.ts'
import { securityHeaders, transportHeaders } from '../http/security-headers.ts'
import { acceptCookies } from '../http/session.ts'
import { consoleAddress } from '../settings/console-address.ts'
import { isDatabaseAway } from '../store/failures.ts'
import { createAccounts } from './accounts.ts'
import { alertHandlers } from './alerts/handlers.ts'
import { serveApiDocument } from './api-document/routes.ts'
import { availabilityHandlers } from './availability/handlers.ts'
import { billHandlers } from './bills/handlers.ts'
import { createImportRuns } from './bills/imports.ts'
import { catalogHandlers } from './catalog/handlers.ts'
import { createChannelRuns } from './channels/channel-runs.ts'
import { channelHandlers } from './channels/handlers.ts'
import { serveConsole } from './console-files.ts'
import type { AdminDeps } from './deps.ts'
import { logHandlers } from './logs/handlers.ts'
import { modelHandlers } from './models/handlers.ts'
import { oauthHandlers } from './oauth/handlers.ts'
import { optionHandlers } from './options/handlers.ts'
import { ownBillingHandlers } from './own-billing/handlers.ts'
import { priceHandlers } from './prices/handlers.ts'
import { modelPriceHandlers } from './prices/model-prices.ts'
import { redemptionHandlers } from './redemptions/handlers.ts'
import { secondFactorHandlers } from './second-factor/handlers.ts'
import { noteUse } from './second-factor/own-sessions.ts'
import { requireConfirmed } from './second-factor/require-confirmed.ts'
import { requireSecondFactor } from './second-factor/require-second-factor.ts'
import { secondFactorSignInHandlers } from './second-factor/sign-in-handlers.ts'
import { selfHandlers } from './self/handlers.ts'
import { sessionHandlers } from './session/handlers.ts'
import { statHandlers } from './stat/handlers.ts'
import { statusHandlers } from './status/handlers.ts'
import { tokenHandlers } from './tokens/handlers.ts'
import { topUpHandlers } from './topup/handlers.ts'
import { userTokenHandlers } from './user-tokens/handlers.ts'
import { userHandlers } from './users/handlers.ts'

/** Limit for unknown paths; endpoints have their own. */
const BODY_BYTES_MAX = 32 * 1024
/** Time for a body to arrive. */
const BODY_MS = 30_000
/** Longer than any request line, so that an over-long id gets the error of any invalid id. */
const PARAMETER_LENGTH_MAX = 64 * 1024

/**
 * Endpoints parse with zod, so no route has a JSON schema. Fastify would load its compilers of such
 * schemas, a hundred files, at each start.
 */
function refuseJsonSchemas(): never {
  throw new Error('no route has a JSON schema: endpoints parse with zod')
}

export async function createControlPlane(
  deps: AdminDeps,
  { bodyMs = BODY_MS }: { bodyMs?: number } = {},
): Promise<FastifyInstance> {
  const client = createClientAddress(deps.env.TRUSTED_PROXIES)
  const headersFor = ({ id, raw }: FastifyRequest) => ({
    'X-Oneapi-Request-Id': id,
    ...transportHeaders(client.isSecure(raw)),
    ...policyFor(deps.settings.current()),
  })
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    genReqId: () => newRequestId(deps.now()),
    schemaController: {
      compilersFactory: { buildValidator: refuseJsonSchemas, buildSerializer: refuseJsonSchemas },
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PARAMETER_LENGTH_MAX },
    frameworkErrors: (_error, request, reply) => {
      reply.headers(headersFor(request))
      void sendUnknownPath(request, reply)
    },
  })
  const { log } = deps
  app.setErrorHandler(createErrorHandler({ log, isDatabaseAway }))
  parseEveryBodyAsJson(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersFor(request))
  })
  restrictToConsoleHost(app, deps, client)
  limitBodyTime(app, bodyMs)
  await acceptCookies(app, deps.env.BASE_PATH)
  limitCalls(app, deps.callLimit)
  await compressAnswers(app)
  mountEverything(app, deps, client)
  serveApiDocument(app, deps.version)
  await serveConsole(app, {
    consoleDir: deps.consoleDir,
    basePath: deps.env.BASE_PATH,
    site: () => {
      const settings = deps.settings.current()
      return {
        name: settings.SystemName,
        logo: settings.Logo,
        public_catalog: settings.PublicCatalogEnabled,
        public_status: settings.PublicStatusEnabled,
      }
    },
  })
  await app.ready()
  return app
}

/**
 * If a console address is set, only that host and loopback names serve the console and the API. GET
 * /api/status stays available on every host: clients of this API family read it at the server
 * address, health checks at any. Its content is public.
 */
function restrictToConsoleHost(app: FastifyInstance, deps: AdminDeps, client: ClientAddress) {
  // An unconfirmed address could lock root out of the page that confirms it.
  const address = () => deps.settings.confirmed().ConsoleAddress
  const { servesConsole } = createConsoleHost(client, address)
  app.addHook('onRequest', async (request, reply) => {
    if (servesConsole(request.raw)) return
    if (request.routeOptions.url === statusEndpoints.getStatus.path) return
    const error = new AppError('not_the_console', { address: address() })
    if (isUnderApi(request)) throw error
    const text = errorText(error.code, error.params, readLanguage(request))
    return reply.code(404).type('text/plain; charset=utf-8').send(`${text}\n`)
  })
}

/** Bodies are read as bytes, whatever the Content-Type. */
function parseEveryBodyAsJson(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (request) => {
    // Fastify rejects an unparsable type before it calls the parser.
    request.headers['content-type'] = 'application/json'
  })
}

function mountEverything(app: FastifyInstance, deps: AdminDeps, client: ClientAddress) {
  const door: MountDeps = {
    accounts: createAccounts(deps),
    client,
    callLimit: deps.callLimit,
    flush: deps.ledger.flush,
    requireSecondFactor: (endpoint, context) => requireSecondFactor(deps, endpoint, context),
    requireConfirmed: (context) => requireConfirmed(deps, context),
    recordSessionUse: (session, from) => noteUse(deps, session, from),
    // With a separate console host, pages on the relay's host count as foreign.
    consoleAddress: () => {
      // Pages at an unconfirmed address could send requests in root's name.
      const options = deps.settings.confirmed()
      const url = URL.parse(consoleAddress(options))
      const option = options.ConsoleAddress === '' ? 'ServerAddress' : 'ConsoleAddress'
      return url && { url, option }
    },
  }
  const runs = createChannelRuns(deps)
  app.addHook('onClose', runs.close)
  const imports = createImportRuns(deps)
  app.addHook('onClose', imports.close)
  mount(app, door, statusEndpoints, statusHandlers(deps))
  mount(app, door, sessionEndpoints, sessionHandlers(deps))
  mount(app, door, oauthEndpoints, oauthHandlers(deps))
  mount(app, door, selfEndpoints, selfHandlers(deps))
  mount(app, door, secondFactorSignInEndpoints, secondFactorSignInHandlers(deps))
  mount(app, door, secondFactorEndpoints, secondFactorHandlers(deps))
  mount(app, door, userEndpoints, userHandlers(deps))
  mount(app, door, tokenEndpoints, tokenHandlers(deps))
  mount(app, door, channelEndpoints, channelHandlers(deps, runs))
  mount(app, door, modelEndpoints, modelHandlers(deps))
  mount(app, door, catalogEndpoints, catalogHandlers(deps))
  mount(app, door, availabilityEndpoints, availabilityHandlers(deps))
  mount(app, door, redemptionEndpoints, redemptionHandlers(deps))
  mount(app, door, userTokenEndpoints, userTokenHandlers(deps))
  mount(app, door, topUpEndpoints, topUpHandlers(deps))
  mount(app, door, ownBillingEndpoints, ownBillingHandlers(deps))
  mount(app, door, logEndpoints, logHandlers(deps))
  mount(app, door, statEndpoints, statHandlers(deps))
  mount(app, door, optionEndpoints, optionHandlers(deps))
  mount(app, door, priceEndpoints, priceHandlers(deps))
  mount(app, door, alertEndpoints, alertHandlers(deps))
  mount(app, door, billEndpoints, billHandlers(deps, imports))
  mount(app, door, modelPriceEndpoints, modelPriceHandlers(deps))
}

/**
 * Finding addresses in long texts takes milliseconds, so policies are cached per options version.
 */
const policies = new WeakMap<OptionValues, Record<string, string>>()

function policyFor(options: OptionValues): Record<string, string> {
  const policy = policies.get(options) ?? policyOf(options)
  policies.set(options, policy)
  return policy
}

function policyOf(options: OptionValues) {
  const { HomePageContent, About, Terms, ChatLink, Links, Logo, Footer, Notice } = options
  const qrCode = options.WeChatAccountQRCodeImageURL
  // A console with its own host tries models at the relay's host.
  const relayAddress = options.ConsoleAddress === '' ? '' : options.ServerAddress
  const framedLinks = FRAMED_LINKS.map((name) => Links[name] ?? '')
  return securityHeaders({
    frames: [ChatLink, ...framedLinks, HomePageContent, About, Terms],
    images: [Logo, qrCode, HomePageContent, Footer, Notice, About, Terms],
    connections: [options.ReleaseAddress, relayAddress],
    humanCheck: options.TurnstileCheckEnabled,
  })
}
