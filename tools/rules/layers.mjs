/**
 * Allowed imports. The first row whose `files` matches a path is the layer of that path; a layer
 * may always import itself. `free` lists packages (or `node:` modules) the layer must not touch;
 * `checkWithin` says why an import between two files of the layer is forbidden.
 */
const WEB = ['fastify', '@fastify', 'node:http', 'node:https', 'undici', 'ws']
const SQL = ['kysely', 'pg', 'node:sqlite']
const IO = ['node:fs', 'node:net', 'node:child_process', 'node:worker_threads', 'node:timers']
const BELOW_ADMIN = [
  'basics',
  'secrets',
  'contract',
  'relay',
  'catalogue',
  'text',
  'domain',
  'store',
  'ledger',
  'settings',
  'scheduler',
  'http1',
  'http',
  'network',
  'upstream',
]

const LAYERS = [
  {
    name: 'contract',
    files: /^contract\/src\//,
    mayImport: [],
    free: [...WEB, ...SQL, ...IO, 'node:'],
  },
  {
    name: 'catalogue',
    files:
      /^relay\/src\/(?:providers\/[^/]+\/descriptor|catalogue|presets|provider|openai-models|[a-z-]+-field)\.ts$/,
    mayImport: ['contract'],
    free: [...WEB, ...SQL, ...IO, 'node:'],
  },
  {
    name: 'relay',
    files: /^relay\/src\//,
    mayImport: ['contract', 'catalogue'],
    free: [...WEB, ...SQL, ...IO],
    checkWithin: findRelayViolation,
  },
  {
    name: 'domain',
    files: /^server\/src\/domain\//,
    mayImport: ['contract'],
    free: [...WEB, ...SQL, ...IO],
  },
  {
    name: 'text',
    files: /^server\/src\/text\//,
    mayImport: ['contract'],
    free: [...WEB, ...SQL, ...IO],
  },
  {
    name: 'thread priority',
    files: /^server\/src\/thread-priority\.ts$/,
    mayImport: [],
    free: [...WEB, ...SQL, ...IO],
  },
  {
    name: 'store',
    files: /^server\/src\/store\//,
    mayImport: ['basics', 'contract', 'text', 'domain', 'thread priority'],
    free: WEB,
  },
  {
    name: 'secrets',
    files: /^server\/src\/secrets\.ts$/,
    mayImport: [],
    free: [...WEB, ...SQL],
  },
  {
    name: 'basics',
    files: /^server\/src\/(?:clock|deadlines|lru|slots)\.ts$/,
    mayImport: [],
    free: [...WEB, ...SQL],
  },
  {
    name: 'ledger',
    files: /^server\/src\/ledger\//,
    mayImport: ['basics', 'contract', 'domain', 'store'],
    free: WEB,
  },
  {
    name: 'settings',
    files: /^server\/src\/settings\//,
    mayImport: ['secrets', 'contract', 'domain', 'store', 'network'],
    free: [],
  },
  {
    name: 'scheduler',
    files: /^server\/src\/scheduler\//,
    mayImport: ['relay', 'thread priority'],
    free: [...WEB, ...SQL],
  },
  {
    name: 'http1',
    files: /^server\/src\/http1\//,
    mayImport: [],
    free: ['fastify', '@fastify', 'node:https', 'undici', 'ws', ...SQL, ...IO],
  },
  {
    name: 'http',
    files: /^server\/src\/http\//,
    mayImport: [
      'basics',
      'contract',
      'relay',
      'text',
      'secrets',
      'http1',
      'network',
      'thread priority',
    ],
    free: SQL,
  },
  {
    name: 'network',
    files: /^server\/src\/network\//,
    mayImport: ['contract'],
    free: SQL,
  },
  {
    name: 'upstream',
    files: /^server\/src\/upstream\//,
    mayImport: [
      'basics',
      'contract',
      'relay',
      'catalogue',
      'domain',
      'settings',
      'secrets',
      'scheduler',
      'http1',
      'http',
      'network',
    ],
    free: SQL,
  },
  {
    name: 'integrations',
    files: /^server\/src\/integrations\//,
    mayImport: ['contract', 'text', 'settings', 'network'],
    free: SQL,
  },
  {
    name: 'other gateways',
    files: /^server\/src\/other-gateways\//,
    mayImport: ['contract', 'catalogue'],
    free: [...WEB, ...SQL, ...IO],
  },
  {
    name: 'gateway',
    files: /^server\/src\/gateway\//,
    mayImport: BELOW_ADMIN,
    free: [],
    checkWithin: findRoomViolation,
  },
  {
    name: 'admin',
    files: /^server\/src\/admin\//,
    mayImport: [...BELOW_ADMIN, 'integrations', 'other gateways'],
    free: [],
  },
  {
    name: 'jobs',
    files: /^server\/src\/jobs\//,
    mayImport: [...BELOW_ADMIN, 'integrations'],
    free: [],
  },
  {
    name: 'server root',
    files: /^server\/src\//,
    mayImport: [...BELOW_ADMIN, 'integrations', 'other gateways', 'gateway', 'admin', 'jobs'],
    free: [],
  },
  {
    name: 'console base',
    files: /^console\/src\/(?:ui|lib|i18n)\//,
    mayImport: ['contract', 'catalogue'],
    free: [],
  },
  {
    name: 'console feature',
    files: /^console\/src\/features\/([^/]+)\//,
    mayImport: ['contract', 'catalogue', 'console base'],
    free: [],
  },
  {
    name: 'console app',
    files: /^console\/src\//,
    mayImport: ['contract', 'catalogue', 'console base', 'console feature'],
    free: [],
  },
]

