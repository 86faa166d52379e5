import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { promisify } from 'node:util'

export type TestTls = {
  /** PEM. This process trusts certificates that this CA has signed. */
  ca: string
  key: string
  cert: string
  /** A certificate for the same names that no trusted CA has signed. */
  untrusted: { key: string; cert: string }
}

const run = promisify(execFile)
const NAMES = 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost'
const EC_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

let opened: Promise<TestTls> | undefined

/** A CA that only this process trusts, and a certificate for 127.0.0.1, ::1 and localhost. */
export function openTestTls(): Promise<TestTls> {
  opened ??= createTestTls()
  return opened
}

async function createTestTls(): Promise<TestTls> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-tls-'))
  try {
    const made = await makeCertificates(folder)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), made.ca])
    return made
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeCertificates(cwd: string): Promise<TestTls> {
  const openssl = (command: string, ...args: string[]) =>
    run('openssl', [...command.split(' '), ...args], { cwd })
  const read = (name: string) => readFile(join(cwd, name), 'utf8')
  await openssl(`req -x509 ${EC_KEY} -keyout ca.key -out ca.pem -subj`, '/CN=test authority')
  await openssl(
    `req -x509 ${EC_KEY} -keyout untrusted.key -out untrusted.pem -addext ${NAMES} -subj`,
    '/CN=nobody we know',
  )
  await openssl(`req ${EC_KEY} -keyout server.key -out server.csr -subj /CN=localhost`)
  await writeFile(join(cwd, 'names'), NAMES)
  await openssl(
    'x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out server.pem',
  )
  const [ca, key, cert] = await Promise.all([
    read('ca.pem'),
    read('server.key'),
    read('server.pem'),
  ])
  const untrusted = { key: await read('untrusted.key'), cert: await read('untrusted.pem') }
  return { ca, key, cert, untrusted }
}
