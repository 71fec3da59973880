/** The addresses that a source may have. */
import { describe, expect, it } from 'vitest';
import { createAddressRule, isPublicAddress } from '../../log/guarded-connection.ts';

const CLOUD_INTERNAL = [
  '100.100.100.200',
  '161.26.0.10',
  '166.9.14.1',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '64:ff9b::168.63.129.16',
  '64:ff9b::169.254.169.254',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '192.0.0.192',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
];
const CARRIERS = [
  ['6to4', '2002:a9fe:a9fe::1'],
  ['6to4 of a public address', '2002:0808:0808::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ISATAP', '2a00:1450::5efe:7f00:1'],
  ['ISATAP with the universal bit', '2a00:1450::200:5efe:a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::a9fe:a9fe'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
];
const RESERVED = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '172.16.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '100::1',
  '2001:2::1',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'no address',
];

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '13.107.42.14', '2606:4700::1111', '2a00:1450:4001::200e', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8'])(
    'given %s, then it is public',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each([...CLOUD_INTERNAL, ...RESERVED])('given %s, then it is not public', (ip) =>
    expect(isPublicAddress(ip)).toBe(false),
  );

  it.each(CARRIERS)('given %s (%s), then it is not public', (_, ip) => expect(isPublicAddress(ip)).toBe(false));
});

describe('addressRule', () => {
  const everything = createAddressRule(() => true);

  it.each(CLOUD_INTERNAL)('given private sources are allowed, then %s still is not', (ip) =>
    expect(everything(ip, 80)).toBe(false),
  );

  it.each(['10.0.0.1', '127.0.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd12:3456::1'])(
    'given private sources are allowed, then %s is',
    (ip) => expect(everything(ip, 80)).toBe(true),
  );
});
