import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

const NEEDS = [
  {
    name: 'Chromium',
    debianPackage: 'chromium-headless-shell',
    isThere: () => existsSync('/usr/lib/chromium/chromium-headless-shell'),
    // The whole browser takes a fifth more CPU time.
    substitute: 'chromium',
    isReplaced: () => existsSync('/usr/bin/chromium'),
  },
  {
    name: 'a Chinese font',
    debianPackage: 'fonts-noto-cjk',
    isThere: () => existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc'),
  },
  {
    name: 'PostgreSQL',
    debianPackage: 'postgresql',
    isThere: () =>
      existsSync('/usr/lib/postgresql') &&
      readdirSync('/usr/lib/postgresql').some((version) =>
        existsSync(`/usr/lib/postgresql/${version}/bin/initdb`),
      ),
  },
  {
    name: 'Redis',
    debianPackage: 'redis-server',
    isThere: () => existsSync('/usr/bin/redis-server'),
  },
  {
    name: 'MariaDB',
    debianPackage: 'mariadb-server',
    isThere: () => existsSync('/usr/sbin/mariadbd'),
  },
  {
    name: 'PgBouncer',
    debianPackage: 'pgbouncer',
    isThere: () => existsSync('/usr/sbin/pgbouncer'),
  },
  {
    name: 'promtool',
    debianPackage: 'prometheus',
    isThere: () => existsSync('/usr/bin/promtool'),
  },
  {
    name: 'nginx',
    debianPackage: 'nginx-light',
    isThere: () => existsSync('/usr/sbin/nginx'),
  },
  {
    name: 'Caddy',
    debianPackage: 'caddy',
    isThere: () => existsSync('/usr/bin/caddy'),
  },
  {
    name: 'systemd-analyze',
    debianPackage: 'systemd',
    isThere: () => existsSync('/usr/bin/systemd-analyze'),
  },
  {
    name: 'openssl',
    debianPackage: 'openssl',
    isThere: () => existsSync('/usr/bin/openssl'),
  },
  {
    name: 'Podman',
    debianPackage: 'podman',
    // The test of a release leaves out the image, since many machines run no containers.
    isOptional: true,
    isThere: () => existsSync('/usr/bin/podman'),
  },
]
const APT_TIMEOUT_MS = 10 * 60_000
/** A machine without network has its answer soon. */
const APT_NETWORK = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20']

/** Installs the programs that the tests need; returns one line about what is still missing. */
export function prepareMachine() {
  const missing = NEEDS.filter((need) => !need.isThere())
  if (missing.length === 0) return undefined
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) installPackages(missing)
  const left = missing.filter((need) => !need.isThere() && !need.isReplaced?.() && !need.isOptional)
  if (left.length === 0) return undefined
  const packages = left.map((need) => need.debianPackage).join(' ')
  return `The tests need ${left.map((need) => need.name).join(', ')}: apt-get install ${packages}`
}

function installPackages(missing) {
  const packages = missing.map((need) => need.debianPackage)
  console.log(`Installing ${packages.join(', ')} from Debian …`)
  aptGet('update')
  // One at a time, because a package that is not there would keep the others away.
  for (const { debianPackage, substitute, isThere, isReplaced } of missing) {
    aptGet('install', '--yes', '--no-install-recommends', debianPackage)
    if (substitute !== undefined && !isThere() && !isReplaced()) {
      aptGet('install', '--yes', '--no-install-recommends', substitute)
    }
  }
}

function aptGet(...args) {
  const { status, stdout, stderr } = spawnSync('apt-get', ['--quiet', ...APT_NETWORK, ...args], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: APT_TIMEOUT_MS,
  })
  if (status !== 0) console.log(`apt-get ${args.join(' ')} failed:\n${stdout}${stderr}`)
}