const WORKSPACE_LAYERS = {
  '@tollgate/contract': 'contract',
  '@tollgate/contract/channel-settings': 'contract',
  '@tollgate/contract/prices': 'contract',
  '@tollgate/contract/roles': 'contract',
  '@tollgate/relay': 'relay',
  '@tollgate/relay/catalogue': 'catalogue',
  '@tollgate/relay/presets': 'catalogue',
  '@tollgate/relay/counting': 'relay',
}

const TEST_CODE = /\.test\.tsx?$|\/testing\//

/**
 * The rooms of the gateway, lowest first; each may import itself and the rooms before it. The
 * ground and the top are files of the gateway's own folder.
 */
const GATEWAY = 'server/src/gateway/'
const GROUND = new Set(['errors.ts', 'http-types.ts', 'in-flight.ts', 'limits.ts'])
const GATEWAY_ROOMS = [
  'ground',
  'rate-limits',
  'intake',
  'routing',
  'billing',
  'attempts',
  'delivery',
  'local-answers',
  'realtime',
  'responses-socket',
  'top',
]
/** Types only, of what every room works with. */
const GATEWAY_CONTEXT = `${GATEWAY}context.ts`

/**
 * The rooms of the relay, lowest first, by the same rule. A wire protocol may import `wires/` and
 * chat completions, but no other protocol.
 */
const RELAY = 'relay/src/'
const RELAY_ROOMS = [
  'bytes',
  'form',
  'errors',
  'addresses',
  'media',
  'audio-length',
  'cards',
  'fit',
  'usage',
  'tokens',
  'streams',
  'wires',
  'watch',
  'tasks',
  'providers',
  'realtime',
  'top',
]
const CHAT_WIRE = 'openai-chat'
/** Types only, of the request that every room works with. */
const RELAY_CONTEXT = `${RELAY}relay-request.ts`

/** Why the file (a path from the root) may not import the specifier; undefined if it may. */
export function findLayerViolation(file, specifier) {
  const from = layerOf(file)
  if (!from || TEST_CODE.test(file)) return undefined
  if (specifier.startsWith('.')) return checkTarget(from, file, resolveRelative(file, specifier))
  if (specifier.startsWith('@tollgate/')) {
    const name = WORKSPACE_LAYERS[specifier]
    return name && (name === from.name || from.mayImport.includes(name))
      ? undefined
      : `${from.name} may not import ${specifier}`
  }
  const taboo = from.free.find((name) => isWithin(specifier, name))
  return taboo ? `${from.name} must stay free of ${specifier}` : undefined
}

function checkTarget(from, file, target) {
  const to = layerOf(target)
  if (!to) return `${from.name} may not import ${target}, which is in no layer`
  if (to.name === from.name && to.part === from.part) return from.checkWithin?.(file, target)
  if (to.name === from.name) return `${from.name} ${from.part} may not import ${to.part}`
  return from.mayImport.includes(to.name) ? undefined : `${from.name} may not import ${to.name}`
}

function layerOf(file) {
  for (const layer of LAYERS) {
    const match = layer.files.exec(file)
    if (match) return { ...layer, part: match[1] }
  }
  return undefined
}

function resolveRelative(file, specifier) {
  const base = new URL(file, 'file:///')
  return new URL(specifier, base).pathname.slice(1)
}

function isWithin(specifier, name) {
  return specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`)
}

function findRoomViolation(file, target) {
  if (target === GATEWAY_CONTEXT) return undefined
  const [from, to] = [roomOf(file), roomOf(target)]
  const unknown = [from, to].find((room) => !GATEWAY_ROOMS.includes(room))
  if (unknown !== undefined) return `${unknown} is no room of the gateway`
  return isAbove(GATEWAY_ROOMS, to, from)
    ? `gateway ${from} may not import ${to}, which is above it`
    : undefined
}

const isAbove = (rooms, room, other) => rooms.indexOf(room) > rooms.indexOf(other)

function findRelayViolation(file, target) {
  if (file === RELAY_CONTEXT || target === RELAY_CONTEXT) return undefined
  const [[from, wire], [to, otherWire]] = [file, target].map(relayRoomOf)
  const unknown = [from, to].find((room) => !RELAY_ROOMS.includes(room))
  if (unknown !== undefined) return `${unknown} is no room of the relay`
  if (isAbove(RELAY_ROOMS, to, from)) return `relay ${from} may not import ${to}, which is above it`
  const isOther = wire !== undefined && otherWire !== undefined && wire !== otherWire
  return isOther && otherWire !== CHAT_WIRE ? `${wire} may not import ${otherWire}` : undefined
}

/** The room, and the protocol if it is that of one. */
function relayRoomOf(file) {
  const [room, ...rest] = file.slice(RELAY.length).split('/')
  if (rest.length === 0) return ['top']
  return [room, room === 'wires' && rest.length > 1 ? rest[0] : undefined]
}

function roomOf(file) {
  const [room, ...rest] = file.slice(GATEWAY.length).split('/')
  if (rest.length > 0) return room
  return GROUND.has(room) ? 'ground' : 'top'
}
