/** A self-signed certificate for 127.0.0.1, made for one test: nothing to renew, no key to keep. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT, UTC_TIME, UTF8, SET] = [0x02, 0x03, 0x04, 0x06, 0x17, 0x0c, 0x31];
const [VERSION, EXTENSIONS, IP_ADDRESS] = [0xa0, 0xa3, 0x87];

/** One value in DER: tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT, hex('2a8648ce3d040302')));
const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT, hex('550403')), der(UTF8, Buffer.from('clarity test')))));
const time = (date: Date): Buffer => der(UTC_TIME, Buffer.from(date.toISOString().replace(/^20|[-:T]|\.\d+/g, '')));

function certify(publicKey: KeyObject, privateKey: KeyObject, now: Date): Buffer {
  const addresses = der(SEQUENCE, der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])));
  const subjectAltName = der(SEQUENCE, der(OBJECT, hex('551d11')), der(OCTET_STRING, addresses));
  const said = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, time(new Date(now.getTime() - 86_400_000)), time(new Date(now.getTime() + 86_400_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, subjectAltName)),
  );
  return der(SEQUENCE, said, ECDSA_WITH_SHA256, der(BIT_STRING, Buffer.from([0]), sign('sha256', said, privateKey)));
}

/** Key and certificate as PEM, valid for a day around `now`. */
export function certificate(now = new Date()): { key: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const base64 = certify(publicKey, privateKey, now).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
