import ipaddr from 'ipaddr.js'
import type { InBoth } from '@tollgate/contract'
import { type Address, isWithin, type Range, readRanges } from './ip-ranges.ts'

/*
 * Addresses that the server may connect to. Channels, proxies, images and integrations share these
 * rules; `network/outgoing.ts` applies them to every connection.
 */

/**
 * `guarded`: link-local, cloud metadata and unspecified. `private`: loopback, private and reserved.
 */
type Reach = 'public' | 'private' | 'guarded'

export type AddressRefusal = Exclude<Reach, 'public'>

/** Follows the name of the address field. */
export const REFUSAL_TEXTS: Readonly<Record<AddressRefusal, InBoth>> = {
  guarded: {
    en: 'must not lead to a link-local, cloud metadata or unspecified address, unless UPSTREAM_PRIVATE_NETWORKS lists it',
    zh: '不能指向链路本地、云元数据或未指定地址，除非已在 UPSTREAM_PRIVATE_NETWORKS 中列出',
  },
  private: {
    en: 'must not lead to a private network while ChannelPrivateNetworksEnabled is off, unless UPSTREAM_PRIVATE_NETWORKS lists it',
    zh: 'ChannelPrivateNetworksEnabled 关闭时不能指向内网地址，除非已在 UPSTREAM_PRIVATE_NETWORKS 中列出',
  },
}

export type ReachRules = {
  /** Ranges that are always allowed. */
  readonly opened: readonly Range[]
  readonly allowsPrivate: boolean
}

/** Metadata services outside the link-local ranges. All link-local addresses are guarded. */
const GUARDED = readRanges([
  // Alibaba Cloud
  '100.100.100.200',
  // Oracle Cloud (classic)
  '192.0.0.192',
  // Azure: the platform's own server, at an address in a public range
  '168.63.129.16',
  // AWS: metadata, DNS, time and pod identity
  'fd00:ec2::/32',
  // Google Cloud
  'fd20:ce::254',
  // Oracle Cloud
  'fd00:c1::a9fe:a9fe',
  // Scaleway
  'fd00:42::42',
])

/** Names of metadata services; some resolve only inside their cloud. */
const GUARDED_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.azure.internal',
  'api.metadata.cloud.ibm.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
])

const LOOPBACK_NAME = /(?:^|\.)localhost$|^(?:localhost6|ip6-localhost|ip6-loopback)$/
const LOOPBACKS = [ipaddr.parse('127.0.0.1'), ipaddr.parse('::1')]

/**
 * Why connections to a host are refused. Null if they are allowed or if only a DNS lookup can tell.
 * Accepts every notation of an address that URLs and resolvers accept.
 */
export function refusalOfHost(host: string, rules: ReachRules): AddressRefusal | null {
  const name = plainHost(host)
  if (ipaddr.isValid(name)) return refusalOfAddress(name, rules)
  if (GUARDED_NAMES.has(name)) return 'guarded'
  const isClosed =
    !rules.allowsPrivate && !LOOPBACKS.some((loopback) => isWithin(loopback, rules.opened))
  return isClosed && LOOPBACK_NAME.test(name) ? 'private' : null
}

/** Like `refusalOfHost`, for an address from a DNS lookup. */
export function refusalOfAddress(
  address: string,
  { opened, allowsPrivate }: ReachRules,
): AddressRefusal | null {
  const zoneless = withoutZone(address)
  if (!ipaddr.isValid(zoneless)) return 'guarded'
  const closed = partsOf(ipaddr.process(zoneless)).filter((part) => !isWithin(part, opened))
  const reaches = closed.map(reachOf)
  if (reaches.includes('guarded')) return 'guarded'
  return reaches.includes('private') && !allowsPrivate ? 'private' : null
}

const withoutZone = (address: string) => address.replace(/%.*$/s, '')

/**
 * Removes brackets, zone and final dot. Converts numbers to dotted decimals and letters to
 * lowercase ASCII.
 */
function plainHost(host: string): string {
  const bare = host.trim().replace(/^\[|\]$/g, '')
  if (bare.includes(':')) return withoutZone(bare).toLowerCase()
  const name = URL.parse(`http://${bare}/`)?.hostname ?? bare.toLowerCase()
  return name.replace(/\.+$/, '')
}

/** The only IPv6 range that is routed globally. */
const GLOBAL_IPV6 = readRanges(['2000::/3'])
/** A translator converts these to the IPv4 address in their last 32 bits (RFC 6052). */
const NAT64 = readRanges(['64:ff9b::/96'])

function reachOf(address: Address): Reach {
  const range = address.range()
  if (range === 'linkLocal' || range === 'unspecified' || isWithin(address, GUARDED)) {
    return 'guarded'
  }
  // The embedded IPv4 address is checked separately and decides.
  if (isWithin(address, NAT64)) return 'public'
  const isGlobal = address.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6)
  return range === 'unicast' && isGlobal ? 'public' : 'private'
}

const TEREDO = readRanges(['2001::/32'])
const LAST = [12, 13, 14, 15]

/** Positions of IPv4 addresses embedded in IPv6 addresses, as byte indexes. */
const EMBEDDINGS = [
  // Compatible (RFC 4291, 2.5.5.1) and translated (RFC 2765)
  { ranges: readRanges(['::/96', '::ffff:0:0:0/96']), places: [LAST] },
  { ranges: NAT64, places: [LAST] },
  // Local translators (RFC 8215); RFC 6052, 2.2, allows prefixes of several lengths.
  {
    ranges: readRanges(['64:ff9b:1::/48']),
    places: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST],
  },
  // 6to4 (RFC 3056)
  { ranges: readRanges(['2002::/16']), places: [[2, 3, 4, 5]] },
  // The server of a Teredo address (RFC 4380)
  { ranges: TEREDO, places: [[4, 5, 6, 7]] },
]

/** The address itself, and the IPv4 addresses that tunnels and translators derive from it. */
function partsOf(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address]
  const bytes = address.toByteArray()
  const at = (place: readonly number[]) => place.map((index) => bytes[index] ?? 0)
  const embedded = EMBEDDINGS.filter(({ ranges }) => isWithin(address, ranges)).flatMap(
    ({ places }) => places.map(at),
  )
  // The client of a Teredo address, with all bits inverted
  if (isWithin(address, TEREDO)) embedded.push(at(LAST).map((byte) => byte ^ 0xff))
  if (isIsatap(bytes)) embedded.push(at(LAST))
  // A leading zero byte means that no address is embedded.
  const found = embedded.filter(([first]) => first !== 0)
  return [address, ...found.map((octets) => new ipaddr.IPv4(octets))]
}

/**
 * RFC 5214, 6.1: the interface identifier is 00-00-5E-FE or 02-00-5E-FE, followed by an IPv4
 * address.
 */
function isIsatap(bytes: readonly number[]): boolean {
  const [flags, ...rest] = bytes.slice(8, 12)
  return (flags === 0 || flags === 2) && Buffer.from(rest).toString('hex') === '005efe'
}
