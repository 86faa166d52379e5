import { describe, expect, test } from 'vitest'
import { refusalOfAddress, refusalOfHost } from './address-reach.ts'
import { readRanges } from './ip-ranges.ts'

const rules = (allowsPrivate: boolean, ...opened: string[]) => ({
  opened: readRanges(opened),
  allowsPrivate,
})

const OPEN = rules(true)
const CLOSED = rules(false)

describe('never connected to, in any notation:', () => {
  test.each([
    // 169.254.169.254
    '169.254.169.254',
    '169.254.169.254.',
    ' 169.254.169.254 ',
    '2852039166',
    '0xa9fea9fe',
    '0XA9FEA9FE',
    '025177524776',
    '0251.0376.0251.0376',
    '0xa9.0xfe.0xa9.0xfe',
    '0xa9.254.0251.254',
    '169.254.43518',
    '169.16689662',
    '１６９.２５４.１６９.２５４',
    '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
    '169。254。169。254',
    '%31%36%39.254.169.254',
    '169%2E254%2E169%2E254',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '0:0:0:0:0:FFFF:A9FE:A9FE',
    '[::169.254.169.254]',
    '[::ffff:0:169.254.169.254]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1:a9fe:a9:fe00::]',
    '[64:ff9b:1:fea9:fe:a9fe::]',
    '[64:ff9b:1::169.254.169.254]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:a9fe:a9fe::]',
    '[2001:0:808:808::5601:5601]',
    '[2001:db8::5efe:169.254.169.254]',
    '[2001:db8::200:5efe:169.254.169.254]',
    // Other link-local services
    '169.254.0.23',
    '169.254.170.2',
    '169.254.42.42',
    'fe80::a9fe:a9fe',
    'FE80::1',
    '[fe80::1]',
    'fe80::1%eth0',
    '[fe80::1%25eth0]',
    'febf::1',
    // Services at other addresses
    '100.100.100.200',
    '0x64.100.100.200',
    '[::ffff:100.100.100.200]',
    '192.0.0.192',
    '168.63.129.16',
    '2822734096',
    'fd00:ec2::254',
    '[fd00:ec2::23]',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    // Names
    'metadata.google.internal',
    'METADATA.google.internal.',
    'ｍetadata.google.internal',
    'metadata',
    'metadata.goog',
    'instance-data',
    'instance-data.ec2.internal',
    'metadata.tencentyun.com',
    'api.metadata.cloud.ibm.com',
    // Unspecified
    '0.0.0.0',
    '0',
    '0x0',
    '0.1.2.3',
    '[::]',
    '::',
    '[::ffff:0.0.0.0]',
  ])('%s', (host) => {
    expect(refusalOfHost(host, OPEN)).toBe('guarded')
    expect(refusalOfHost(host, CLOSED)).toBe('guarded')
  })
})

describe('connected to while private networks are allowed:', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[2002:a00:1::]',
    '[2001:db8::5efe:10.0.0.1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[fd12::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[400::1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'ip6-localhost',
  ])('%s', (host) => {
    expect(refusalOfHost(host, OPEN)).toBeNull()
    expect(refusalOfHost(host, CLOSED)).toBe('private')
  })
})

test.each([
  '8.8.8.8',
  '1.1.1.1.',
  '169.253.255.255',
  '168.63.129.15',
  '100.100.100.201.example',
  '[2606:4700::1111]',
  '[64:ff9b::8.8.8.8]',
  'api.openai.com',
  'metadata.example.com',
  'notlocalhost',
  'münchen.example',
  // Hosts that only the resolver can judge
  '',
  '300.1.1.1',
])('%j is always allowed, or resolved', (host) => {
  expect(refusalOfHost(host, CLOSED)).toBeNull()
})

describe('listed ranges', () => {
  test.each([
    ['169.254.169.254', '169.254.169.254'],
    ['2852039166', '169.254.0.0/16'],
    ['::ffff:169.254.169.254', '169.254.0.0/16'],
    ['fe80::1%eth0', 'fe80::/10'],
    ['100.100.100.200', '100.64.0.0/10'],
    ['10.1.2.3', '10.0.0.0/8'],
    ['localhost', '127.0.0.0/8'],
    ['localhost', '::1'],
    ['0.0.0.0', '0.0.0.0'],
  ])('%s is allowed if %s is listed', (host, range) => {
    expect(refusalOfHost(host, rules(false, range))).toBeNull()
  })

  test.each([
    ['169.254.169.254', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.4'],
    // Both the address and the embedded address have to be listed.
    ['64:ff9b:1::10.0.0.1', '64:ff9b:1::/48'],
    ['2002:a9fe:a9fe::', '2002::/16'],
    ['2002:a9fe:a9fe::', '169.254.0.0/16'],
    ['::1', '127.0.0.0/8'],
  ])('%s is not allowed if only %s is listed', (host, range) => {
    expect(refusalOfHost(host, rules(false, range))).not.toBeNull()
  })
})

test('a resolved address is checked the same way, and refused if it is invalid', () => {
  expect(refusalOfAddress('169.254.169.254', OPEN)).toBe('guarded')
  expect(refusalOfAddress('fe80::1%2', OPEN)).toBe('guarded')
  expect(refusalOfAddress('10.0.0.1', CLOSED)).toBe('private')
  expect(refusalOfAddress('93.184.216.34', CLOSED)).toBeNull()
  expect(refusalOfAddress('nonsense', OPEN)).toBe('guarded')
})
