import { hash } from 'node:crypto'

/** A UUID of version 5 (RFC 9562): the same namespace and name give the same id. */
export function uuidOf(namespace: string, name: string): string {
  const bytes = hash(
    'sha1',
    Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)]),
    'buffer',
  )
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
